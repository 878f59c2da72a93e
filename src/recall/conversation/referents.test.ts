import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedder, type Embedder } from '../../llm/llm.ts';
import { DAY_MS, unitText, type Entity } from '../../model/model.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { findReferences } from '../../text/text.ts';
import { createRecall, type Recall } from '../recall.ts';
import { referredTypes } from './referents.ts';

describe('referredTypes', () => {
  const typesOf = (utterance: string) => referredTypes(utterance, findReferences(utterance, []));

  it.each([
    ['あの旅行、また行きたいな。', ['place']],
    ['那次旅行，真想再去一次啊。', ['place']],
    ["That trip… I'd love to go again.", ['place']],
    ['あのコンサート、最高だったよね', ['event']],
    ['那场演唱会太棒了', ['event']],
    ['I still think about that wedding.', ['event']],
    ['例のお店、予約できた？', ['organization', 'place']],
    ['那家餐厅还开着吗？', ['organization', 'place']],
    ['Is that restaurant still open?', ['organization', 'place']],
  ])('%s', (utterance, types) => {
    expect(typesOf(utterance)).toEqual(types);
  });

  it.each([
    '旅行の予約をしたいです。',
    '我想去旅行。',
    'I would like to book a trip.',
    'あの人は元気？',
    '那个人是谁？',
    'That was fun, and later in the year when it is warm we will hold a party.',
    'こんにちは',
  ])('returns nothing for: %s', (utterance) => {
    expect(typesOf(utterance)).toEqual([]);
  });
});

describe('“that trip”', () => {
  const NOW = Date.parse('2026-03-11T12:00:00Z');
  const ASKED = "That trip… I'd love to go again.";
  let store: Store;
  let embedder: Embedder;
  let recaller: Recall;

  beforeEach(async () => {
    store = openSqliteStore(':memory:', { memoryId: 'referents', timeZone: 'UTC', now: () => NOW });
    embedder = await openEmbedder({ provider: 'hashed' });
    recaller = createRecall({ store, embedder, now: () => NOW });
    for (let i = 0; i < 30; i++) await say(`The kettle number ${i} went up in price again.`);
  });
  afterEach(async () => {
    await recaller.settled();
    await store.close();
  });

  async function say(text: string, named?: { name: string; type: Entity['type'] }): Promise<number> {
    const [appended] = await store.evidence.append([
      {
        conversationId: text,
        turnIndex: 0,
        speaker: 'user',
        text,
        occurredAt: NOW - 100 * DAY_MS,
        meta: {},
        source: 'chat',
        sensitivity: 'normal',
        scope: 'global',
        imageSummary: null,
        jobKinds: [],
      },
    ]);
    if (!appended) throw new Error('nothing was kept');
    const { unitId } = appended;
    const [vector] = await embedder.embed((await store.units.get([unitId])).map(unitText), 'document');
    await store.indexes.vectors.upsert(embedder.id, [{ unitId, vector: vector as Float32Array }]);
    if (named)
      await store.units.applyDerivation({
        mark: { unitId, kind: 'extract_entities', fingerprint: text },
        changes: [],
        mentions: [{ ...named, entityId: null, aliases: [], surface: named.name, confidence: 0.6 }],
      });
    return unitId;
  }

  it('finds turns that mention a place, and gives the reason', async () => {
    await say('Anna burnt the toast.', { name: 'Anna', type: 'person' });
    const told = await say('The bridge in Nasu was swaying.', { name: 'Nasu', type: 'place' });
    const { hits, inject } = await recaller.recall(ASKED);
    expect(inject).toBe(true);
    expect(hits[0]).toMatchObject({ unitId: told, relevance: 'high' });
    expect(hits[0]?.why.sentence).toContain('what you mean');
    expect(hits.slice(1).every(({ relevance }) => relevance === 'low')).toBe(true);
  });

  it('finds nothing when no turn mentions a place', async () => {
    await say('Anna burnt the toast.', { name: 'Anna', type: 'person' });
    expect((await recaller.recall(ASKED)).inject).toBe(false);
  });

  it('ranks turns with the same words higher', async () => {
    await say('The bridge in Nasu was swaying.', { name: 'Nasu', type: 'place' });
    const best = 'That trip to the lighthouse, I would love to go there again with you.';
    const said = await say(best);
    const { hits } = await recaller.recall('That trip to the lighthouse, I would love to go again.');
    expect(hits[0]?.unitId).toBe(said);
  });

  it('finds no secret', async () => {
    const unitId = await say('The bridge in Nasu was swaying.', { name: 'Nasu', type: 'place' });
    await store.units.save([{ type: 'update', unitId, set: { sensitivity: 'secret' }, reason: 'test' }]);
    const { hits, inject } = await recaller.recall(ASKED);
    expect(inject).toBe(false);
    expect(hits.map((hit) => hit.unitId)).not.toContain(unitId);
  });
});
