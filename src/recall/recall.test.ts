import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedder, type Embedder, type Reranker } from '../llm/llm.ts';
import {
  DAY_MS,
  newUnitSchema,
  unitText,
  type NewUnit,
  type Scope,
  type Sensitivity,
} from '../model/model.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { createRecall, PROFILE_NAMES, STRATEGIES, type Recall, type RecallOptions } from './recall.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
const QUESTION = 'Which bridge was swaying in the wind?';

let store: Store;
let embedder: Embedder;
let recaller: Recall;

beforeEach(async () => {
  store = openSqliteStore(':memory:', { memoryId: 'recall', timeZone: 'UTC', now: () => NOW });
  embedder = await openEmbedder({ provider: 'hashed' });
  recaller = createRecall({ store, embedder, now: () => NOW });
});
afterEach(async () => {
  await recaller.settled();
  await store.close();
});

const recall = (options: RecallOptions = {}, utterance = QUESTION) => recaller.recall(utterance, options);
const found = async (options: RecallOptions = {}, utterance = QUESTION) =>
  (await recall({ limit: 100, budgetTokens: 100_000, ...options }, utterance)).hits.map((hit) => hit.text);

interface Said {
  readonly conversationId?: string;
  readonly turnIndex?: number;
  readonly at?: number;
  readonly sensitivity?: Sensitivity;
  readonly scope?: Scope;
}

let told = 0;
async function say(text: string, said: Said = {}): Promise<{ unitId: number; turnId: number }> {
  const [appended] = await store.evidence.append([
    {
      conversationId: said.conversationId ?? `c${(told += 1)}`,
      turnIndex: said.turnIndex ?? null,
      speaker: 'user',
      text,
      occurredAt: said.at ?? NOW - 10 * DAY_MS,
      meta: {},
      source: 'chat',
      sensitivity: said.sensitivity ?? 'normal',
      scope: said.scope ?? 'global',
      imageSummary: null,
      jobKinds: [],
    },
  ]);
  if (!appended) throw new Error('nothing was kept');
  await embedUnits([appended.unitId]);
  return appended;
}

async function keep(content: NewUnit['content'], rest: Omit<NewUnit, 'content'> = {}): Promise<number> {
  const unit = newUnitSchema.parse({ occurredAt: NOW - 10 * DAY_MS, ...rest, content });
  const [saved] = await store.units.save([{ type: 'add', unit, reason: 'test' }]);
  if (!saved) throw new Error('nothing was kept');
  await embedUnits([saved.id]);
  return saved.id;
}

async function embedUnits(ids: readonly number[]): Promise<void> {
  const units = await store.units.get(ids);
  const vectors = await embedder.embed(units.map(unitText), 'document');
  await store.indexes.vectors.upsert(
    embedder.id,
    units.map((unit, i) => ({ unitId: unit.id, vector: vectors[i] as Float32Array })),
  );
}

/** Nine memories, one of which answers the question. */
async function tellAll(): Promise<void> {
  await say('The rope bridge at Nasu was swaying in the strong wind.', { at: NOW - 30 * DAY_MS });
  for (const text of [
    'I burnt the rice again this evening.',
    'Leo is learning the violin now.',
    'My landlord wants to repaint the hall.',
    'We should plant tomatoes on the balcony.',
    'The night train was two hours late.',
  ])
    await say(text);
  await keep({ kind: 'fact', payload: { subject: 'Leo', predicate: 'is allergic to', object: 'cats' } });
  await keep({ kind: 'loop', payload: { text: 'Return the library books' } });
  await keep({
    kind: 'summary',
    payload: { scope: 'weekly', scopeKey: '2026-W09', text: 'A week of rain.' },
  });
}

describe('of the lines before an utterance', () => {
  const embedded: string[] = [];
  const ends = async (utterance: string, texts: readonly string[]) => {
    await say('The bridge was swaying in the wind.');
    embedded.length = 0;
    const embed: Embedder['embed'] = (given, ...rest) => {
      embedded.push(...given);
      return embedder.embed(given, ...rest);
    };
    recaller = createRecall({ store, embedder: { ...embedder, embed }, now: () => NOW });
    await recall({ context: texts.map((text) => ({ speaker: 'ai', text })) }, utterance);
    return embedded.filter((text) => text !== utterance);
  };

  it('none is embedded when the utterance does not refer to them', async () => {
    expect(await ends(QUESTION, ['The river was high.'])).toEqual([]);
  });

  it('the last three are embedded when the utterance refers to them', async () => {
    expect(await ends('Who told you about that?', ['One.', 'Two.', 'Three.', 'Four.'])).toEqual([
      'Two.',
      'Three.',
      'Four.',
    ]);
  });

  it('only the end is embedded, sixty Latin letters or twenty Chinese or Japanese characters', async () => {
    const english = `${'A long introduction. '.repeat(20)}The bridge over the river was swaying in the wind.`;
    const japanese = `${'長い前置き。'.repeat(20)}川にかかる橋が風に揺れていたのを見ました。`;
    expect(await ends('Who told you about that?', [english, japanese])).toEqual([
      'The bridge over the river was swaying in the wind.',
      'にかかる橋が風に揺れていたのを見ました。',
    ]);
  });
});

