import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
  vi.restoreAllMocks();
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

it('computes no vector of a turn that is excluded from the result', async () => {
  const told = await say(['The cat is called Tofu.', 'What is the cat called?']);
  const [cat, question] = told.map(({ unitId }) => unitId);
  await recall.recall('What is the cat called?', { exceptUnitIds: [question!] });
  expect([...(await store.indexes.vectors.get([cat!, question!])).keys()]).toEqual([cat]);
});

it('waits for an encoder that takes two seconds to load', async () => {
  const [told] = await say(['The cat is called Tofu.']);
  let clock = 0;
  const limits: { readonly at: number; readonly controller: AbortController }[] = [];
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    limits.push({ at: clock + ms, controller });
    return controller.signal;
  });
  const slow: Embedder['embed'] = async (...args) => {
    if (clock === 0) clock = 2_000;
    for (const { at, controller } of limits) if (at <= clock) controller.abort(new Error('too late'));
    await Promise.resolve();
    return embedder.embed(...args);
  };
  recall = createRecall({ store, embedder: { ...embedder, isLocal: true, embed: slow }, now: () => NOW });
  await recall.recall('zebra');
  expect([...(await store.indexes.vectors.get([told!.unitId])).keys()]).toEqual([told!.unitId]);
});
