import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { internals, openEmbedder, openMemory, type Memory, type MemoryOptions } from './engine.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
const SAID = [
  'The rope bridge at Nasu was swaying in the strong wind.',
  'Were you afraid on it?',
  '昨日、母と那須の吊り橋を渡った。',
  '你还记得那座吊桥吗？',
  'I will call grandmother on Sunday.',
];

async function open(options: MemoryOptions = {}): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone: 'UTC',
    worker: false,
    now: () => NOW,
    ...options,
  });
  onTestFinished(() => memory.close());
  return memory;
}

async function say(memory: Memory, texts: readonly string[] = SAID): Promise<void> {
  const turns = texts.map((text, i) => ({
    conversationId: 'c',
    speaker: i % 2 === 0 ? 'user' : 'ai',
    text,
    occurredAt: NOW - (texts.length - i) * 60_000,
  }));
  await memory.add(turns);
}

async function recallOf(memory: Memory) {
  const { metadata, ...found } = await memory.recall('Which bridge?', { explain: true, count: false });
  return { ...found, candidates: metadata.candidatesBefore };
}

test('changes nothing, and reports no recall', async () => {
  const onRecall = vi.fn<() => void>();
  const memory = await open({ onRecall });
  await say(memory);
  await internals(memory).settle();
  const state = async () => ({
    units: await memory.units.list({ withArchived: true }, { limit: 100 }),
    info: await memory.admin.info(),
    recalled: await recallOf(memory),
  });
  const before = await state();
  onRecall.mockClear();
  await internals(memory).warmUp();
  expect(onRecall).not.toHaveBeenCalled();
  expect(await state()).toEqual(before);
});

test('calls no model that may cost money', async () => {
  const hashed = await openEmbedder({ provider: 'hashed' });
  const { id, dimensions, batchSize } = hashed;
  const embed = vi.fn<typeof hashed.embed>(async (...given) => hashed.embed(...given));
  const rerank = vi.fn<(query: string, documents: readonly string[]) => Promise<number[]>>(async () => []);
  const memory = await open({
    embedder: { id, dimensions, batchSize, embed },
    reranker: { id: 'r', rerank },
    learn: false,
  });
  await say(memory);
  await internals(memory).settle();
  embed.mockClear();
  await internals(memory).warmUp();
  expect(embed).not.toHaveBeenCalled();
  expect(rerank).not.toHaveBeenCalled();
});

test('waits while a foreground request runs', async () => {
  const bundled = await openEmbedder({ provider: 'bundled' });
  const embed = vi.fn<typeof bundled.embed>(async (...given) => bundled.embed(...given));
  const memory = await open({ embedder: { ...bundled, embed }, learn: false });
  await say(memory);
  await internals(memory).settle();
  embed.mockClear();
  const answered = internals(memory).beginForegroundWork();
  const warm = internals(memory).warmUp();
  for (let i = 0; i < 50; i++) await setImmediate();
  expect(embed).not.toHaveBeenCalled();
  answered();
  await warm;
  expect(embed).toHaveBeenCalled();
});

test('runs once, with a model that is free of charge', async () => {
  const bundled = await openEmbedder({ provider: 'bundled' });
  const embed = vi.fn<typeof bundled.embed>(async (...given) => bundled.embed(...given));
  const memory = await open({ embedder: { ...bundled, embed }, learn: false });
  await say(memory);
  await internals(memory).settle();
  const asked = () => embed.mock.calls.length;
  const before = asked();
  await Promise.all([internals(memory).warmUp(), internals(memory).warmUp()]);
  expect(asked()).toBe(before + SAID.length);
  await internals(memory).warmUp();
  expect(asked()).toBe(before + SAID.length);
});

test('stops when the memory is closed, and does not start afterwards', async () => {
  const memory = await open({ learn: false });
  await say(memory);
  const warming = internals(memory).warmUp();
  await memory.close();
  await expect(warming).resolves.toBeUndefined();
  await expect(internals(memory).warmUp()).rejects.toMatchObject({ code: 'CLOSED' });
});

test('succeeds for an empty memory and for one without vectors', async () => {
  const empty = await open();
  await internals(empty).warmUp();
  const wordsOnly = await open({ embedder: null, learn: false });
  await say(wordsOnly);
  await internals(wordsOnly).warmUp();
  expect((await wordsOnly.recall('Which bridge?')).hits.length).toBeGreaterThan(0);
});