describe('a fact', () => {
  beforeEach(async () => {
    embedder = await openEmbedder({ provider: 'bundled' });
    recaller = createRecall({ store, embedder, now: () => NOW });
  });

  it.each(['What is my job?', '私の仕事って何？', '我是做什么工作的？'])(
    'is found by a question: %s',
    async (question) => {
      await tellAll();
      await keep({ kind: 'fact', payload: { subject: 'user', predicate: 'works as', object: 'nurse' } });
      const { hits } = await recall({}, question);
      expect(hits[0]?.text).toBe('user works as nurse');
    },
  );
});

describe('every profile', () => {
  beforeEach(tellAll);

  const ways = PROFILE_NAMES.flatMap((profile) =>
    [undefined, ...STRATEGIES].map((strategy) => [profile, strategy ?? 'its own'] as const),
  );

  it.each(ways)(
    '%s with %s strategy ranks the answer first, with reasons and measures',
    async (profile, name) => {
      const strategy = STRATEGIES.find((each) => each === name);
      const { hits, metadata, trace } = await recall({
        profile,
        ...(strategy && { strategy }),
        explain: true,
      });
      expect(hits[0]?.text).toContain('rope bridge');
      expect(metadata).toMatchObject({ profile, vectors: 'used', reranker: 'off', direct: null });
      expect(metadata.strategyUsed).toBe(strategy ?? metadata.strategyUsed);
      expect(metadata.candidatesAfter).toBe(hits.length);
      expect(metadata.candidatesBefore).toBeGreaterThanOrEqual(hits.length);
      for (const hit of hits) {
        const sum = hit.why.contributions.reduce((total, each) => total + each.contribution, 0);
        // Time decay is applied to the sum of the weighted profile.
        expect(hit.score).toBeCloseTo(profile === 'weighted' ? Math.min(hit.score, sum) : sum, 8);
        expect(hit.why.sentence).not.toBe('');
      }
      expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a));
      expect(trace?.candidates.slice(0, 1).map(({ unitId }) => unitId)).toEqual([hits[0]?.unitId]);
      expect(trace?.searches.length).toBeGreaterThan(0);
    },
  );

  it('gives the same ranking each time, whatever was recalled before', async () => {
    for (const profile of PROFILE_NAMES) {
      const ranked = async () =>
        (await recall({ profile, count: false })).hits.map(({ unitId, score }) => [unitId, score]);
      const first = await ranked();
      await recall({ profile, count: false }, 'Where are the tomatoes?');
      expect(await ranked()).toEqual(first);
    }
  });

  it('returns a trace only on request', async () => {
    expect((await recall()).trace).toBeUndefined();
  });
});

