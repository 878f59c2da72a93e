import { direction } from '../vectors/vectors.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, vectorOf } from '../../test/organize/rig.ts';
import { divide, type Division } from './divide.ts';
import type { Passage } from './passages.ts';

const USUAL = { usual: 0, deviation: 0.15 };
const DIVISION: Division = {
  begin: { maxTurns: 60, apart: 0.25 },
  goOn: { maxTurns: 40, apart: 0.5 },
  minTurns: 6,
  maxGroups: 12,
};

interface Given {
  readonly theme: number | null;
  readonly turns: number;
}

function passagesOf(given: readonly Given[]): Passage[] {
  let next = 1;
  return given.map(({ theme, turns }, talk) => {
    const unitIds = Array.from({ length: turns }, () => next++);
    const from = talk * 1_000 * MINUTE_MS;
    const vector = theme === null ? null : direction(vectorOf(theme, talk, 1));
    return { unitIds, from, to: from + turns * MINUTE_MS, talk, point: vector && { vector, weight: 0.6 } };
  });
}

const themesOf = (groups: readonly Passage[][], given: readonly Given[]) =>
  groups.map((group) => [...new Set(group.map(({ talk }) => given[talk]?.theme))]);
const turnsOf = (group: readonly Passage[]) => group.reduce((sum, { unitIds }) => sum + unitIds.length, 0);

describe('divide', () => {
  test('separates passages that have nothing in common, in a small topic too', () => {
    const given = Array.from({ length: 8 }, (_, i) => ({ theme: i % 2, turns: 4 }));
    const groups = divide(passagesOf(given), USUAL, DIVISION);
    expect(themesOf(groups, given)).toEqual([[0], [1]]);
  });

  test('keeps together similar passages that are not crowded', () => {
    const given = Array.from({ length: 12 }, () => ({ theme: 0, turns: 4 }));
    expect(divide(passagesOf(given), USUAL, DIVISION)).toHaveLength(1);
  });

  test('divides a crowded topic until its parts are small, even if its passages are similar', () => {
    const given = Array.from({ length: 40 }, () => ({ theme: 0, turns: 4 }));
    const groups = divide(passagesOf(given), USUAL, DIVISION);
    expect(groups.length).toBeGreaterThan(3);
    expect(Math.max(...groups.map(turnsOf))).toBeLessThanOrEqual(40);
  });

  test('assigns a single outlier to the nearer half', () => {
    const given = [
      ...Array.from({ length: 18 }, (_, i) => ({ theme: i % 2, turns: 4 })),
      { theme: 9, turns: 2 },
    ];
    const groups = divide(passagesOf(given), USUAL, DIVISION);
    expect(groups).toHaveLength(2);
    expect(Math.min(...groups.map(turnsOf))).toBeGreaterThanOrEqual(36);
  });

  test('assigns passages without a vector to those nearest in time', () => {
    const given = [
      ...Array.from({ length: 6 }, () => ({ theme: 0, turns: 4 })),
      ...Array.from({ length: 6 }, () => ({ theme: 1, turns: 4 })),
    ];
    const withNone = given.map((one, i) => (i === 1 || i === 10 ? { ...one, theme: null } : one));
    const groups = divide(passagesOf(withNone), USUAL, DIVISION);
    expect(groups.map((group) => group.map(({ talk }) => talk).toSorted((a, b) => a - b))).toEqual([
      [0, 1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10, 11],
    ]);
  });

  test('contains every passage once, makes no group too small, and does not divide its own result further', () => {
    const given = fc.array(
      fc.record({
        theme: fc.option(fc.integer({ min: 0, max: 5 }), { freq: 9 }),
        turns: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(given, (all) => {
        const passages = passagesOf(all);
        const groups = divide(passages, USUAL, DIVISION);
        expect(groups.flat().toSorted((a, b) => a.talk - b.talk)).toEqual(passages);
        expect(divide(passages, USUAL, DIVISION)).toEqual(groups);
        const isDivided = groups.length > 1;
        expect(groups.filter((group) => isDivided && turnsOf(group) < 6)).toEqual([]);
        const roomy = groups.filter((group) => groups.length < 12 && turnsOf(group) <= 40);
        expect(roomy.filter((group) => isDivided && divide(group, USUAL, DIVISION).length > 1)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
