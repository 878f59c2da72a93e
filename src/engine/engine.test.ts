import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import {
  internals,
  defaultDataDir,
  memoryPath,
  openEmbedder,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryOptions,
  type NewTurn,
  type Reranker,
  type WorkerEvent,
} from './engine.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');

/** Opens a memory for the length of one test: hashed vectors, jobs only with settle, no derivations. */
async function open(options: MemoryOptions = {}): Promise<Memory> {
  const memory = await openMemory({
    timeZone: 'UTC',
    embedder: { provider: 'hashed' },
    worker: false,
    learn: false,
    now: () => NOW,
    ...options,
    dataDir: options.dataDir ?? temporaryFolder(),
  });
  onTestFinished(() => memory.close());
  return memory;
}

const turn = (text: string, rest: Partial<NewTurn> = {}): NewTurn => ({
  conversationId: 'c',
  speaker: 'user',
  text,
  occurredAt: '2026-03-01T10:00',
  ...rest,
});
const BRIDGE = turn('The rope bridge at Nasu was swaying in the strong wind.');
const QUESTION = 'Which bridge was swaying?';

/** A custom embedder that recognises bridges. */
function ownEmbedder(over: Partial<Embedder> = {}): Embedder {
  return {
    id: 'own-v1',
    dimensions: 8,
    batchSize: 8,
    embed: async (texts) =>
      texts.map((text) => Float32Array.of(text.includes('bridge') ? 1 : 0.1, 1, 0, 0, 0, 0, 0, 0)),
    ...over,
  };
}

