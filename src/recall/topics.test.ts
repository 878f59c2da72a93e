import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedder, type Embedder } from '../llm/llm.ts';
import { DAY_MS, unitText, type Emotion, type Sensitivity } from '../model/model.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { parseProfile } from './profileFile.ts';
import { createRecall, type Recall, type RecallOptions } from './recall.ts';
import { countTopics, expandByTopic, topicStrengths } from './topics.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
const QUESTION = 'Which bridge was swaying in the wind?';

let store: Store;
let embedder: Embedder;
let recaller: Recall;

beforeEach(async () => {
  store = openSqliteStore(':memory:', { memoryId: 'topics', timeZone: 'UTC', now: () => NOW });
  embedder = await openEmbedder({ provider: 'hashed' });
  recaller = createRecall({
    store,
    embedder,
    now: () => NOW,
    profiles: [parseProfile({ name: 'moody', base: 'conversation', weights: { emotion: 5 } })],
  });
});
afterEach(async () => {
  await recaller.settled();
  await store.close();
});

interface Said {
  readonly text: string;
  readonly sensitivity?: Sensitivity;
  readonly emotion?: Emotion['values'];
}

let conversations = 0;
async function talk(...lines: readonly (string | Said)[]): Promise<number[]> {
  conversations += 1;
  const said = lines.map((line): Said => (typeof line === 'string' ? { text: line } : line));
  const appended = await store.evidence.append(
    said.map(({ text, sensitivity = 'normal' }, i) => ({
      conversationId: `c${conversations}`,
      turnIndex: null,
      speaker: i % 2 === 0 ? 'user' : 'ai',
      text,
      occurredAt: NOW - 10 * DAY_MS + i * 60_000,
      meta: {},
      source: 'chat',
      sensitivity,
      scope: 'global' as const,
      imageSummary: null,
      jobKinds: [],
    })),
  );
  const ids = appended.map(({ unitId }) => unitId);
  const units = await store.units.get(ids);
  const vectors = await embedder.embed(units.map(unitText), 'document');
  const entries = ids.map((unitId, i) => ({ unitId, vector: vectors[i] as Float32Array }));
  await store.indexes.vectors.upsert(embedder.id, entries);
  for (const [i, { emotion }] of said.entries()) {
    if (!emotion) continue;
    const set = { emotion: { values: emotion, confidence: 1 } };
    await store.units.save([{ type: 'update', unitId: ids[i] as number, set, reason: 'test' }]);
  }
  return ids;
}

async function gatherInTopic(title: string, unitIds: readonly number[]): Promise<number> {
  const [topicId] = await store.topics.assign(
    unitIds.map((unitId, i) => ({
      mark: { unitId, kind: 'assign_topic', fingerprint: title },
      topic: i === 0 ? { title, summary: null, source: 'test' } : { sameAs: 0 },
      vector: null,
    })),
  );
  return topicId as number;
}

describe('countTopics', () => {
  const topicsOf = new Map([
    [1, [7]],
    [2, [8]],
    [3, [8, 9]],
  ]);
  const weighted = (unitIds: readonly number[], weight = 1) => unitIds.map((unitId) => ({ unitId, weight }));

  it('gives better results more weight', () => {
    expect(countTopics(weighted([1, 2, 3]), topicsOf)).toEqual([7, 8, 9]);
    expect(countTopics(weighted([2, 1, 3]), topicsOf)).toEqual([8, 7, 9]);
  });

  it('lets several results outweigh a better one', () => {
    const results = [{ unitId: 1, weight: 0.3 }, ...weighted([2, 3])];
    expect(countTopics(results, topicsOf)).toEqual([8, 9, 7]);
  });

  it('returns nothing without topics', () => {
    expect(countTopics(weighted([4, 5]), topicsOf)).toEqual([]);
  });
});

describe('expandByTopic', () => {
  it('adds the neighbours in the topic that pass the filters', async () => {
    const [found, near, other, secret, far] = await talk(
      'The bridge was swaying.',
      'You held my sleeve.',
      { text: 'Rain tomorrow.' },
      { text: 'The code is 1234.', sensitivity: 'secret' },
      'We had soba.',
    );
    await gatherInTopic('Trip', [found, near, secret, far] as number[]);
    await gatherInTopic('Weather', [other as number]);
    const expanded = await expandByTopic(store, [found as number], {});
    expect(expanded).toEqual([near]);
  });

  it('adds nothing that was found already, and nothing without topics', async () => {
    const ids = await talk('The bridge was swaying.', 'You held my sleeve.');
    expect(await expandByTopic(store, ids.slice(0, 1), {})).toEqual([]);
    await gatherInTopic('Trip', ids);
    expect(await expandByTopic(store, ids, {})).toEqual([]);
  });
});

