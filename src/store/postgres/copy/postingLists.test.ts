import { expect, test } from 'vitest';
import type { Session } from '../session.ts';
import { PostingLists } from './postingLists.ts';

const TERM = { id: 7, term: 'tea', documents: 2 };
const TOTALS = { documents: 2, terms: 4 };

/** Answers every statement with the list of one term: twice in unit 1, once in unit 2. */
const session = {
  async all() {
    return [
      { id: TERM.id, units: Buffer.from('0000000100000002', 'hex'), times: Buffer.from('00020001', 'hex') },
    ];
  },
} as unknown as Session;

test('a list that two searches read at once is kept, and counted, once', async () => {
  const lists = new PostingLists();
  for (const unitId of [1, 2]) lists.setLength(unitId, 2);
  const search = () => lists.search(session, [TERM], TOTALS, { passes: () => true, limit: 10 });
  const empty = lists.bytes;
  const [one, other] = await Promise.all([search(), search()]);
  expect(one.map(({ unitId }) => unitId)).toEqual([1, 2]);
  expect(other).toEqual(one);
  expect(lists.bytes - empty).toBe(2 * 5);
});

test('units in the index are counted, whatever their length, until they leave it', () => {
  const lists = new PostingLists();
  for (const [unitId, length] of [
    [1, 2],
    [2, 0],
    [3, null],
    [1, 5],
  ] as const)
    lists.setLength(unitId, length);
  expect(lists.documents).toBe(2);
  lists.setLength(1, null);
  expect(lists.documents).toBe(1);
});