describe('openMemory', () => {
  it('needs only a folder, and all operations work', async () => {
    const dataDir = join(temporaryFolder(), 'not', 'yet', 'there');
    const memory = await openMemory({ dataDir });
    onTestFinished(() => memory.close());
    expect(memory.memoryId).toBe('default');
    expect(memory.timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(existsSync(memoryPath(dataDir, 'default'))).toBe(true);
    await memory.add({
      conversationId: 'c1',
      speaker: 'user',
      text: '那須塩原の吊り橋、すごく揺れたね。',
    });
    await memory.add({ conversationId: 'c1', speaker: 'ai', text: '手すりを握っていましたね。' });
    await internals(memory).settle();
    const { hits, metadata } = await memory.recall('吊り橋、揺れた？');
    expect(hits[0]?.text).toBe('那須塩原の吊り橋、すごく揺れたね。');
    expect(metadata).toMatchObject({ profile: 'conversation', vectors: 'used' });
    const pack = await memory.pack('吊り橋、揺れた？', { persona: 'あなたは遥です。' });
    expect(pack.text).toContain('[PERSONA_ANCHOR]\nあなたは遥です。');
    expect(pack.tokens).toBeLessThanOrEqual(1_500);
    expect(await memory.admin.info()).toMatchObject({
      memoryId: 'default',
      turns: 2,
      conversations: 1,
      // The capsule is refreshed after some seconds without turns, topics are reorganised at night.
      jobs: { queued: 2, running: 0, failed: 0 },
      units: { episode: 2 },
    });
    expect(await memory.admin.verify()).toMatchObject({ turns: 2, problems: [] });
  });

  it('reads an existing memory, in the time zone in which it was created', async () => {
    const dataDir = temporaryFolder();
    const first = await open({ dataDir, timeZone: 'Asia/Tokyo' });
    await first.add(BRIDGE);
    await first.close();
    const again = await open({ dataDir, timeZone: 'America/New_York' });
    expect(again.timeZone).toBe('Asia/Tokyo');
    const [hit] = (await again.recall(QUESTION)).hits;
    expect(hit).toMatchObject({ text: BRIDGE.text, occurredAt: '2026-03-01T01:00:00.000Z' });
  });

  it('keeps each memory in its own file', async () => {
    const dataDir = temporaryFolder();
    const [mia, leo] = [await open({ dataDir, memoryId: 'mia' }), await open({ dataDir, memoryId: 'leo' })];
    await mia.add(BRIDGE);
    expect((await leo.recall(QUESTION)).hits).toEqual([]);
    const files = readdirSync(dataDir).filter((name) => name.endsWith('.db'));
    expect(files.sort()).toEqual(['keys.db', 'memory_leo.db', 'memory_mia.db']);
  });

  it.each([
    ['INVALID_ID', { memoryId: '../up' }],
    ['INVALID_ID', { memoryId: '' }],
    ['INVALID_INPUT', { timeZone: 'Atlantis/Capital' }],
    ['INVALID_INPUT', { embedder: { provider: 'magic' } as never }],
    ['INVALID_INPUT', { reranker: { dialect: 'tei', url: 'ftp://somewhere' } as never }],
  ])('rejects with %s: %j', async (code, options) => {
    const dataDir = temporaryFolder();
    await expect(openMemory({ dataDir, ...options })).rejects.toMatchObject({ code });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('rejects a file that is not a memory, and leaves it unchanged', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(memoryPath(dataDir, 'default'), 'Dear diary, '.repeat(100));
    await expect(openMemory({ dataDir })).rejects.toMatchObject({ code: 'NOT_A_MEMORY' });
  });

  it('uses the application’s data folder by default', () => {
    expect(defaultDataDir()).toMatch(/omoide/iu);
  });
});

describe('vectors', () => {
  it('are computed in the background by a worker that reports its progress', async () => {
    const events: WorkerEvent[] = [];
    const memory = await open({ worker: true, onWorkerEvent: (event) => events.push(event) });
    await memory.add(BRIDGE);
    await vi.waitFor(async () => expect((await memory.admin.info()).vectorModel).toMatchObject({ count: 1 }));
    expect((await memory.recall(QUESTION)).metadata.vectors).toBe('used');
    expect(events).toMatchObject([{ type: 'done', kind: 'embed', count: 1 }]);
  });

  it('are awaited by settle, also those that a worker is computing', async () => {
    const quick = ownEmbedder();
    const slow = ownEmbedder({
      embed: async (texts, purpose) => {
        await new Promise((resolve) => {
          setTimeout(resolve, 30);
        });
        return quick.embed(texts, purpose);
      },
    });
    const memory = await open({ worker: true, embedder: slow });
    for (const n of [1, 2, 3]) await memory.add(turn(`Turn ${n}.`));
    await internals(memory).settle();
    expect((await memory.admin.info()).vectorModel).toMatchObject({ id: 'own-v1', count: 3 });
  });

  it('are optional: until there are some, recall uses words and reports that', async () => {
    const memory = await open();
    await memory.add(BRIDGE);
    const before = await memory.recall(QUESTION);
    expect(before).toMatchObject({ hits: [{ text: BRIDGE.text }], metadata: { vectors: 'none_yet' } });
    let done = 0;
    await internals(memory).settle((count) => (done = count));
    expect(done).toBe(1);
    expect(await memory.recall(QUESTION)).toMatchObject({ metadata: { vectors: 'used' } });
  });

  it('can be switched off', async () => {
    const memory = await open({ embedder: null });
    await memory.add(BRIDGE);
    await internals(memory).settle();
    expect(await memory.recall(QUESTION)).toMatchObject({
      hits: [{ text: BRIDGE.text }],
      metadata: { vectors: 'none_yet' },
    });
    expect(await memory.admin.info()).toMatchObject({ embedder: null, vectorModel: null });
  });

  it('of another model are not used until a rebuild computes them again', async () => {
    const dataDir = temporaryFolder();
    const hashed = await open({ dataDir });
    await hashed.add(BRIDGE);
    await hashed.units.add({ content: { kind: 'loop', payload: { text: 'Write about the bridge' } } });
    await internals(hashed).settle();
    await hashed.close();

    const own = await open({ dataDir, embedder: ownEmbedder() });
    expect(await own.recall(QUESTION)).toMatchObject({
      hits: [{ text: BRIDGE.text }, {}],
      metadata: { vectors: 'other_model' },
    });
    expect(await own.admin.rebuild()).toMatchObject({ unitsIndexed: 2, jobsEnqueued: 2 });
    await internals(own).settle();
    expect((await own.admin.info()).vectorModel).toMatchObject({ id: 'own-v1', dimensions: 8, count: 2 });
    expect((await own.recall(QUESTION)).metadata.vectors).toBe('used');
    // With the model of the vectors no work is left.
    expect(await own.admin.rebuild()).toMatchObject({ jobsEnqueued: 0 });
    expect(await own.admin.rebuild('indexes', { vectors: true })).toMatchObject({ jobsEnqueued: 2 });
  });

  it('that a wrong model could not compute are computed after a rebuild', async () => {
    const dataDir = temporaryFolder();
    const hashed = await open({ dataDir });
    await hashed.add(BRIDGE);
    await internals(hashed).settle();
    await hashed.close();

    let at = NOW;
    const own = await open({ dataDir, embedder: ownEmbedder(), now: () => at });
    await own.add(turn('We went back to the bridge.'));
    // Longer than any delay between two attempts.
    for (let n = 0; n < 10; n += 1, at += 3_600_000) await internals(own).settle();
    expect((await own.admin.info()).jobs).toEqual({ queued: 0, running: 0, failed: 1 });
    await own.admin.rebuild();
    await internals(own).settle();
    expect(await own.admin.info()).toMatchObject({
      jobs: { queued: 0, failed: 0 },
      vectorModel: { count: 2 },
    });
  });

  it('are skipped when the model fails, which the result reports', async () => {
    let isDown = false;
    const working = ownEmbedder();
    const memory = await open({
      embedder: ownEmbedder({
        embed: async (texts, purpose) => {
          if (isDown) throw new Error('down');
          return working.embed(texts, purpose);
        },
      }),
    });
    await memory.add(BRIDGE);
    await internals(memory).settle();
    isDown = true;
    for (const profile of ['conversation', 'fast'] as const) {
      const { hits, metadata } = await memory.recall(QUESTION, { profile, strategy: 'semantic_only' });
      expect(hits[0]?.text).toBe(BRIDGE.text);
      expect(metadata.vectors).toBe('failed');
    }
  });

  it('are tried again, and at once when failed jobs are retried', async () => {
    let isDown = true;
    let at = NOW;
    const working = ownEmbedder();
    const embedder = ownEmbedder({
      embed: async (texts, purpose) => {
        if (isDown) throw new Error('down');
        return working.embed(texts, purpose);
      },
    });
    const memory = await open({ embedder, now: () => at });
    await memory.add(BRIDGE);
    for (let n = 0; n < 10; n += 1, at += 3_600_000) await internals(memory).settle();
    expect((await memory.admin.info()).jobs).toMatchObject({ failed: 1 });
    isDown = false;
    expect(await memory.jobs.retry()).toBe(1);
    await internals(memory).settle();
    expect(await memory.admin.info()).toMatchObject({ jobs: { failed: 0 }, vectorModel: { count: 1 } });
  });

  it.each(['bundled', 'hashed'] as const)(
    'are computed or skipped for text without content (%s)',
    async (provider) => {
      const memory = await open({ embedder: { provider } });
      for (const text of ['。。。', '🎉🎉', '?!', 'x', '\u200b.']) await memory.add(turn(text));
      await memory.add(BRIDGE);
      await internals(memory).settle();
      expect((await memory.admin.info()).jobs).toEqual({ queued: 0, running: 0, failed: 0 });
      expect((await memory.recall(QUESTION)).metadata.vectors).toBe('used');
    },
  );

  it('may come from an embedder that is already open', async () => {
    const memory = await open({ embedder: await openEmbedder({ provider: 'hashed' }) });
    expect((await memory.admin.info()).embedder).toBe('omoide-hashed-v1');
  });
});

describe('adding data', () => {
  it('returns the same text word for word, in order, for any number of turns', async () => {
    const memory = await open();
    const given = Array.from({ length: 1_200 }, (_, i) =>
      turn(`Turn number ${i}.`, { conversationId: `c${i % 3}` }),
    );
    expect(await memory.add(given)).toMatchObject({ read: 1_200, added: 1_200, problems: [] });
    const texts: string[] = [];
    for await (const { text } of memory.conversations.turns()) texts.push(text);
    expect(texts).toEqual(given.map(({ text }) => text));
  });

  it('reports an invalid turn by its position', async () => {
    const memory = await open();
    const report = await memory.add([BRIDGE, turn(''), turn('Fine.')]);
    expect(report).toMatchObject({ read: 3, added: 2, problems: [{ place: 'turn 2', code: 'EMPTY_TEXT' }] });
  });

  it('accepts a file', async () => {
    const memory = await open();
    const path = join(temporaryFolder(), 'chat.json');
    writeFileSync(path, JSON.stringify([{ role: 'user', content: 'My cat is called Pixel.' }]));
    expect(await memory.admin.importFile(path, { conversationId: 'chat' })).toMatchObject({
      added: 1,
      problems: [],
    });
    expect((await memory.recall('What is my cat called?')).hits[0]).toMatchObject({
      conversationId: 'chat',
      text: 'My cat is called Pixel.',
    });
  });

  it('accepts a fact of the caller’s own, which is recalled by words and by vector and has a version', async () => {
    const memory = await open();
    const unit = await memory.units.add({
      content: { kind: 'fact', payload: { subject: 'Mia', predicate: 'is allergic to', object: 'peanuts' } },
    });
    expect(unit).toMatchObject({
      kind: 'fact',
      state: 'validated',
      confidence: 1,
      occurredAt: NOW,
      version: 1,
    });
    await internals(memory).settle();
    expect((await memory.admin.info()).vectorModel).toMatchObject({ count: 1 });
    const { hits } = await memory.recall('What is Mia allergic to?');
    expect(hits[0]).toMatchObject({
      unitId: unit.id,
      kind: 'fact',
      text: 'Mia is allergic to peanuts',
      speaker: null,
    });
    expect((await memory.pack('Hello')).text).toContain('- Mia is allergic to peanuts');
    expect(await memory.units.versions(unit.id)).toMatchObject([{ version: 1, reason: 'remembered' }]);
    expect(await memory.units.get([unit.id])).toEqual([unit]);
  });

  it.each([
    { content: { kind: 'fact', payload: { subject: 'Mia', predicate: 'likes' } } },
    { content: { kind: 'episode', payload: {} } },
    { content: { kind: 'loop', payload: { text: '' } } },
    { confidence: 2, content: { kind: 'loop', payload: { text: 'x' } } },
    {},
  ])('rejects an invalid unit: %j', async (unit) => {
    const memory = await open();
    await expect(memory.units.add(unit as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await memory.admin.info()).jobs).toMatchObject({ queued: 0 });
  });

  it('accepts relations', async () => {
    const memory = await open();
    const [first, second] = [await memory.add(BRIDGE), await memory.add(turn('As I said.'))];
    await memory.units.link(second.unitId, first.unitId, 'quote');
    await expect(memory.units.link(second.unitId, 999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await memory.units.neighbours([first.unitId])).toEqual([
      {
        unitId: first.unitId,
        before: [],
        after: [second.unitId],
        linked: [{ unitId: second.unitId, relation: 'quote' }],
      },
    ]);
  });

  it('keeps everything after a rebuild from the turns', async () => {
    const memory = await open();
    await memory.add([BRIDGE, turn('And then we had soba.')]);
    await internals(memory).settle();
    const before = await memory.recall(QUESTION, { count: false });
    const progress: number[] = [];
    await memory.admin.rebuild('units', { onProgress: (done, total) => progress.push(done / total) });
    expect(progress.at(-1)).toBe(1);
    await internals(memory).settle();
    const after = await memory.recall(QUESTION, { count: false });
    expect(after.hits).toEqual(before.hits);
    expect(await memory.admin.verify()).toMatchObject({ problems: [] });
  });
});

describe('recall of an open memory', () => {
  it('counts an access for each hit unless switched off', async () => {
    const memory = await open();
    const { unitId } = await memory.add(BRIDGE);
    const accesses = async () => {
      await internals(memory).settle();
      return (await memory.units.get([unitId]))[0]?.accessCount;
    };
    await memory.recall(QUESTION, { count: false });
    expect(await accesses()).toBe(0);
    await memory.recall(QUESTION);
    await memory.recall(QUESTION);
    expect(await accesses()).toBe(2);
    await memory.pack(QUESTION);
    expect(await accesses()).toBe(3);
  });

  it('calls the given reranker', async () => {
    const rerank = vi.fn<Reranker['rerank']>(async (_query, documents) =>
      documents.map((text) => (text.includes('soba') ? 1 : 0)),
    );
    const memory = await open({ reranker: { id: 'soba', rerank } });
    await memory.add([BRIDGE, turn('Soba by the swaying bridge: soba.')]);
    const { hits, metadata } = await memory.recall(QUESTION);
    expect(metadata.reranker).toBe('used');
    expect(hits[0]?.text).toContain('soba');
    expect(rerank.mock.calls[0]?.[0]).toBe(QUESTION);
  });

  it('ranks the same in another process', async () => {
    const dataDir = temporaryFolder();
    const memory = await open({ dataDir, embedder: { provider: 'bundled' } });
    const things = ['kite', 'piano', 'bridge', 'garden', 'bicycle', 'river', 'oven', 'letter'];
    await memory.add(
      things.flatMap((thing) => [
        turn(`Tell me about the ${thing}.`),
        turn(`The old ${thing} moved in the wind.`),
      ]),
    );
    await internals(memory).settle();
    const options = { now: NOW, count: false, limit: 20 };
    const here = (await memory.recall('the old bridge in the wind', options)).hits.map(
      ({ unitId, score }) => [unitId, score],
    );
    await memory.close();
    const script = `
      const { openMemory } = await import(${JSON.stringify(new URL('engine.ts', import.meta.url).href)});
      const memory = await openMemory({ dataDir: ${JSON.stringify(dataDir)}, worker: false });
      const { hits } = await memory.recall('the old bridge in the wind', ${JSON.stringify(options)});
      console.log(JSON.stringify(hits.map(({ unitId, score }) => [unitId, score])));
      await memory.close();`;
    const there = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(here.length).toBeGreaterThan(5);
    expect(JSON.parse(there)).toEqual(here);
  });
});

describe('closing', () => {
  const uses: Record<string, (memory: Memory) => Promise<unknown>> = {
    ingestTurn: (memory) => memory.add(BRIDGE),
    ingestConversation: (memory) => memory.add([]),
    importFile: (memory) => memory.admin.importFile('chat.json'),
    linkEpisodes: (memory) => memory.units.link(1, 2),
    recall: (memory) => memory.recall(QUESTION),
    pack: (memory) => memory.pack(QUESTION),
    remember: (memory) => memory.units.add({ content: { kind: 'loop', payload: { text: 'Write' } } }),
    getUnits: (memory) => memory.units.get([1]),
    neighbours: (memory) => memory.units.neighbours([1]),
    listVersions: (memory) => memory.units.versions(1),
    readTurns: (memory) => memory.conversations.turns().next(),
    settle: (memory) => internals(memory).settle(),
    retryFailed: (memory) => memory.jobs.retry(),
    verify: (memory) => memory.admin.verify(),
    rebuild: (memory) => memory.admin.rebuild(),
    info: (memory) => memory.admin.info(),
  };

  it.each(Object.entries(uses))('makes %s fail with CLOSED', async (_name, use) => {
    const memory = await open();
    await memory.close();
    await expect(use(memory)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('may be done twice, one after the other or at once', async () => {
    const memory = await open({ worker: true });
    await memory.add(BRIDGE);
    await Promise.all([memory.close(), memory.close()]);
    await expect(memory.close()).resolves.toBeUndefined();
  });

  it('writes pending counts, finishes the running job, and leaves the others for the next opening', async () => {
    const dataDir = temporaryFolder();
    const memory = await open({ dataDir, worker: true });
    const appended = await memory.add(BRIDGE);
    await memory.recall(QUESTION);
    await memory.close();
    const again = await open({ dataDir });
    expect(await again.units.get([appended.unitId])).toMatchObject([{ accessCount: 1 }]);
    expect((await again.admin.info()).jobs.running).toBe(0);
    await internals(again).settle();
    expect((await again.admin.info()).vectorModel).toMatchObject({ count: 1 });
  });
});
