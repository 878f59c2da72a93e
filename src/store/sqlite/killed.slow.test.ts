import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import {
  derivationOf,
  MODELS,
  openAt,
  vectorOf,
  type DeriveRequest,
} from '../../../test/processes/derive.ts';
import { seededRandom } from '../../../test/seededRandom.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import type { Store } from '../store.ts';

const SCRIPT = fileURLToPath(new URL('../../../test/processes/derive.ts', import.meta.url));
const KILLS = Number(process.env['OMOIDE_KILLS'] ?? 4);
const TURNS = 60;

/** Runs the process until it has printed a number of lines and some time has passed, or until it exits; returns its output. */
async function run(
  request: DeriveRequest,
  kill?: { afterLines: number; delayMs: number },
): Promise<string[]> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(request)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.length === kill?.afterLines) setTimeout(() => child.kill('SIGKILL'), kill.delayMs);
  });
  await ended;
  return lines;
}

function kept(lines: readonly string[]): number[] {
  return lines.flatMap((line) => (line.startsWith('derived ') ? [Number(line.slice(8))] : []));
}

/** After any kill, derivations are complete or absent, and one complete set of vectors is in use. */
async function expectSound(store: Store, said: readonly string[]): Promise<void> {
  expect((await store.admin.verify()).problems).toEqual([]);
  const episodes = await store.units.list({ kinds: ['episode'] }, { limit: 1_000 });
  const facts = await store.units.list({ kinds: ['fact'] }, { limit: 1_000 });
  const derived: number[] = [];
  for (const { id, payload } of episodes) {
    const isDerived = await store.units.isDerived(derivationOf(id).mark);
    if (isDerived) derived.push(id);
    expect([id, 'reflection' in payload && payload.reflection]).toEqual([
      id,
      isDerived ? `read ${id}` : null,
    ]);
    expect(await store.entities.ofUnits([id])).toHaveLength(isDerived ? 2 : 0);
  }
  const objects = facts.map((fact) => ('object' in fact.payload ? fact.payload.object : ''));
  expect(objects.toSorted()).toEqual(derived.map((id) => `thing ${id}`).toSorted());
  expect(derived).toEqual(expect.arrayContaining(kept(said)));
  const waiting = await store.jobs.list({ kind: 'extract', limit: 1_000 });
  const accounted = new Set([...derived, ...waiting.map((job) => job.input['unitId'])]);
  expect(episodes.filter(({ id }) => !accounted.has(id))).toEqual([]);
  await expectVectors(store, said);
}

async function expectVectors(store: Store, said: readonly string[]): Promise<void> {
  const model = await store.indexes.vectors.model();
  const switched = said.findLast((line) => line.startsWith('switched '))?.slice(9);
  if (switched !== undefined)
    expect(MODELS.indexOf(model?.id ?? '')).toBeGreaterThanOrEqual(MODELS.indexOf(switched));
  if (model === null) return;
  expect(model.count).toBeGreaterThanOrEqual(TURNS);
  const query = vectorOf(model.id, 1);
  const hits = await store.indexes.vectors.query(query, {}, 1_000);
  expect(hits).toHaveLength(model.count);
  expect(hits[0]?.score).toBeCloseTo(1, 2);
}

test.each(Array.from({ length: KILLS }, (_, i) => i + 1))(
  '(%i) a process killed while it derives or changes the model loses nothing that it stored, and another continues',
  async () => {
    const request = { path: join(temporaryFolder(), 'memory.db'), turns: TURNS };
    // About 60 derivations and then 34 batches of vectors.
    const random = seededRandom();
    const kill = { afterLines: 1 + Math.floor(random() * 96), delayMs: random() * 5 };
    const said = await run(request, kill);
    const lookAt = async (lines: readonly string[]) => {
      const store = openAt(request.path);
      await expectSound(store, lines);
      await store.close();
      return lines;
    };
    try {
      await lookAt(said);
      const all = await lookAt([...said, ...(await run(request, kill)), ...(await run(request))]);
      expect(all.at(-1)).toBe('done');
      const store = openAt(request.path);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'third', dimensions: 10, count: 2 * TURNS });
      expect((await store.admin.info()).units).toMatchObject({ episode: TURNS, fact: TURNS });
      await store.close();
    } catch (error) {
      throw new Error(`killed ${JSON.stringify(kill)} after ${said.at(-1)}`, { cause: error });
    }
  },
);