it('the strength of a unit is that of its topic', async () => {
  const [a, b, c] = (await talk('One.', 'Two.', 'Three.')) as [number, number, number];
  const weak = await gatherInTopic('Weak', [a]);
  const strong = await gatherInTopic('Strong', [b]);
  await store.topics.update(weak, { strength: 0.2 });
  await store.topics.update(strong, { strength: 0.9 });
  expect(await topicStrengths(store, [a, b, c])).toEqual(
    new Map([
      [a, 0.2],
      [b, 0.9],
    ]),
  );
});

describe('the associative profile', () => {
  const recall = (options: RecallOptions = {}) =>
    recaller.recall(QUESTION, { profile: 'associative', ...options });

  it('weights the strength of a topic', async () => {
    const [first] = (await talk('The bridge was swaying.')) as [number];
    const [second] = (await talk('That bridge was swaying?')) as [number];
    for (const [strong, weak] of [
      [first, second],
      [second, first],
    ] as const) {
      await store.topics.update(await gatherInTopic(`strong ${strong}`, [strong]), { strength: 1 });
      await store.topics.update(await gatherInTopic(`weak ${weak}`, [weak]), { strength: 0 });
      const { hits } = await recall();
      expect(hits[0]?.unitId).toBe(strong);
      expect(hits[0]?.why.contributions).toContainEqual(
        expect.objectContaining({ feature: 'topicStrength', value: 1, contribution: 0.2 }),
      );
      expect(hits[0]?.why.sentence).toContain('important topic');
    }
  });

  it('finds, through its topic, what no search finds', async () => {
    const ids = await talk('The bridge was swaying.', 'うん、すごかったね！');
    const texts = async () => (await recall({ strategy: 'keyword_boost' })).hits.map(({ text }) => text);
    const recallByWords = createRecall({ store, embedder: null, now: () => NOW });
    const byWords = async () =>
      (await recallByWords.recall(QUESTION, { profile: 'associative' })).hits.map(({ text }) => text);
    expect(await byWords()).not.toContain('うん、すごかったね！');
    await gatherInTopic('Trip', ids);
    expect(await byWords()).toContain('うん、すごかったね！');
    expect(await texts()).toContain('うん、すごかったね！');
    await recallByWords.settled();
  });
});

describe('mood', () => {
  const memories = [
    { text: 'The bridge was swaying and I cried.', emotion: { sadness: 0.9 } },
    { text: 'The bridge was swaying and we laughed.', emotion: { joy: 0.9 } },
    { text: 'The bridge was swaying and you calmed me.', emotion: { peace: 0.6, trust: 0.6 } },
  ];
  const SAD = { values: { sadness: 0.8 }, confidence: 1 };

  beforeEach(async () => {
    for (const memory of memories) await talk(memory);
  });

  describe.each(['associative', 'moody'])('in the profile %s', (profile) => {
    const recall = async (options: RecallOptions) =>
      (await recaller.recall(QUESTION, { profile, ...options })).hits;

    it('congruent: ranks the same emotion first, and gives the reason', async () => {
      const [hit] = await recall({ emotion: SAD });
      expect(hit?.text).toContain('cried');
      expect(hit?.why.sentence).toContain('same feeling');
    });

    it('supportive: ranks comforting turns first in distress, and gives the reason', async () => {
      const hits = await recall({ emotion: SAD, emotionMode: 'supportive' });
      expect(hits.at(-1)?.text).toContain('cried');
      expect(hits[0]?.why.sentence).toContain('comforting');
    });

    it('none: has no effect', async () => {
      const options = { emotionMode: 'none' } as const;
      expect(await recall({ ...options, emotion: SAD })).toEqual(await recall(options));
    });

    it('is read from the utterance when none is given', async () => {
      const moodOf = async (utterance: string) =>
        (await recaller.recall(utterance, { profile })).hits.find(({ text }) => text.includes('laughed'))?.why
          .contributions;
      const value = (await moodOf('I am so happy! The bridge was swaying!'))?.find(
        ({ feature }) => feature === 'emotion',
      )?.value;
      expect(value).toBeGreaterThan(0.5);
    });
  });

  it('counts in the default profile too, among matching turns', async () => {
    const { hits } = await recaller.recall(QUESTION, { emotion: SAD });
    const valueOf = (text: string) =>
      hits
        .find((hit) => hit.text.includes(text))
        ?.why.contributions.find(({ feature }) => feature === 'emotion')?.value;
    expect(valueOf('cried')).toBeCloseTo(1, 12);
    expect(valueOf('laughed')).toBe(0);
  });
});
