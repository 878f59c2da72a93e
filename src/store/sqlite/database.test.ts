import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { Database } from './database.ts';
import { openSqliteStore } from './sqlite.ts';

function open(): Database {
  const db = new Database(join(temporaryFolder(), 'a.db'));
  onTestFinished(() => db.close());
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
  return db;
}

test('writes wait for the disk, unless switched off', () => {
  const db = open();
  const flushing = () => db.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
  const [FULL, NORMAL] = [2, 1];
  const seen = [
    db.write(flushing),
    db.writeUnflushed(flushing),
    db.writeUnflushed(flushing),
    db.write(flushing),
    db.write(flushing),
  ];
  expect(seen).toEqual([FULL, NORMAL, NORMAL, FULL, FULL]);
});

test.each(['write', 'writeUnflushed'] as const)('%s stores nothing of a transaction that throws', (write) => {
  const db = open();
  const body = () => {
    db.run('INSERT INTO t VALUES (1)');
    throw new Error('no');
  };
  expect(() => db[write](body)).toThrow('no');
  expect(db.all('SELECT x FROM t')).toEqual([]);
  db[write](() => db.run('INSERT INTO t VALUES (2)'));
  expect(db.all('SELECT x FROM t')).toEqual([{ x: 2 }]);
});

test('a memory in RAM creates no file', async () => {
  const store = openSqliteStore(':memory:', { memoryId: 'm', timeZone: 'UTC' });
  await store.close();
  expect(existsSync(':memory:')).toBe(false);
});
