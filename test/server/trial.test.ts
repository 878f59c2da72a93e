/** Trials of recall with another embedder. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { internals, openMemory, type Embedder } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const say = (text: string) => ({ conversationId: 'c', speaker: 'user', text });

describe('a trial over HTTP', () => {
  test('compares embedders without changing the memory', async () => {
    const { client, settings } = openTestServer();
    const turns = ['My daughter plays the cello.', 'The bridge swayed.', 'We ate noodles.'].map(say);
    await client.ingestTurns({ ...MEMORY, body: { turns } });
    const body = { utterance: 'Which musical instrument does my child practise?' };
    const before = await client.explain({ ...MEMORY, body });
    const words = await client.tryRecall({ ...MEMORY, body: { ...body, embedder: 'words' } });
    expect(words).toMatchObject({ made: 0, needed: 0, isWhole: true });
    expect(words.recall?.metadata.vectors).not.toBe('used');
    const fixed = await client.tryRecall({ ...MEMORY, body: { ...body, embedder: 'static' } });
    expect(fixed).toMatchObject({ made: 3, needed: 3, isWhole: true });
    expect(fixed.recall?.metadata.vectors).toBe('used');
    expect(fixed.recall?.hits[0]?.text).toBe('My daughter plays the cello.');
    const after = await client.explain({ ...MEMORY, body });
    expect(after.hits.map(({ unitId, score }) => [unitId, score])).toEqual(
      before.hits.map(({ unitId, score }) => [unitId, score]),
    );
    expect((await client.readUsage(MEMORY)).recalls).toBe(0);
    expect(settings.get().active.embedding).toBeNull();
  });

  test('is rejected for an embedder that is not configured, and for a token of one memory', async () => {
    const { client, clientOf, settings } = openTestServer();
    await client.ingestTurns({ ...MEMORY, body: { turns: [say('Hello.')] } });
    const body = { utterance: 'Hello?', embedder: 'nobody' };
    await expect(client.tryRecall({ ...MEMORY, body })).rejects.toMatchObject({ status: 404 });
    const { token } = settings.tokens.create({ name: 'guest', memoryId: 'default' });
    await expect(
      clientOf(token).tryRecall({ ...MEMORY, body: { ...body, embedder: 'words' } }),
    ).rejects.toMatchObject({ status: 403 });
  });
});

/** Vectors computed from the length of the text; counts the requested texts. */
function countingEmbedder(): Embedder & { readonly documents: string[] } {
  const documents: string[] = [];
  return {
    id: 'counting',
    dimensions: 2,
    batchSize: 2,
    documents,
    async embed(texts, purpose) {
      if (purpose === 'document') documents.push(...texts);
      return texts.map((text) => Float32Array.of(text.length, 10));
    },
  };
}

async function openFilled(count: number) {
  const memory = await openMemory({ dataDir: temporaryFolder(), embedder: null, worker: false });
  onTestFinished(() => memory.close());
  await memory.add(
    Array.from({ length: count }, (_, i) => say(`The boat of day ${i} was ${i % 7} metres long.`)),
  );
  return memory;
}

const trial = (embedder: Embedder, timeLimitMs: number) => ({
  utterance: 'How long was the boat of day 3?',
  options: {},
  embedder,
  timeLimitMs,
  signal: new AbortController().signal,
});

describe('the vectors of a trial', () => {
  test('are made in steps, each reporting progress, and each text once', async () => {
    const memory = await openFilled(12);
    const embedder = countingEmbedder();
    const door = internals(memory);
    let last = await door.tryRecall(trial(embedder, 0));
    const steps = [last.made];
    for (; last.result === null; steps.push(last.made)) last = await door.tryRecall(trial(embedder, 0));
    expect(steps.length).toBeGreaterThan(3);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(last).toMatchObject({ made: 12, needed: 12, isWhole: true });
    await door.tryRecall(trial(embedder, 0));
    expect(embedder.documents.length).toBe(new Set(embedder.documents).size);
    const info = await memory.admin.info();
    expect(info.embedder).toBeNull();
  });

  test('of forgotten text are dropped', async () => {
    const memory = await openFilled(4);
    const embedder = countingEmbedder();
    await internals(memory).tryRecall(trial(embedder, 1_000));
    const before = embedder.documents.length;
    await memory.forget({ turn: 1 });
    await internals(memory).tryRecall(trial(embedder, 1_000));
    expect(embedder.documents.length).toBe(before + 3);
  });

  test('of a large memory cover what a search finds', async () => {
    const memory = await openFilled(2_100);
    const embedder = countingEmbedder();
    const answer = await internals(memory).tryRecall(trial({ ...embedder, batchSize: 500 }, 60_000));
    expect(answer.isWhole).toBe(false);
    expect(answer.needed).toBeLessThan(2_000);
    expect(answer.result?.metadata.vectors).toBe('used');
    expect(answer.result?.hits.some(({ text }) => text.startsWith('The boat of day 3 '))).toBe(true);
  });
});
