import { describe, expect, test } from 'vitest';
import { isMemoryError } from '../model/model.ts';
import { FEATURE_NAMES } from './features.ts';
import { parseProfile, parseProfiles } from './profileFile.ts';
import { SHIPPED_PROFILES } from './profiles.ts';

const mine = { name: 'mine', base: 'conversation', weights: { date: 5 } };

const refusalOf = (value: unknown): string => {
  try {
    parseProfile(value);
  } catch (error) {
    if (isMemoryError(error, 'INVALID_INPUT')) return error.message;
    throw error;
  }
  return 'not refused';
};

describe('a custom profile', () => {
  test('overrides the weights that it names, and keeps the others of its base', () => {
    const shipped = SHIPPED_PROFILES.conversation;
    const inject = {
      high: 1,
      young: { documents: 4, bonus: 2, covered: 0.5 },
    };
    expect(parseProfile({ ...mine, inject })).toEqual({
      ...shipped,
      name: 'mine',
      weights: { ...shipped.weights, date: 5 },
      inject: { ...('inject' in shipped && shipped.inject), ...inject },
    });
    expect(SHIPPED_PROFILES.conversation.weights).not.toMatchObject({ date: 5 });
  });

  test('may weight any feature of the specified profiles, and use other thresholds', () => {
    const profile = parseProfile({ name: 'pinned first', base: 'fast', weights: { pinned: 1 }, high: 0.9 });
    expect(profile).toMatchObject({
      base: 'fast',
      recencyTauDays: 45,
      weights: { rrf: 0.55, lexical: 0.35, recency: 0.1, pinned: 1 },
      high: 0.9,
      medium: 0.28,
    });
  });

  test('may state the origin of its weights', () => {
    const figures = { 'R@5': { base: 0.5, tuned: 0.6, gain: 0.1, low: 0.05, high: 0.15, p: 0.001 } };
    const sets = [{ name: 'talks', conversations: 3, queries: 120 }];
    const tuned = { when: '2026-05-01T00:00:00.000Z', sets, figures };
    expect(parseProfile({ ...mine, tuned })).toEqual(parseProfile(mine));
  });
});

describe('is rejected with the reason', () => {
  test.each([
    ['an unknown feature', { ...mine, weights: { date: 1, dtae: 2, semantic: 1 } }],
    ['a feature of the other bases', { name: 'mine', base: 'fast', weights: { dtae: 2, answer: 1 } }],
  ])('%s, by name and with the known names', (_, file) => {
    const [first, second] = Object.keys(file.weights).filter((feature) => feature !== 'date');
    expect(refusalOf(file)).toContain(`${file.base} has no feature "${first}", "${second}"`);
    expect(refusalOf(file)).toContain(file.base === 'fast' ? FEATURE_NAMES.join(', ') : 'answer, exchange');
  });

  test.each([
    ['a shipped name', { ...mine, name: 'fast' }, '"fast" is a shipped profile'],
    ['no name', { ...mine, name: ' ' }, 'name'],
    ['another base', { ...mine, base: 'fastest' }, 'base'],
    ['a weight that is not a number', { ...mine, weights: { date: '5' } }, 'weights.date'],
    ['an infinite weight', { ...mine, weights: { date: Infinity } }, 'weights.date'],
    ['thresholds of the wrong kind', { ...mine, high: 1 }, '"inject"'],
    ['a rule of the wrong kind', { name: 'a', base: 'fast', weights: {}, inject: { high: 1 } }, '"high"'],
    ['medium above high', { name: 'a', base: 'fast', weights: {}, high: 0.2 }, 'more than high'],
    ['an unknown field', { ...mine, wieghts: {} }, 'wieghts'],
    ['something else', 'conversation', 'Not a profile'],
  ])('%s', (_, file, reason) => {
    expect(refusalOf(file)).toContain(reason);
  });

  test('for duplicate names', () => {
    const other = { ...mine, base: 'fast', weights: {} };
    expect(() => parseProfiles([mine, other])).toThrow(/Two profiles are called "mine"/);
    expect(parseProfiles([mine, { ...other, name: 'other' }])).toHaveLength(2);
  });
});
