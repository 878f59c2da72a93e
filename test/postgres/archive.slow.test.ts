/** Archives of memories in PostgreSQL: completeness, forgetting, and restoring with the keys in the database. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openMemory, restoreArchive } from '../../src/engine/engine.ts';
import { SECRET, turns } from '../archive/rig.ts';
import { runCommand } from '../cli/runCommand.ts';
import { temporaryFolder } from '../temporary.ts';
import { freeName } from './memories.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const missing = missingForServer();
const MEMORY = 'archived';
const QUIET = { memoryId: MEMORY, embedder: null, learn: false, worker: false } as const;

async function textsIn(options: { dataDir: string; store?: string }): Promise<(string | null)[]> {
  const memory = await openMemory({ ...QUIET, ...options });
  const kept = await Array.fromAsync(memory.conversations.turns());
  await memory.close();
  return kept.map(({ text }) => text);
}

describe.skipIf(missing !== null)(`an archive of a memory in PostgreSQL ${missing ?? ''}`, () => {
  test('contains every turn, also for a role that cannot change turns, and restores a folder with the same chain head', async () => {
    const store = (await sharedServer()).url();
    await freeName(store, MEMORY);
    const [dataDir, archive, restored] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const owner = await openMemory({ ...QUIET, dataDir, store });
    await owner.add(turns(10));
    await owner.close();
    await withDatabase(store, async (sql) => {
      await sql.unsafe('DROP ROLE IF EXISTS archivist').catch(() => {});
      await sql.unsafe('CREATE ROLE archivist LOGIN');
      await sql.unsafe("SELECT omoide_grant('archivist')");
    });
    const memory = await openMemory({
      ...QUIET,
      dataDir,
      store: store.replace('postgres@', 'archivist@'),
      archive,
    });
    expect(await memory.admin.archive()).toEqual({ turns: 10, objects: 1 });
    await memory.add(turns(5, 'c2'));
    await memory.forget({ conversation: 'c2' });
    expect(await memory.admin.archive()).toEqual({ turns: 5, objects: 2 });
    await memory.add(turns(3, 'c3'));
    await memory.admin.archive();
    expect(await memory.admin.verifyArchive()).toMatchObject({ archived: 18, pending: 0, problems: [] });
    const { chainHead, problems } = await memory.admin.verify();
    expect(problems).toEqual([]);
    await memory.close();
    const content = readFileSync(join(archive, MEMORY, '00000001.jsonl'), 'utf8');
    for (const words of [SECRET, '那須塩原', '"c1"']) expect(content).not.toContain(words);
    const flags = ['--store', store, '--data', dataDir, '--memory', MEMORY, '--archive', archive];
    expect((await runCommand('archive', 'verify', ...flags)).stdout).toContain('All is well: 18 turns');

    const report = await restoreArchive({ archive, dataDir: restored, memoryId: MEMORY, keys: store });
    expect(report).toEqual({ memoryId: MEMORY, turns: 18, problems: [] });
    const again = await openMemory({ ...QUIET, dataDir: restored });
    expect(await again.admin.verify()).toMatchObject({ chainHead, forgotten: 5 });
    await again.close();
    const texts = await textsIn({ dataDir, store });
    expect(texts.filter((text) => text?.includes(SECRET))).toHaveLength(2);
    expect(await textsIn({ dataDir: restored })).toEqual(texts);
  });

  test('notes its copy on a turn once; nothing else of a turn can be changed', async () => {
    const store = (await sharedServer()).url();
    await freeName(store, MEMORY);
    const memory = await openMemory({ ...QUIET, dataDir: temporaryFolder(), store });
    await memory.add(turns(1));
    await memory.close();
    await withDatabase(store, async (sql) => {
      await sql.unsafe("UPDATE turn SET raw_pointer = 'first' WHERE raw_pointer IS NULL");
      for (const change of [
        "raw_pointer = 'second'",
        'raw_pointer = NULL',
        "raw_pointer = 'x', sealed = 'y'",
        'turn_index = 9',
      ]) {
        await expect(sql.unsafe(`UPDATE turn SET ${change}`)).rejects.toThrow('append-only');
      }
    });
  });
});
