import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedder, type Embedder } from '../../llm/llm.ts';
import { DAY_MS, unitText, type Sensitivity } from '../../model/model.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { countTokens } from '../../text/text.ts';
import { createRecall, type AutoRecallOptions, type Recall } from '../recall.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
const TRIP_AT = NOW - 200 * DAY_MS;
const QUESTION = 'Which bridge was swaying in the wind?';

let store: Store;
let embedder: Embedder;
let recaller: Recall;

beforeEach(async () => {
  store = openSqliteStore(':memory:', { memoryId: 'bundle', timeZone: 'UTC', now: () => NOW });
  embedder = await openEmbedder({ provider: 'hashed' });
  recaller = createRecall({ store, embedder, now: () => NOW });
});
afterEach(async () => {
  await recaller.settled();
  await store.close();
});

const autoRecall = (options: AutoRecallOptions = {}, utterance = QUESTION) =>
  recaller.autoRecall(utterance, options);

interface Said {
  readonly text: string;
  readonly at?: number;
  readonly sensitivity?: Sensitivity;
}

let conversations = 0;
/** One conversation; returns the units of its turns. */
async function talk(...lines: readonly (string | Said)[]): Promise<number[]> {
  conversations += 1;
  const turns = lines.map((line, i) => {
    const said = typeof line === 'string' ? { text: line } : line;
    return {
      conversationId: `c${conversations}`,
      turnIndex: null,
      speaker: i % 2 === 0 ? 'user' : 'ai',
      text: said.text,
      occurredAt: said.at ?? TRIP_AT + i * 60_000,
      meta: {},
      source: 'chat',
      sensitivity: said.sensitivity ?? ('normal' as const),
      scope: 'global' as const,
      imageSummary: null,
      jobKinds: [],
    };
  });
  const ids = (await store.evidence.append(turns)).map(({ unitId }) => unitId);
  const units = await store.units.get(ids);
  const vectors = await embedder.embed(units.map(unitText), 'document');
  const entries = ids.map((unitId, i) => ({ unitId, vector: vectors[i] as Float32Array }));
  await store.indexes.vectors.upsert(embedder.id, entries);
  return ids;
}

async function gatherInTopic(title: string, unitIds: readonly number[], summary: string | null = null) {
  const [topicId] = await store.topics.assign(
    unitIds.map((unitId, i) => ({
      mark: { unitId, kind: 'assign_topic', fingerprint: title },
      topic: i === 0 ? { title, summary, source: 'test' } : { sameAs: 0 },
      vector: null,
    })),
  );
  return topicId as number;
}

const TRIP = [
  'The rope bridge at Nasu was swaying in the strong wind.',
  'You held my sleeve all the way across!',
  'Afterwards we had soba with mountain vegetables.',
  'And the ryokan had a bath under the stars.',
];

async function tellTrip(): Promise<{ topicId: number; unitIds: number[] }> {
  const unitIds = await talk(...TRIP);
  const topicId = await gatherInTopic('Trip to Nasu', unitIds, 'Two days in the mountains.');
  for (const text of ['I burnt the rice again.', 'Leo is learning the violin now.', 'The train was late.'])
    await gatherInTopic(text, await talk({ text, at: NOW - DAY_MS }));
  return { topicId, unitIds };
}

