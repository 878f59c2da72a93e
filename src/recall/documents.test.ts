import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { DocumentReader } from './documents.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
let store: Store;
beforeEach(() => {
  store = openSqliteStore(':memory:', { memoryId: 'documents', timeZone: 'UTC', now: () => NOW });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

async function say(texts: readonly string[]): Promise<number[]> {
  const told = await store.evidence.append(
    texts.map((text) => ({
      conversationId: 'c',
      turnIndex: null,
      speaker: 'user',
      text,
      occurredAt: NOW,
      meta: {},
      source: 'chat',
      sensitivity: 'normal',
      scope: 'global',
      imageSummary: null,
      jobKinds: [],
    })),
  );
  return told.map(({ unitId }) => unitId);
}

/** Which of the units the reader asks the store for. */
async function readFromStore(reader: DocumentReader, unitIds: readonly number[]): Promise<number[]> {
  const passages = vi.spyOn(store.units, 'passages');
  expect((await reader.read(unitIds)).map(({ unitId }) => unitId)).toEqual(unitIds);
  const asked = passages.mock.calls.flatMap(([ids]) => [...ids]);
  passages.mockRestore();
  return asked;
}

it('reads each turn once while there is room', async () => {
  const unitIds = await say(Array.from({ length: 30 }, (_, i) => `turn number ${i}`));
  const reader = new DocumentReader(store, 10_000);
  expect(await readFromStore(reader, unitIds)).toEqual(unitIds);
  expect(await readFromStore(reader, unitIds)).toEqual([]);
  reader.clear();
  expect(await readFromStore(reader, unitIds)).toEqual(unitIds);
});

it('drops the turns that it read first when those in the cache have too many terms', async () => {
  const words = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ');
  const short = await say(Array.from({ length: 20 }, (_, i) => `turn number ${i}`));
  const long = await say(Array.from({ length: 9 }, (_, i) => words(100 * i, 100)));
  const reader = new DocumentReader(store, 1_000);
  await reader.read(short);
  await reader.read(long);
  expect(await readFromStore(reader, long)).toEqual([]);
  const again = await readFromStore(reader, short);
  expect(again.length).toBeGreaterThan(0);
  expect(again).toEqual(short.slice(0, again.length));
});
