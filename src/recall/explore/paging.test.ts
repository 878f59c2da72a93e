import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExploreRig, idsOf, itemsOf } from '../../../test/explore/rig.ts';
import type { Exploration, ExploreOptions, ExploreQuery } from './explore.ts';
import { readCursor, writeCursor } from './cursor.ts';

/** All pages of an answer. @param between is called before each further page */
async function pagesOf(
  rig: ExploreRig,
  query: ExploreQuery,
  options: ExploreOptions,
  between: () => Promise<unknown> = async () => {},
): Promise<Exploration[]> {
  const pages = [await rig.explore(query, options)];
  for (let cursor = pages[0]!.nextCursor; cursor !== null;) {
    await between();
    const page = await rig.explore(query, { ...options, cursor });
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

const topicIdsOf = (answer: Exploration) =>
  answer.view === 'topic' ? answer.topics.map(({ id }) => id) : [];

describe('pages', () => {
  const rigOf = async () => {
    const rig = new ExploreRig();
    for (let topic = 0; topic < 6; topic++) {
      const said = Array.from({ length: 5 }, (_, i) => `tea ${'very '.repeat(i)}hot in the garden ${topic}`);
      await rig.topic(`garden ${topic}`, await rig.say(...said));
    }
    return rig;
  };
  const QUESTIONS: readonly [what: string, query: ExploreQuery, options: ExploreOptions][] = [
    ['quotes by words', { text: 'hot tea in the garden' }, { view: 'quote' }],
    ['quotes by keywords', { keywords: 'tea hot' }, { view: 'quote' }],
    ['quotes of a time', { period: 'January' }, { view: 'quote' }],
    ['a timeline of words', { text: 'hot tea in the garden' }, { view: 'timeline' }],
    ['a timeline of a time', { from: '2026-01-01' }, {}],
    ['topics by words', { text: 'hot tea in the garden' }, { view: 'topic' }],
    ['topics of a time', { from: '2026-01-01' }, { view: 'topic' }],
  ];

  test.each(QUESTIONS)('of %s equal one long page, in its order', async (_what, query, options) => {
    const rig = await rigOf();
    const whole = await rig.explore(query, { ...options, limit: 100 });
    expect(whole.nextCursor).toBeNull();
    for (const limit of [1, 4]) {
      const pages = await pagesOf(rig, query, { ...options, limit });
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap(idsOf)).toEqual(idsOf(whole));
      expect(pages.flatMap(topicIdsOf)).toEqual(topicIdsOf(whole));
      expect(pages.flatMap(itemsOf).map(({ quote }) => quote)).toEqual(
        itemsOf(whole).map(({ quote }) => quote),
      );
    }
  });

  test.each(QUESTIONS)('of %s do not change while turns are added', async (_what, query, options) => {
    const rig = await rigOf();
    const before = await rig.explore(query, { ...options, limit: 100 });
    let count = 0;
    const pages = await pagesOf(rig, query, { ...options, limit: 4 }, async () => {
      // Turns that would rank before the remaining pages; a limited number of them.
      if (count++ > 20) return;
      const [unitId] = await rig.say({
        text: 'hot tea in the garden',
        at: '2026-01-03T00:00Z',
        conversationId: `n${count}`,
      });
      await rig.topic(`hot tea in the garden, again ${count}`, [unitId!]);
    });
    expect(count).toBeGreaterThan(0);
    expect(pages.flatMap(idsOf)).toEqual(idsOf(before));
  });

  test('keep the first page’s reading of the query', async () => {
    const rig = new ExploreRig();
    await rig.say({ text: 'tea', at: '2026-03-09T08:00Z' }, { text: 'coffee', at: '2026-03-09T09:00Z' });
    const first = await rig.explore({ period: 'yesterday' }, { limit: 1 });
    rig.now += 3 * 86_400_000;
    const second = await rig.explore({ period: 'yesterday' }, { limit: 1, cursor: first.nextCursor! });
    expect(itemsOf(second).map(({ quote }) => quote.text)).toEqual(['coffee']);
    expect(second.understood.period).toEqual(first.understood.period);
  });
});

describe('a cursor', () => {
  const twoPages = async () => {
    const rig = new ExploreRig();
    await rig.say('tea one', 'tea two', 'tea three');
    const { nextCursor } = await rig.explore({ keywords: 'tea' }, { limit: 1 });
    return { rig, cursor: nextCursor! };
  };

  test('is valid for another page size, language and time', async () => {
    const { rig, cursor } = await twoPages();
    const page = await rig.explore({ keywords: 'tea' }, { limit: 2, language: 'ja', count: false, cursor });
    expect(idsOf(page)).toHaveLength(2);
  });

  test.each<[ExploreQuery, ExploreOptions]>([
    [{ keywords: 'two' }, {}],
    [{ text: 'tea' }, {}],
    [{ keywords: 'tea' }, { view: 'timeline' }],
    [{ keywords: 'tea' }, { maxSensitivity: 'secret' }],
    [{ keywords: 'tea', from: '2026-01-01' }, {}],
  ])('of another query is rejected: %o %o', async (query, options) => {
    const { rig, cursor } = await twoPages();
    await expect(rig.explore(query, { ...options, cursor })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each(['', 'x', 'e30', 'bnVsbA', Buffer.from('[1,2]').toString('base64url')])(
    'that is invalid is rejected: %j',
    async (cursor) => {
      const { rig } = await twoPages();
      await expect(rig.explore({ keywords: 'tea' }, { cursor })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    },
  );

  test('that was changed is rejected, or reveals nothing hidden', async () => {
    const { rig, cursor } = await twoPages();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(cursor.length - 1),
        fc.constantFrom('a', 'Z', '0', '_', '.'),
        async (place, sign) => {
          const forged = cursor.slice(0, place) + sign + cursor.slice(place + 1);
          const outcome = await rig
            .explore({ keywords: 'tea' }, { cursor: forged, count: false })
            .then<unknown[], unknown[]>(idsOf, (error: { code: string }) => [error.code]);
          expect([1, 2, 3, 'INVALID_INPUT', 'NOT_FOUND']).toEqual(expect.arrayContaining(outcome));
        },
      ),
    );
  });

  test('is read back as it was written', () => {
    const id = fc.integer({ min: 1, max: 2 ** 40 });
    const rest = fc.oneof(
      fc.record({ ids: fc.array(id), skip: fc.nat() }),
      fc.record({ after: fc.record({ occurredAt: fc.integer(), unitId: id }) }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), fc.option(id), rest, (question, now, topicId, what) => {
        const cursor = { now, period: null, topicId, entityId: null, rest: what };
        expect(readCursor(question, writeCursor(question, cursor))).toEqual(cursor);
      }),
    );
  });
});
