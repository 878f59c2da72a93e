/**
 * Processes killed while they maintain a memory. Chats, settings, jobs, vectors of another model and reorganisations
 * have their own tests; `OMOIDE_KILLS` sets the number of kills for each.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommand } from '../cli/runCommand.ts';
import { archiveOf, backupOf, type Upkeep } from '../processes/upkeep.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { contents, copyOf, fill, filesWithSecret, open, run, SECRET } from './rig.ts';

/** Divided among five kinds of work, because each kill takes several processes. */
const KILLS = Math.ceil(Number(process.env['OMOIDE_KILLS'] ?? 8) / 4);
const TIMES = Array.from({ length: KILLS }, (_, i) => i + 1);

let template = '';
const before = { turns: 0, facts: 0, text: '' };
/** The duration of each kind of work without a kill. */
const takes = new Map<Upkeep, number>();

afterAll(() => rmSync(template, { recursive: true, force: true }));

/** A damaged copy of the memory. */
async function prepare(): Promise<string> {
  if (template === '') {
    template = mkdtempSync(join(tmpdir(), 'omoide-faults-'));
    await fill(template);
    const memory = await open(template);
    Object.assign(before, await contents(memory));
    if (before.facts === 0 || !before.text.includes(SECRET)) throw new Error('Nothing was learnt.');
    await memory.close();
  }
  return copyOf(template, temporaryFolder());
}

async function killed(what: Upkeep, dataDir: string): Promise<void> {
  let usual = takes.get(what);
  if (usual === undefined) {
    const { lines, workMs } = await run({ dataDir: copyOf(template, temporaryFolder()), what });
    if (!lines.includes('done')) throw new Error(`${what}: ${lines.join(', ')}`);
    usual = workMs;
    takes.set(what, usual);
  }
  await run({ dataDir, what }, { killAfterMs: seededRandom()() * usual });
}

async function openVerified(dataDir: string) {
  const memory = await open(dataDir);
  expect((await memory.admin.verify()).problems).toEqual([]);
  return memory;
}

describe('killed while', () => {
  test.each(TIMES)(
    '(%i) forgetting: nothing is erased yet, or the next opening finishes the erasure',
    async () => {
      const dataDir = await prepare();
      await killed('forget', dataDir);
      const memory = await openVerified(dataDir);
      const { turns, text } = await contents(memory);
      const isForgotten = turns === before.turns - 2;
      expect([turns, text.includes(SECRET)]).toEqual(isForgotten ? [turns, false] : [before.turns, true]);
      if (!isForgotten) await memory.forget({ conversation: 'secret' });
      expect((await memory.admin.verify()).problems).toEqual([]);
      await memory.close();
      expect(filesWithSecret(dataDir)).toEqual([]);
      const again = await openVerified(dataDir);
      expect((await again.admin.verify()).forgotten).toBe(2);
      const { hits } = await again.recall('the cat Zylophantus of Quermel');
      expect(JSON.stringify(hits)).not.toContain('Zylophantus');
    },
  );

  test.each(TIMES)('(%i) rebuilding: nothing is lost, and it can be repeated', async () => {
    const dataDir = await prepare();
    await killed('rebuild', dataDir);
    const memory = await openVerified(dataDir);
    expect(await contents(memory)).toEqual(before);
    await memory.admin.rebuild('units', { vectors: true });
    expect((await memory.admin.verify()).problems).toEqual([]);
    expect(await contents(memory)).toEqual(before);
  });

  test.each(TIMES)(
    '(%i) backing up: there is a complete backup or none, and another can be made',
    async () => {
      const dataDir = await prepare();
      await killed('backup', dataDir);
      const backup = backupOf(dataDir);
      const memory = await openVerified(dataDir);
      expect(await contents(memory)).toEqual(before);
      if (!existsSync(backup)) await memory.admin.backup(backup);
      await memory.close();
      expect((await runCommand('restore', backup, '--verify-only')).code).toBe(0);
    },
  );

  test.each(TIMES)('(%i) archiving: written objects are found again, and the rest is written', async () => {
    const dataDir = await prepare();
    await killed('archive', dataDir);
    const memory = await open(dataDir, archiveOf(dataDir));
    await memory.admin.archive();
    expect(await memory.admin.verifyArchive()).toMatchObject({
      archived: before.turns,
      pending: 0,
      problems: [],
    });
  });

  test.each(TIMES)(
    '(%i) reorganising: it is applied completely or not at all, and can be undone',
    async () => {
      const dataDir = await prepare();
      await killed('reorganize', dataDir);
      const memory = await openVerified(dataDir);
      expect(await contents(memory)).toEqual(before);
      const [last] = await memory.journal.list({ limit: 1 });
      if (last) await memory.journal.rollback(last.id);
      expect((await memory.admin.verify()).problems).toEqual([]);
    },
  );
});