describe('the filters', () => {
  const BRIDGE = 'The bridge was swaying in the wind';
  const lastWords = async (options: RecallOptions) =>
    (await found(options)).map((text) => text.split(' ').at(-1) ?? '').sort();

  it('maxAgeDays: only turns of so many days, or after from if that is later', async () => {
    await say(`${BRIDGE}, an old story.`, { at: NOW - 40 * DAY_MS });
    await say(`${BRIDGE}, as I said on Monday.`, { at: NOW - 20 * DAY_MS });
    await say(`${BRIDGE} again yesterday.`, { at: NOW - DAY_MS });
    expect(await lastWords({ maxAgeDays: 30 })).toEqual(['Monday.', 'yesterday.']);
    expect(await lastWords({ maxAgeDays: 30, from: '2026-03-01' })).toEqual(['yesterday.']);
    expect(await lastWords({ maxAgeDays: 30, now: '2026-02-20' })).toEqual([
      'Monday.',
      'story.',
      'yesterday.',
    ]);
    await expect(recall({ maxAgeDays: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('similarityThreshold: applies to results of the vector search, not to those of words', async () => {
    await say(`${BRIDGE}.`);
    await say('Windy bridges sway.');
    const searched = async (similarityThreshold: number, profile: string) => {
      const { trace } = await recall({ similarityThreshold, profile, explain: true });
      return trace?.searches.filter(({ search }) => search === 'vector').flatMap(({ unitIds }) => unitIds)
        .length;
    };
    for (const profile of ['conversation', 'fast']) {
      expect(await searched(-1, profile)).toBe(2);
      expect(await searched(0.999, profile)).toBe(0);
    }
    expect(await lastWords({ similarityThreshold: 0.999 })).toContain('wind.');
  });

  it('thresholds: set the limits for high and medium hits and for injecting', async () => {
    await say(`${BRIDGE}.`);
    const labels = async (thresholds: RecallOptions['thresholds'], profile = 'conversation') =>
      (await recall({ thresholds, profile })).hits.map(({ relevance }) => relevance);
    expect(await labels({ high: 0, answerable: 0.001 })).toEqual(['high']);
    expect(await labels({ high: 1.1, medium: 0, answerable: 0.001 })).toEqual(['medium']);
    expect(await labels({ high: 1.1, medium: 1.1 })).toEqual(['low']);
    expect(await labels({ high: 0, answerable: 0.9999999 })).toEqual(['low']);
    expect(await labels({ high: 9, medium: 0 }, 'fast')).toEqual(['medium']);
  });

  it('options that are not given have the defaults of the memory', async () => {
    await say(`${BRIDGE}, an old story.`, { at: NOW - 40 * DAY_MS });
    await say(`${BRIDGE}, new.`, { at: NOW - DAY_MS });
    const defaults = { maxAgeDays: 30, profile: 'fast', thresholds: { high: 9, medium: 0 } };
    const own = createRecall({ store, embedder, now: () => NOW, defaults: () => defaults });
    const { hits, metadata } = await own.recall(QUESTION);
    expect(metadata.profile).toBe('fast');
    expect(hits.map(({ relevance }) => relevance)).toEqual(['medium']);
    const other = await own.recall(QUESTION, { maxAgeDays: 100, thresholds: { medium: 8 } });
    expect(other.hits.map(({ relevance }) => relevance)).toEqual(['low', 'low']);
    await own.settled();
  });

  it('kinds: only these, and the capsule only on request', async () => {
    await say(`${BRIDGE}, I said.`);
    await keep({ kind: 'fact', payload: { subject: 'The Nasu bridge', predicate: 'is', object: 'swaying' } });
    await keep({ kind: 'capsule', payload: { text: `Thinking of how ${BRIDGE}.` } });
    const kinds = async (options: RecallOptions) =>
      (await recall(options)).hits.map((hit) => hit.kind).sort((a, b) => a.localeCompare(b));
    expect(await kinds({})).toEqual(['episode', 'fact']);
    expect(await kinds({ kinds: ['fact'] })).toEqual(['fact']);
    expect(await kinds({ kinds: ['capsule', 'episode'] })).toEqual(['capsule', 'episode']);
  });

  it('sensitivity: up to private by default, secrets only on request', async () => {
    await say(`${BRIDGE}, as anyone could see.`, { sensitivity: 'normal' });
    await say(`${BRIDGE}, but let us keep it to ourselves.`, { sensitivity: 'private' });
    await say(`${BRIDGE}, and I never told a soul.`, { sensitivity: 'secret' });
    expect(await lastWords({})).toEqual(['ourselves.', 'see.']);
    expect(await lastWords({ maxSensitivity: 'normal' })).toEqual(['see.']);
    expect(await lastWords({ maxSensitivity: 'secret' })).toEqual(['ourselves.', 'see.', 'soul.']);
  });

  it('sensitivity applies to neighbours of hits', async () => {
    await say(`${BRIDGE}.`, { conversationId: 'c' });
    await say('Do not tell anyone about my plan.', { conversationId: 'c', sensitivity: 'secret' });
    expect(await found()).toEqual([`${BRIDGE}.`]);
  });

  it('from is included, to is not', async () => {
    await say(`${BRIDGE}, and Leo laughed.`, { at: Date.parse('2026-02-01T00:00Z') });
    await say(`${BRIDGE} when we came back for the umbrella.`, { at: Date.parse('2026-02-02T00:00Z') });
    await say(`${BRIDGE} in the photograph too.`, { at: Date.parse('2026-02-03T00:00Z') });
    expect(await lastWords({ from: '2026-02-02' })).toEqual(['too.', 'umbrella.']);
    expect(await lastWords({ to: '2026-02-02' })).toEqual(['laughed.']);
    expect(await lastWords({ from: '2026-02-02', to: new Date('2026-02-03') })).toEqual(['umbrella.']);
  });

  it('asOf: later turns are not recalled, units archived since are', async () => {
    const old = await keep(
      { kind: 'loop', payload: { text: `Write down how ${BRIDGE}` } },
      { occurredAt: NOW - 100 * DAY_MS },
    );
    await say(`${BRIDGE} yesterday.`, { at: NOW - DAY_MS });
    const asOf = NOW - 50 * DAY_MS;
    expect(await found({ asOf })).toEqual([`Write down how ${BRIDGE}`]);
    await store.units.save([{ type: 'update', unitId: old, set: { state: 'archived' }, reason: 'done' }]);
    expect(await found()).toEqual([`${BRIDGE} yesterday.`]);
    expect(await found({ asOf })).toEqual([`Write down how ${BRIDGE}`]);
  });

  it('expiry: is relative to the time of the query', async () => {
    await keep({ kind: 'loop', payload: { text: `Remember how ${BRIDGE}` } }, { expiresAt: NOW });
    expect(await found()).toEqual([]);
    expect(await found({ now: NOW - 1 })).toHaveLength(1);
  });

  it('scope and conversation apply', async () => {
    await say(`${BRIDGE} at home.`, { conversationId: 'home' });
    await say(`${BRIDGE} at work.`, { conversationId: 'work', scope: 'project' });
    expect(await found({ scope: 'project' })).toEqual([`${BRIDGE} at work.`]);
    expect(await found({ scope: 'global' })).toEqual([`${BRIDGE} at home.`]);
    expect(await found({ conversationId: 'work' })).toEqual([`${BRIDGE} at work.`]);
    expect(await found({ conversationId: 'nowhere' })).toEqual([]);
  });

  it('beforeTurnId: only turns that were stored before', async () => {
    await say(`${BRIDGE} once.`);
    const { turnId } = await say(`${BRIDGE} twice.`);
    expect(await found({ beforeTurnId: turnId })).toEqual([`${BRIDGE} once.`]);
  });

  it.each(PROFILE_NAMES)('apply to every profile and strategy: %s', async (profile) => {
    await say(`${BRIDGE} for all.`);
    await say(`${BRIDGE} for me.`, { sensitivity: 'secret' });
    await say(`${BRIDGE} one day.`, { at: NOW + DAY_MS });
    for (const strategy of STRATEGIES)
      expect(await found({ profile, strategy, to: NOW })).toEqual([`${BRIDGE} for all.`]);
  });

  it('limit and budget: shorter hits replace one that is too long', async () => {
    await say(`${BRIDGE}. ${'It went on and on and on, up and down. '.repeat(20)}`);
    await say(`${BRIDGE} a little.`);
    await say(`${BRIDGE} even more, I think.`);
    expect(await found({ limit: 1 })).toHaveLength(1);
    const { hits, metadata } = await recall({ budgetTokens: 40 });
    expect(hits).toHaveLength(2);
    expect(metadata.totalTokens).toBe(hits.reduce((sum, hit) => sum + hit.tokens, 0));
    expect(metadata.totalTokens + metadata.budgetRemaining).toBe(40);
    expect((await recall({ budgetTokens: 0 })).hits).toEqual([]);
  });
});

describe('a repeated turn', () => {
  it('is recalled once', async () => {
    const first = await say('The rope bridge at Nasu was swaying in the strong wind.');
    const second = await say('The rope bridge at Nasu was swaying in the strong wind!');
    const { hits, trace } = await recall({ explain: true });
    const [kept, other] = hits[0]?.unitId === first.unitId ? [first, second] : [second, first];
    expect(hits.map((hit) => hit.unitId)).toEqual([kept.unitId]);
    expect(trace?.duplicates).toMatchObject([{ unitId: other.unitId, of: kept.unitId }]);
  });
});

describe('the reranker', () => {
  beforeEach(tellAll);
  const withReranker = (rerank: Reranker['rerank']) => {
    recaller = createRecall({ store, embedder, reranker: { id: 'test', rerank }, now: () => NOW });
  };
  /** Ranks the violin first. */
  const violinist: Reranker['rerank'] = async (_query, documents) =>
    documents.map((text) => (text.includes('violin') ? 1 : 0));

  it('determines the order of hits', async () => {
    const { hits: before } = await recall({ profile: 'fast', count: false });
    withReranker(violinist);
    const { hits, metadata } = await recall({ profile: 'fast', count: false });
    expect(metadata.reranker).toBe('used');
    const violin = before.find((hit) => hit.text.includes('violin'));
    expect(before[0]).not.toEqual(violin);
    // Hits with equal scores keep their order.
    expect(hits).toEqual([violin, ...before.filter((hit) => hit !== violin)]);
  });

  it.each([
    ['fails', async () => Promise.reject(new Error('down'))],
    [
      'fails at once',
      () => {
        throw new Error('down');
      },
    ],
    ['returns too few scores', async () => [1]],
    [
      'returns too many scores',
      async (_query: string, documents: readonly string[]) => [...documents.map(() => 1), 2],
    ],
    [
      'returns no numbers',
      async (_query: string, documents: readonly string[]) => documents.map(() => Number.NaN),
    ],
    ['never answers', async () => new Promise<number[]>(() => {})],
  ])('changes nothing when it %s', async (_what, rerank) => {
    const before = (await recall({ profile: 'fast', count: false })).hits.map((hit) => hit.unitId);
    withReranker(rerank);
    const { hits, metadata } = await recall({ profile: 'fast', count: false });
    expect(metadata.reranker).toBe('failed');
    expect(hits.map((hit) => hit.unitId)).toEqual(before);
  });

  it('does not change the result of a direct path', async () => {
    for (const [hour, text] of ['Early.', 'Late with the violin.', 'Latest.'].entries())
      await say(text, { at: NOW - DAY_MS + hour * 3_600_000 });
    withReranker(violinist);
    const { hits, metadata } = await recall({}, 'What did we talk about yesterday?');
    expect(hits.map((hit) => hit.text)).toEqual(['Latest.', 'Late with the violin.', 'Early.']);
    expect(metadata.reranker).toBe('off');
  });
});

describe('invalid input', () => {
  it.each([
    ['EMPTY_TEXT', '', {}],
    ['EMPTY_TEXT', ' \n', {}],
    ['EMPTY_TEXT', 7, {}],
    ['INVALID_TIME', 'x', { now: 'soon' }],
    ['INVALID_TIME', 'x', { from: '2026-02-30' }],
    ['INVALID_INPUT', 'x', { limit: 0 }],
    ['INVALID_INPUT', 'x', { budgetTokens: -1 }],
    ['INVALID_INPUT', 'x', { profile: 'best' }],
    ['INVALID_INPUT', 'x', { strategy: 'magic' }],
    ['INVALID_INPUT', 'x', { kinds: [] }],
    ['INVALID_INPUT', 'x', { unknown: true }],
  ])('%s: %j with %j', async (code, utterance, options) => {
    await expect(recall(options as RecallOptions, utterance as string)).rejects.toMatchObject({ code });
  });

  it.each([
    'half \ud83d',
    '\0',
    '🎉🎉',
    '。。。',
    '" OR 1=1 --',
    '*',
    'NEAR(a b)',
    'x'.repeat(100_000),
    '猫'.repeat(50_000),
  ])('does not include unusual text (%#)', async (utterance) => {
    await tellAll();
    const { hits } = await recall(
      { context: [{ speaker: 'user', text: utterance }] },
      `${utterance} rope bridge swaying`,
    );
    expect(hits.length).toBeGreaterThan(0);
  });

  it('does not include a query of an empty memory', async () => {
    expect(await recall()).toMatchObject({ hits: [], inject: false, metadata: { vectors: 'none_yet' } });
  });
});

describe('counting accesses', () => {
  it('happens after the result, once for each hit, unless switched off', async () => {
    const { unitId } = await say('The rope bridge was swaying.');
    const counted = async () => {
      await recaller.settled();
      const [unit] = await store.units.get([unitId]);
      return [unit?.accessCount, unit?.lastAccessedAt];
    };
    await recall({ count: false });
    expect(await counted()).toEqual([0, null]);
    await Promise.all([recall(), recall(), recall({ now: NOW + 5 })]);
    expect(await counted()).toEqual([3, NOW + 5]);
    await recall({}, 'Tomatoes on the balcony?');
    expect((await counted())[0]).toBeGreaterThanOrEqual(3);
  });

  it('does not affect the result when it fails', async () => {
    const { unitId } = await say('The rope bridge was swaying.');
    const { hits } = await recall();
    await store.close();
    await expect(recaller.settled()).resolves.toBeUndefined();
    expect(hits.map((hit) => hit.unitId)).toEqual([unitId]);
  });
});
