/** The log of a memory (SQLite's WAL) stays small, whatever reads it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { exportMemory, openMemory } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

const MIB = 1_048_576;
/** SQLite restarts the log from 1,000 pages (4 MB) on. */
const MAX_LOG = 16 * MIB;
/** The log is truncated to this size after a long read transaction. */
const MAX_LOG_AFTER = 64 * MIB;

async function open() {
  const dataDir = temporaryFolder();
  const memory = await openMemory({ dataDir, embedder: null, worker: false, learn: false });
  onTestFinished(() => memory.close());
  const path = join(dataDir, 'memory_default.db');
  const logSize = () => statSync(`${path}-wal`).size;
  return { memory, path, logSize };
}

const turn = (text: string) => ({ conversationId: 'c1', speaker: 'user', text });

test('the log stays small while iterators are left open', async () => {
  const { memory, logSize } = await open();
  await memory.add(Array.from({ length: 2_000 }, (_, i) => turn(`Turn ${i}.`)));
  for (const iterator of [memory.conversations.turns(), exportMemory(memory)]) await iterator.next();
  const sizes: number[] = [];
  let written = 0;
  for (let i = 0; i < 25; i++) {
    const text = String(i).padEnd(MIB, 'x');
    await memory.add(turn(text));
    written += text.length;
    sizes.push(logSize());
  }
  expect(written).toBeGreaterThan(MAX_LOG + 4 * MIB);
  expect(Math.max(...sizes)).toBeLessThan(MAX_LOG);
});

test('the log is truncated after another program held a read transaction for long', async () => {
  const { memory, path, logSize } = await open();
  await memory.add(turn('Before.'));
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM turn').get();
  const writer = new DatabaseSync(path);
  writer.exec("INSERT INTO meta VALUES ('test', '')");
  for (let i = 0; i < 40; i++)
    writer.exec(`UPDATE meta SET value = hex(randomblob(${MIB})) WHERE key = 'test'`);
  writer.close();
  expect(logSize()).toBeGreaterThan(MAX_LOG_AFTER);
  reader.close();
  // The first write copies the log into the file, the second restarts it.
  for (const text of ['After.', 'And again.', 'And again, again.']) await memory.add(turn(text));
  expect(logSize()).toBeLessThanOrEqual(MAX_LOG_AFTER);
});
