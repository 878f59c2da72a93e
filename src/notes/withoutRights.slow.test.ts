/**
 * Files without permission to read or write. Root has every permission, so that these tests then run as the user
 * `nobody`, in a process of their own; therefore they have a file of their own.
 */
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import { openNotes } from './notes.ts';
import { Writer } from './write/write.ts';

const NOBODY = 65_534;

beforeAll(() => {
  if (process.getuid?.() !== 0) return;
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
});

test('an edit does not change a file without write permission', async () => {
  const path = join(temporaryFolder(), 'TASKS.md');
  writeFileSync(path, 'kept');
  chmodSync(path, 0o444);
  const writer = new Writer(() => {});
  await expect(writer.edit(path, (text) => `${text}x`)).rejects.toMatchObject({ code: 'READ_ONLY' });
  expect(readFileSync(path, 'utf8')).toBe('kept');
});

test('a scan keeps temporarily unreadable files in the index', async () => {
  const root = join(temporaryFolder(), 'notes');
  const store = openSqliteStore(':memory:', { memoryId: 'm1', timeZone: 'UTC' });
  const notes = await openNotes({
    store,
    roots: { global: root, project: null },
    now: Date.now,
    unitJobKinds: [],
  });
  onTestFinished(async () => {
    await notes.close();
    await store.close();
  });
  mkdirSync(root);
  const path = join(root, 'a.md');
  writeFileSync(path, 'text\n');
  utimesSync(path, 1_000, 1_000);
  await notes.scan();
  writeFileSync(path, 'other\n');
  utimesSync(path, 2_000, 2_000);
  chmodSync(path, 0);
  expect(await notes.scan()).toMatchObject({ files: 1, archived: 0, skipped: [{ reason: 'unreadable' }] });
});
