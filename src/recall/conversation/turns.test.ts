import { expect, test } from 'vitest';
import type { Document } from '../documents.ts';
import { NONE } from './queryTerms.ts';
import { placeTurns } from './turns.ts';

const gathered = {
  unitIds: [3, 5, 9],
  before: new Map([
    [3, 2],
    [5, 4],
    [9, 5],
  ]),
  after: new Map([
    [3, 4],
    [9, 2],
  ]),
};

/** Reads the units that exist. */
const readOf = (there: readonly number[]) => async (unitIds: readonly number[]) =>
  unitIds.filter((id) => there.includes(id)).map((unitId) => ({ unitId }) as Document);

/** The ids of each candidate and its neighbours. */
async function besideOf(there: readonly number[]) {
  const { documents, candidates, before, after, places } = await placeTurns(gathered, readOf(there));
  const idAt = (place: number) => (place === NONE ? null : documents[place]?.unitId);
  expect([...places]).toEqual(documents.map(({ unitId }, place) => [unitId, place]));
  return documents.slice(0, candidates).map(({ unitId }, i) => [idAt(before[i]!), unitId, idAt(after[i]!)]);
}

test('candidates come first, and each refers to its neighbours', async () => {
  expect(await besideOf([2, 3, 4, 5, 9])).toEqual([
    [2, 3, 4],
    [4, 5, null],
    [5, 9, 2],
  ]);
});

test('removed turns are left out', async () => {
  expect(await besideOf([2, 4, 5, 9])).toEqual([
    [4, 5, null],
    [5, 9, 2],
  ]);
  expect(await besideOf([3, 4, 9])).toEqual([
    [null, 3, 4],
    [null, 9, null],
  ]);
  expect(await besideOf([])).toEqual([]);
});
