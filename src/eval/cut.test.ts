import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutConversation, cutSet } from './cut.ts';
import type { EvaluationConversation, EvaluationQuery } from './dataset.ts';

function query(id: string, goldTurns: number[], cutoff: number | null = null): EvaluationQuery {
  return {
    id,
    text: id,
    type: 'plain',
    askedAt: null,
    context: [],
    goldTurns: goldTurns.map(String),
    goldSessions: [],
    cutoffTurn: cutoff === null ? null : String(cutoff),
    isUnanswerable: goldTurns.length === 0,
  };
}

function conversation(length: number, queries: EvaluationQuery[]): EvaluationConversation {
  const turns = Array.from({ length }, (_, i) => ({
    sourceId: String(i),
    sessionId: 's',
    place: `line ${i}`,
    turn: {
      conversationId: 's',
      turnIndex: i,
      speaker: 'Ann',
      text: `turn ${i}`,
      occurredAt: i,
      source: 'import' as const,
    },
  }));
  return { id: 'c', language: 'en', turns, queries };
}

const placesOf = ({ turns }: EvaluationConversation) => turns.map(({ sourceId }) => Number(sourceId));
const idsOf = ({ queries }: EvaluationConversation) => queries.map(({ id }) => id);

test('a cut contains the turns closest to the gold, and every query whose gold it contains completely', () => {
  const queries = [query('a', [5]), query('b', [6]), query('c', [5, 18]), query('nothing', [])];
  const cuts = cutConversation(conversation(20, queries), 4);
  expect(cuts.map(placesOf)).toEqual([
    [3, 4, 5, 6],
    [4, 5, 6, 18],
  ]);
  expect(cuts.map(idsOf)).toEqual([['a', 'b', 'nothing'], ['c']]);
});

test('only turns before the cut-off can be found, in a cut too', () => {
  const [cut] = cutConversation(conversation(20, [query('a', [5], 6), query('b', [5], 19)]), 4);
  expect(cut?.queries.map(({ cutoffTurn }) => cutoffTurn)).toEqual(['6', null]);
});

test('a small conversation stays whole; queries with more gold than fits are left out and counted', async () => {
  const small = conversation(4, [query('a', [1])]);
  expect(cutConversation(small, 4)).toEqual([small]);
  const large = conversation(9, [query('a', [1, 3, 5]), query('b', [2])]);
  const set = await cutSet(
    {
      name: 'set',
      path: 'set',
      queryCounts: async () => [2],
      async *conversations() {
        yield large;
      },
    },
    2,
  );
  expect(await set.queryCounts()).toEqual([1]);
  expect(set.notes).toEqual(['Cut to 2 turns around what answers each query; queries left out: 1.']);
  await expect(cutSet(set, 0)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('every answerable query whose gold fits is asked exactly once, with its gold', () => {
  const golds = fc.array(fc.uniqueArray(fc.nat(39), { minLength: 1, maxLength: 6 }), { maxLength: 12 });
  fc.assert(
    fc.property(golds, fc.integer({ min: 1, max: 50 }), (all, size) => {
      const queries = all.map((gold, i) => query(`q${i}`, gold));
      const cuts = cutConversation(conversation(40, queries), size);
      const fitting = size >= 40 ? queries : queries.filter(({ goldTurns }) => goldTurns.length <= size);
      expect(cuts.flatMap(idsOf).toSorted()).toEqual(fitting.map(({ id }) => id).toSorted());
      for (const cut of cuts) {
        expect(cut.turns.length).toBeLessThanOrEqual(size);
        const held = new Set(cut.turns.map(({ sourceId }) => sourceId));
        for (const { goldTurns } of cut.queries) expect(goldTurns.every((turn) => held.has(turn))).toBe(true);
      }
    }),
  );
});
