import { describe, expect, test } from 'vitest';
import { withSameConversation } from './sameConversation.ts';

/** Units 1, 2, 3 …, best first, as “conversation score”; “-” is a unit that is no turn. */
function order(units: readonly string[], weight: number): { unitId: number; score: number }[] {
  const parsed = units.map((unit, i) => {
    const [conversation, score] = unit.split(' ');
    return { unitId: i + 1, conversation, score: Number(score) };
  });
  const scored = parsed.map(({ unitId, score }) => ({ unitId, score, features: { cosine: score } }));
  const conversationOf = (unitId: number) => {
    const { conversation } = parsed[unitId - 1]!;
    return conversation === '-' ? null : conversation!;
  };
  return withSameConversation(scored, conversationOf, weight);
}
const ids = (units: readonly string[], weight: number) => order(units, weight).map(({ unitId }) => unitId);

describe('turns of one conversation', () => {
  test('stay together where that tells something', () => {
    expect(ids(['a 5', 'b 4', 'a 3.8'], 0.3)).toEqual([1, 3, 2]);
  });

  test('make room for others where each conversation tells of something else', () => {
    expect(ids(['a 5', 'a 4', 'b 3.8'], -0.3)).toEqual([1, 3, 2]);
  });

  test('keep their order without a weight', () => {
    expect(ids(['a 5', 'a 4', 'b 3.8'], 0)).toEqual([1, 2, 3]);
  });

  test('never come before a better one of their conversation', () => {
    expect(ids(['a 5', 'a 4.9', 'a 4.8', 'b 4.7'], 2)).toEqual([1, 2, 3, 4]);
  });

  test('count up to three', () => {
    const five = ['a 9', 'a 6', 'a 5', 'a 4', 'a 3'];
    expect(order(five, -0.5).map(({ score }) => score)).toEqual([9, 5.5, 4, 2.5, 1.5]);
  });
});

test('units that are no turns are of no conversation', () => {
  expect(ids(['- 5', '- 4', 'b 3.8'], -0.3)).toEqual([1, 2, 3]);
});

test.each([0.5, -0.5])(
  'scores fall along the new order, and the feature explains each: weight %s',
  (weight) => {
    const units = ['a 5', 'b 4.9', 'a 4.8', 'c 4.7', 'b 4.6', 'a 4.5', 'a 4.4'];
    const ordered = withSameConversation(
      units.map((unit, i) => ({ unitId: i, score: Number(unit.split(' ')[1]), features: {} })),
      (unitId) => units[unitId]!.split(' ')[0]!,
      weight,
    );
    const scores = ordered.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { unitId, score, features } of ordered)
      expect(score).toBeCloseTo(
        Number(units[unitId]!.split(' ')[1]) + weight * features['sameConversation']!,
      );
    expect(ordered.some(({ features }) => features['sameConversation'] !== 0)).toBe(true);
  },
);
