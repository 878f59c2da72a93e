import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbedder, type Embedder } from '../llm/llm.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { createRecall, type Recall } from './recall.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
let store: Store;
let embedder: Embedder;
let recall: Recall;
beforeEach(async () => {
  store = openSqliteStore(':memory:', { memoryId: 'missing', timeZone: 'UTC', now: () => NOW });
  embedder = await openEmbedder({ provider: 'hashed' });
  recall = createRecall({ store, embedder: { ...embedder, isLocal: true }, now: () => NOW });
});
afterEach(async () => {
  await recall.settled();
  await store.close();
});

const say = (texts: readonly string[]) =>
  store.evidence.append(
    texts.map((text) => ({
      conversationId: 'c',
      turnIndex: null,
      speaker: 'user',
      text,
      occurredAt: NOW - 60_000,
      meta: {},
      source: 'chat',
      sensitivity: 'normal',
      scope: 'global',
      imageSummary: null,
      jobKinds: [],
    })),
  );

it('computes the vectors of the newest sixteen turns', async () => {
  const told = await say(Array.from({ length: 20 }, (_, i) => `The number ${i} is a number.`));
  const { metadata } = await recall.recall('zebra');
  expect(metadata.vectors).toBe('used');
  const made = await store.indexes.vectors.get(told.map(({ unitId }) => unitId));
  expect([...made.keys()].sort((a, b) => a - b)).toEqual(told.slice(4).map(({ unitId }) => unitId));
});