describe('a bundle', () => {
  it('quotes recalled turns, and their neighbours in the same topic', async () => {
    const { topicId, unitIds } = await tellTrip();
    const { highlights, topics, inject, metadata } = await autoRecall();
    expect(inject).toBe(true);
    expect(highlights[0]).toMatchObject({ quote: { text: TRIP[0] }, topicIds: [topicId], speaker: 'user' });
    expect(highlights.map(({ unitId }) => unitId)).toEqual(expect.arrayContaining(unitIds));
    expect(topics[0]).toEqual({
      id: topicId,
      title: 'Trip to Nasu',
      summary: 'Two days in the mountains.',
      strength: expect.any(Number) as number,
      highlights: 4,
      period: { from: '2025-08-23T12:00:00.000Z', to: '2025-08-23T12:03:00.000Z' },
    });
    expect(metadata.candidatesAfter).toBe(highlights.length);
    expect(Object.keys(metadata.breakdown)).toEqual(expect.arrayContaining(['topics', 'quotes']));
  });

  it('distinguishes recalled turns from added ones', async () => {
    await talk(
      ...['one', 'two', 'three', 'four', 'five', 'six'].map(
        (n) => `Another bridge swaying in the wind, number ${n}.`,
      ),
    );
    const { unitIds } = await tellTrip();
    const { highlights } = await autoRecall({ limit: 4 });
    expect(highlights).toHaveLength(4);
    const alongside = highlights.filter(({ score }) => score === null);
    expect(alongside.length).toBeGreaterThan(0);
    for (const { unitId } of alongside) expect(unitIds).toContain(unitId);
    for (const { score, why } of highlights)
      expect(why.contributions.some(({ feature }) => feature === 'surrounding')).toBe(score === null);
    expect(highlights[0]?.score).not.toBeNull();
  });

  it('points at the position of each quote in its turn', async () => {
    await tellTrip();
    const { highlights } = await autoRecall();
    const turns = await store.evidence.get(highlights.map(({ turnId }) => turnId));
    for (const [i, { quote, conversationId, turnIndex }] of highlights.entries()) {
      expect(turns[i]).toMatchObject({ conversationId, turnIndex });
      expect(turns[i]?.text.slice(quote.from, quote.to)).toBe(quote.text);
    }
  });

  it('contains only recalled turns when there are no topics', async () => {
    await talk(...TRIP);
    const { highlights, topics, why } = await autoRecall();
    expect(highlights[0]?.quote.text).toBe(TRIP[0]);
    expect(topics).toEqual([]);
    expect(why).toHaveLength(1);
  });

  it('is empty for an empty memory', async () => {
    expect(await autoRecall()).toMatchObject({ highlights: [], topics: [], why: [], inject: false });
  });

  it('is deterministic', async () => {
    await tellTrip();
    const told = async () => {
      const { highlights, topics, why } = await autoRecall({ count: false });
      return { highlights, topics, why };
    };
    expect(await told()).toEqual(await told());
  });

  it('keeps its token budget', async () => {
    await tellTrip();
    for (const budgetTokens of [0, 5, 12, 20, 40, 80, 1_000]) {
      const { highlights, topics, metadata } = await autoRecall({ budgetTokens });
      const words = [
        ...highlights.map(({ quote }) => quote.text),
        ...topics.map(({ title, summary }) => `${title}\n${summary ?? ''}`),
      ];
      expect(words.reduce((sum, text) => sum + countTokens(text), 0)).toBeLessThanOrEqual(budgetTokens);
      expect(metadata.totalTokens + metadata.budgetRemaining).toBe(budgetTokens);
    }
  });

  it('contains each statement once', async () => {
    const again = `${TRIP[0]} `;
    const unitIds = await talk(TRIP[0] as string, 'Oh!', again);
    await gatherInTopic('Trip to Nasu', unitIds);
    const { highlights } = await autoRecall();
    expect(highlights.filter(({ quote }) => quote.text === TRIP[0])).toHaveLength(1);
  });

  it('counts accesses of recalled turns, not of added ones', async () => {
    const { unitIds } = await tellTrip();
    const { highlights } = await autoRecall({ limit: 2 });
    await recaller.settled();
    for (const { unitId, score } of highlights) {
      const [unit] = await store.units.get([unitId]);
      expect(unit?.accessCount).toBe(score === null ? 0 : 1);
    }
    expect(highlights.some(({ unitId }) => unitIds.includes(unitId))).toBe(true);
  });
});

describe('added turns pass the same filters', () => {
  const words = async (options: AutoRecallOptions) =>
    (await autoRecall(options)).highlights.map(({ quote }) => quote.text);

  it('for secrets', async () => {
    const secret = { text: 'The code of the safe is in my diary.', sensitivity: 'secret' as const };
    await gatherInTopic('Trip', await talk(TRIP[0] as string, secret));
    expect(await words({})).not.toContain(secret.text);
    expect(await words({ maxSensitivity: 'secret' })).toContain(secret.text);
  });

  it('for turns in the prompt, later turns, and turns after asOf', async () => {
    const { unitIds } = await tellTrip();
    const [, second, third] = (await store.units.get(unitIds)).map((unit) =>
      unit.kind === 'episode' ? unit : null,
    );
    expect(await words({ exceptUnitIds: [unitIds[1] as number] })).not.toContain(TRIP[1]);
    expect(await words({ beforeTurnId: second?.payload.turnId ?? 0 })).toEqual([TRIP[0]]);
    const early = await words({ asOf: (third?.occurredAt ?? 0) - 1, now: NOW });
    expect(early).toContain(TRIP[1]);
    expect(early).not.toContain(TRIP[2]);
  });
});

describe('the reason', () => {
  it.each([
    [
      'en',
      TRIP[0] as string,
      QUESTION,
      'Trip to Nasu',
      /^“Trip to Nasu” \(2025-08-23\), 1 memory: .*words.*\.$/,
    ],
    [
      'ja',
      '那須の吊り橋、風でめちゃくちゃ揺れて怖かったよ。',
      'あの揺れる吊り橋の話、覚えてる？',
      '那須への旅行',
      /^「那須への旅行」（2025-08-23）1件。.*言葉.*。$/,
    ],
    [
      'zh',
      '那须的吊桥被风吹得晃得厉害，好可怕。',
      '还记得晃得厉害的吊桥吗？',
      '那须之旅',
      /^“那须之旅”（2025-08-23）1条。.*用词.*。$/,
    ],
  ])('is given in %s, by topic', async (_language, told, asked, title, sentence) => {
    await gatherInTopic(title, await talk(told));
    const { why } = await autoRecall({}, asked);
    expect(why).toEqual([expect.stringMatching(sentence)]);
  });

  it('mentions turns without a topic last', async () => {
    await tellTrip();
    await talk('That swaying bridge again: the wind was terrible.');
    const { why } = await autoRecall();
    expect(why[0]).toContain('Trip to Nasu');
    expect(why.at(-1)).toMatch(/^1 other memory: /);
  });
});

describe('invalid input', () => {
  it.each([
    ['EMPTY_TEXT', ' ', {}],
    ['INVALID_INPUT', 'x', { limit: 0 }],
    ['INVALID_INPUT', 'x', { kinds: ['fact'] }],
    ['INVALID_INPUT', 'x', { emotionMode: 'cheerful' }],
    ['INVALID_TIME', 'x', { now: 'soon' }],
  ])('%s: %j with %j', async (code, utterance, options) => {
    await expect(autoRecall(options as AutoRecallOptions, utterance)).rejects.toMatchObject({ code });
  });
});
