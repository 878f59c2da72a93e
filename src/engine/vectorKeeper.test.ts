import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import {
  internals,
  openEmbedder,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryOptions,
} from './engine.ts';

const TEXTS = ['The rope bridge was swaying.', '吊り橋がめっちゃ揺れた。', '那座吊桥晃得厉害。'];

/** The hashed embedder with another id, and optionally a delay or an error. */
async function embedder(id: string, before: () => Promise<void> = async () => {}): Promise<Embedder> {
  const hashed = await openEmbedder({ provider: 'hashed' });
  return {
    id,
    dimensions: hashed.dimensions,
    batchSize: 1,
    async embed(texts, purpose, signal) {
      if (purpose === 'document') await before();
      return hashed.embed(texts, purpose, signal);
    },
  };
}

async function open(options: MemoryOptions): Promise<Memory> {
  const memory = await openMemory({ timeZone: 'UTC', learn: false, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

async function filled(options: MemoryOptions): Promise<Memory> {
  const memory = await open(options);
  await memory.add(TEXTS.map((text) => ({ conversationId: 'c', speaker: 'user', text })));
  await internals(memory).settle();
  return memory;
}

const vectorsOf = async (memory: Memory) => (await memory.admin.info()).vectorModel;

describe('another embedder', () => {
  test('is used when all its vectors are computed; until then the current one is used', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const memory = await filled({ dataDir: temporaryFolder(), embedder: await embedder('a') });
    await internals(memory).setEmbedder(await embedder('b', () => gate));
    expect(await memory.admin.info()).toMatchObject({ embedder: 'a', vectorModel: { id: 'a', count: 3 } });
    const before = await memory.recall('Which bridge was swaying?');
    expect(before.metadata.vectors).toBe('used');
    // Turns added in the meantime get vectors of both models.
    await memory.add({ conversationId: 'c', speaker: 'user', text: 'We walked back.' });
    openGate();
    await internals(memory).settle();
    expect(await memory.admin.info()).toMatchObject({
      embedder: 'b',
      vectorModel: { id: 'b', count: 4 },
      nextVectorModel: null,
    });
    const after = await memory.recall('Which bridge was swaying?');
    expect(after.metadata.vectors).toBe('used');
    expect((await memory.admin.verify()).problems).toEqual([]);
  });

  test('continues with the vectors that an interrupted process computed', async () => {
    const dataDir = temporaryFolder();
    const asked = vi.fn<(event?: unknown) => void>();
    const memory = await filled({ dataDir, embedder: await embedder('a') });
    await internals(memory).setEmbedder(
      await embedder('b', async () => {
        asked();
        if (asked.mock.calls.length > 2) await new Promise(() => {});
      }),
    );
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(3));
    await memory.close();
    const again = await open({ dataDir, embedder: await embedder('a') });
    expect((await again.admin.info()).nextVectorModel).toMatchObject({ id: 'b', count: 2 });
    const later = vi.fn<(event?: unknown) => void>();
    await internals(again).setEmbedder(await embedder('b', async () => later()));
    await internals(again).settle();
    expect(later).toHaveBeenCalledTimes(1);
    expect(await vectorsOf(again)).toMatchObject({ id: 'b', count: 3 });
  });

  test('is dropped when the current one is set again', async () => {
    const memory = await filled({ dataDir: temporaryFolder(), embedder: await embedder('a') });
    await internals(memory).setEmbedder(await embedder('b', () => new Promise(() => {})));
    await internals(memory).setEmbedder(await embedder('a'));
    expect(await memory.admin.info()).toMatchObject({
      embedder: 'a',
      vectorModel: { id: 'a', count: 3 },
      nextVectorModel: null,
    });
  });

  test('is tried again after a failure', async () => {
    const events = vi.fn<(event?: unknown) => void>();
    const memory = await filled({
      dataDir: temporaryFolder(),
      embedder: await embedder('a'),
      onWorkerEvent: events,
    });
    let failures = 1;
    await internals(memory).setEmbedder(
      await embedder('b', async () => {
        if (failures-- > 0) throw new Error('no line');
      }),
    );
    await internals(memory).settle();
    expect(events).toHaveBeenCalledWith({ type: 'stalled', error: 'no line' });
    expect(await vectorsOf(memory)).toMatchObject({ id: 'b', count: 3 });
  });

  test('is awaited by a process without a worker', async () => {
    const dataDir = temporaryFolder();
    const working = await filled({ dataDir, embedder: await embedder('a') });
    const reading = await open({ dataDir, embedder: await embedder('a'), worker: false });
    await internals(reading).setEmbedder(await embedder('b'));
    await pause(20);
    expect(await vectorsOf(reading)).toMatchObject({ id: 'a' });
    await internals(working).setEmbedder(await embedder('b'));
    await vi.waitFor(async () => expect((await reading.admin.info()).embedder).toBe('b'), { timeout: 5_000 });
    expect((await reading.recall('Which bridge?')).metadata.vectors).toBe('used');
  });

  test('may be null: recall uses words at once, and vectors again when one is set', async () => {
    const memory = await filled({ dataDir: temporaryFolder(), embedder: await embedder('a') });
    await internals(memory).setEmbedder(null);
    expect((await memory.recall('Which bridge was swaying?')).metadata.vectors).toBe('none_yet');
    await internals(memory).setEmbedder(await embedder('a'));
    expect((await memory.recall('Which bridge was swaying?')).metadata.vectors).toBe('used');
  });
});

describe('a memory with vectors of the static model only, opened with the bundled embedder,', () => {
  async function oldMemory(): Promise<string> {
    const dataDir = temporaryFolder();
    await (await filled({ dataDir, embedder: { provider: 'static' } })).close();
    return dataDir;
  }

  test('recalls by them until the new ones are computed', async () => {
    const memory = await open({ dataDir: await oldMemory() });
    const { metadata } = await memory.recall('Did the bridge sway?');
    expect(metadata.vectors).toBe('used');
    await internals(memory).settle();
    expect(await memory.admin.info()).toMatchObject({
      vectorModel: { id: 'omoide-encoder-v2', count: TEXTS.length },
      embedder: 'omoide-encoder-v2',
    });
    expect((await memory.recall('Did the bridge sway?')).metadata.vectors).toBe('used');
  });

  test('continues to use them in a process without background work', async () => {
    const memory = await open({ dataDir: await oldMemory(), worker: false });
    await memory.add({ conversationId: 'c', speaker: 'user', text: 'We crossed it.' });
    await internals(memory).settle();
    expect((await memory.admin.info()).vectorModel).toMatchObject({ id: 'omoide-static-v1', count: 4 });
    expect((await memory.recall('Did the bridge sway?')).metadata.vectors).toBe('used');
  });
});

describe('the ends of lines that were just said', () => {
  const LONG_LINE = `${'We walked for hours. '.repeat(9)}Then we crossed the old rope bridge.`;

  /** A memory whose embedder notes what it is asked as a query. */
  async function withNotes() {
    const hashed = await openEmbedder({ provider: 'hashed' });
    const asked: string[] = [];
    const noting: Embedder = {
      ...hashed,
      isLocal: true,
      batchSize: 8,
      async embed(texts, purpose, signal) {
        if (purpose === 'query') asked.push(...texts);
        return hashed.embed(texts, purpose, signal);
      },
    };
    return { memory: await open({ dataDir: temporaryFolder(), embedder: noting }), asked };
  }

  test('are embedded with the turns, as the next recall will ask for them', async () => {
    const { memory, asked } = await withNotes();
    await memory.add({ conversationId: 'c', speaker: 'user', text: LONG_LINE });
    await internals(memory).settle();
    const [end = '', ...others] = asked.splice(0);
    expect(LONG_LINE.endsWith(end)).toBe(true);
    expect(others).toEqual([]);
    const utterance = 'And what about that?';
    await memory.recall(utterance, { context: [{ speaker: 'user', text: LONG_LINE }] });
    expect(asked).toEqual([utterance, end]);
  });

  test('are not embedded for an import', async () => {
    const { memory, asked } = await withNotes();
    const lines = Array.from({ length: 8 }, (_, i) => ({
      conversationId: 'c',
      speaker: 'user',
      text: `${LONG_LINE} ${i}`,
    }));
    await memory.add(lines);
    await internals(memory).settle();
    expect(asked).toEqual([]);
  });
});
