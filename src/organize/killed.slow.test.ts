import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { OrganizeRequest } from '../../test/processes/organize.ts';
import { dump } from '../../test/organize/dump.ts';
import { background, keep, NOON, openRig, topicOf } from '../../test/organize/rig.ts';
import { seededRandom } from '../../test/seededRandom.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { DAY_MS } from '../model/model.ts';
import { scheduleReorganization } from './organize.ts';

const SCRIPT = fileURLToPath(new URL('../../test/processes/organize.ts', import.meta.url));
const KILLS = Number(process.env['OMOIDE_KILLS'] ?? 3);

/** Runs the process until it has printed a line and some time has passed, or until it exits; returns its output. */
async function run(request: OrganizeRequest, kill?: { line: string; delayMs: number }): Promise<string[]> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(request)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line === kill?.line) setTimeout(() => child.kill('SIGKILL'), kill.delayMs);
  });
  await ended;
  return lines;
}

test.each(Array.from({ length: KILLS }, (_, i) => i + 1))(
  '(%i) a process killed while it reorganises leaves all changes or none, and another process applies them once',
  async () => {
    const request = { path: join(temporaryFolder(), 'memory.db'), now: Date.parse('2026-03-02T18:31:00Z') };
    const rig = openRig(request.path);
    await background(rig.store);
    const talks = Array.from({ length: 24 }, (_, i) => ({
      theme: i % 2,
      conversationId: `c${i}`,
      turns: 8,
      at: NOON - i * DAY_MS,
    }));
    await topicOf(rig.store, 'Everything', ...talks);
    await keep(rig.store, { content: { kind: 'loop', payload: { text: 'buy milk' } }, expiresAt: NOON });
    await scheduleReorganization(rig.store, 'nightly', rig.clock.now);
    const before = dump(request.path);

    const random = seededRandom();
    const kill = {
      line: ['open', 'planned', 'planned', 'applied'][Math.floor(random() * 4)]!,
      delayMs: random() * 8,
    };
    const said = await run(request, kill);
    const entries = await rig.store.journal.list({ limit: 9 });
    const told = `killed ${JSON.stringify(kill)} after ${said.at(-1)}`;
    expect([told, said.includes('applied') && entries.length === 0]).toEqual([told, false]);
    const { job: _before, ...untouched } = before;
    const { job: _after, ...found } = dump(request.path);
    const isUntouched = JSON.stringify(found) === JSON.stringify(untouched);
    expect([told, isUntouched]).toEqual([told, entries.length === 0]);
    expect((await rig.store.admin.verify()).problems).toEqual([]);

    expect((await run({ ...request, now: request.now + 5_000 })).at(-1)).toBe('done');
    expect(await rig.store.journal.list({ limit: 9 })).toMatchObject([
      { key: 'nightly/2026-03-03', topicsAdded: 2, unitsChanged: 1, state: 'applied' },
    ]);
    expect(await rig.store.jobs.list({ kind: 'reorganize', limit: 9 })).toMatchObject([
      { status: 'queued', runAfter: Date.parse('2026-03-03T18:30:00Z') },
    ]);
    expect((await rig.store.admin.verify()).problems).toEqual([]);
  },
);
