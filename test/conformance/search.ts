import { describe, expect, test } from 'vitest';
import { DAY_MS, newUnitSchema } from '../../src/model/model.ts';
import { documentTerms, terms } from '../../src/text/text.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, draft, find, loop, openMemory, say, saveOne, START } from './samples.ts';

export function describeSearch(open: OpenStore): void {
  describe('text search', () => {
    test.each([
      ['ja', '那須塩原の吊り橋、すごく揺れたね。', '吊り橋'],
      ['zh', '我们上周去了颐和园划船。', '颐和园'],
      ['en', "We walked Melanie's dogs along the river.", 'dog walking'],
      ['full-width', 'ＡＢＣ株式会社で会議', 'abc'],
      ['a character outside the BMP', '𠮷野家で食べた', '𠮷野家'],
    ])('finds words in %s', async (_language, text, query) => {
      const { store } = await openMemory(open);
      const [unitId] = await say(store, text, '今日は暑い。', 'Nothing of the kind.', '没有关系');
      expect(await find(store, query)).toEqual([unitId]);
    });

    test('finds the speaker of an episode, and its date in words', async () => {
      const { store } = await openMemory(open);
      // 2024-04-30T20:00Z is 1 May in Tokyo, the memory's time zone.
      const [unitId] = await say(
        store,
        draft('hm', { speaker: 'Caroline', occurredAt: START - 4 * 3_600_000 }),
      );
      expect(await find(store, 'caroline')).toEqual([unitId]);
      expect(await find(store, 'may')).toEqual([unitId]);
      expect(await find(store, 'april')).toEqual([]);
    });

    test('ranks rare words above common ones, and more occurrences in a text above fewer', async () => {
      const { store } = await openMemory(open);
      const [common, rare, long] = await say(
        store,
        'tea cake',
        'tea violin',
        `violin ${'some quite different words follow here and go on '.repeat(5)}`,
        'tea bread',
        'tea milk',
      );
      expect(await find(store, 'tea violin', {}, 2)).toEqual([rare, long]);
      expect(await find(store, 'tea cake', {}, 1)).toEqual([common]);
      const scores = (await store.indexes.text.search(terms('tea violin'), {}, 10)).map((hit) => hit.score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score > 0)).toBe(true);
    });

    test('sorts ties by id, and respects the limit', async () => {
      const { store } = await openMemory(open);
      const ids = await say(store, ...Array.from({ length: 7 }, () => '同じ言葉'));
      expect(await find(store, '言葉')).toEqual(ids);
      expect(await find(store, '言葉', {}, 3)).toEqual(ids.slice(0, 3));
      expect(await find(store, '言葉', {}, 0)).toEqual([]);
    });

    test('finds nothing for no terms, for unknown terms, and for terms that look like query syntax', async () => {
      const { store } = await openMemory(open);
      await say(store, 'one AND two');
      expect(await store.indexes.text.search([], {}, 10)).toEqual([]);
      for (const term of [
        'xyz',
        '"',
        'a" OR "b',
        '*',
        'terms:',
        'NOT',
        "'; DROP TABLE unit; --",
        '%',
        '\0',
        '\ud800',
      ]) {
        expect(await store.indexes.text.search([term], {}, 10)).toEqual([]);
      }
    });
  });
}

export function describeTimes(open: OpenStore): void {
  describe('times that units mention', () => {
    test('are found by any overlap, newest first, together with the words that name them', async () => {
      const { store } = await openMemory(open);
      // START is Wednesday 1 May 2024, 9:00 in Tokyo.
      const [plan] = await say(store, 'The concert is on 20 May 2024.', 'no time in this');
      const { id } = await saveOne(
        store,
        add({ occurredAt: START + 1, content: loop('2024年5月20日に医者') }),
      );
      const tokyo = Date.UTC(2024, 4, 19, 15);
      const day = { from: tokyo, to: tokyo + DAY_MS };
      expect(await store.indexes.times.of([plan!, plan! + 1, id])).toEqual(
        new Map([
          [plan, [day]],
          [id, [day]],
        ]),
      );
      expect(await store.indexes.times.search(day, {}, 10)).toEqual([id, plan]);
      expect(await store.indexes.times.search({ from: day.to - 1, to: day.to + DAY_MS }, {}, 1)).toEqual([
        id,
      ]);
      expect(await store.indexes.times.search(day, { kinds: ['episode'] }, 10)).toEqual([plan]);
      expect(await store.indexes.times.search({ from: day.to, to: day.to + DAY_MS }, {}, 10)).toEqual([]);
      expect(await store.indexes.times.search({ from: day.from - DAY_MS, to: day.from }, {}, 10)).toEqual([]);
      const { content } = newUnitSchema.parse({ content: loop('医者') });
      await saveOne(store, { type: 'update', unitId: id, set: { content }, reason: 'r' });
      expect(await store.indexes.times.of([id])).toEqual(new Map());
      expect(await store.indexes.times.search(day, {}, 10)).toEqual([plan]);
    });
  });
}

export function describeStatistics(open: OpenStore): void {
  describe('statistics', () => {
    test('are zero for an empty memory', async () => {
      const { store } = await openMemory(open);
      expect(await store.indexes.text.statistics({ terms: ['a'], speakers: ['user'] })).toEqual({
        documents: 0,
        averageLength: 0,
        documentFrequency: new Map(),
        speakers: new Map(),
        everyone: { turns: 0, terms: 0, questions: 0 },
      });
    });

    test('count units, not occurrences, and count speakers without their names and dates', async () => {
      const { store } = await openMemory(open);
      await say(store, 'tea tea tea', 'tea cake?', draft('cake', { speaker: '美咲' }));
      await saveOne(store, add({ content: loop('tea') }));
      const about = { terms: ['tea', 'cake', 'tea', 'none'], speakers: ['user', '美咲', 'nobody'] };
      const units = await store.units.list({}, { limit: 9 });
      const lengths = units.map((unit) => documentTerms(unit, store.timeZone).terms.length);
      expect(await store.indexes.text.statistics(about)).toEqual({
        documents: 4,
        averageLength: lengths.reduce((sum, length) => sum + length, 0) / 4,
        documentFrequency: new Map([
          ['tea', 3],
          ['cake', 2],
        ]),
        speakers: new Map([
          ['user', { turns: 2, terms: 5, questions: 1 }],
          ['美咲', { turns: 1, terms: 1, questions: 0 }],
        ]),
        everyone: { turns: 3, terms: 6, questions: 1 },
      });
    });

    test('follow every change of a unit’s text', async () => {
      const { store } = await openMemory(open);
      const { id } = await saveOne(store, add({ content: loop('tea cake') }));
      const frequencies = async () =>
        Object.fromEntries(
          (await store.indexes.text.statistics({ terms: ['tea', 'cake', 'milk'], speakers: [] }))
            .documentFrequency,
        );
      expect(await frequencies()).toEqual({ tea: 1, cake: 1 });
      const { content } = newUnitSchema.parse({ content: loop('tea milk milk') });
      await saveOne(store, { type: 'update', unitId: id, set: { content }, reason: 'r' });
      expect(await frequencies()).toEqual({ tea: 1, milk: 1 });
      expect(await store.indexes.text.statistics({ terms: [], speakers: [] })).toMatchObject({
        documents: 1,
        averageLength: 3,
      });
      await saveOne(store, { type: 'update', unitId: id, set: { state: 'archived' }, reason: 'r' });
      expect(await frequencies()).toEqual({ tea: 1, milk: 1 });
    });
  });
}
