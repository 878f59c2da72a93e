import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMOTION_KEYS, type Emotion } from '../../model/model.ts';
import { describeMood, moodOf, type TurnEmotion } from './mood.ts';

const NOW = Date.UTC(2026, 2, 29, 12);
const HOUR = 3_600_000;

function felt(
  values: Emotion['values'],
  over: { salience?: number; confidence?: number; ageHours?: number } = {},
): TurnEmotion {
  const { salience = 0.5, confidence = 0.5, ageHours = 0 } = over;
  return { occurredAt: NOW - ageHours * HOUR, salience, emotion: { values, confidence } };
}

describe('a mood', () => {
  test('follows the formula', () => {
    const age = 4;
    const one = felt({ joy: 0.8, sadness: -0.4 }, { salience: 0.5, confidence: 0.6, ageHours: age });
    // τ = 2 h × (1 + 11 × 0.5) = 13 h
    const weight = 0.8 * 0.5 * 0.6 * Math.exp(-age / 13);
    const share = weight / (weight + 0.05);
    const mood = moodOf([one], NOW);
    expect(mood.values.joy).toBeCloseTo(0.8 * share, 2);
    expect(mood.values.sadness).toBeCloseTo(-0.4 * share, 2);
    expect(mood.confidence).toBeCloseTo(0.6 * share, 2);
  });

  test('is calm without any feeling', () => {
    const calm = { values: {}, confidence: 0 };
    expect(moodOf([], NOW)).toEqual(calm);
    expect(moodOf([{ occurredAt: NOW, salience: 1, emotion: null }, felt({})], NOW)).toEqual(calm);
  });

  test('weights newer, more salient, more confident and stronger feelings more', () => {
    const leading = (joy: TurnEmotion, sadness: TurnEmotion) => {
      const { values } = moodOf([joy, sadness], NOW);
      return (values.joy ?? 0) > (values.sadness ?? 0);
    };
    const plain = { joy: felt({ joy: 0.5 }), sadness: felt({ sadness: 0.5 }) };
    expect(leading(plain.joy, plain.sadness)).toBe(false);
    expect(leading(plain.joy, felt({ sadness: 0.5 }, { ageHours: 10 }))).toBe(true);
    expect(leading(plain.joy, felt({ sadness: 0.5 }, { salience: 0.2 }))).toBe(true);
    expect(leading(plain.joy, felt({ sadness: 0.5 }, { confidence: 0.2 }))).toBe(true);
    expect(leading(plain.joy, felt({ sadness: 0.3 }))).toBe(true);
  });

  test('fades with time, more slowly for salient feelings', () => {
    const joyAfter = (ageHours: number, salience: number) =>
      moodOf([felt({ joy: 0.9 }, { ageHours, salience, confidence: 1 })], NOW).values.joy ?? 0;
    expect(joyAfter(6, 0.3)).toBeLessThan(joyAfter(0, 0.3));
    expect(joyAfter(24, 0.3)).toBeLessThan(0.3 * joyAfter(0, 0.3));
    expect(joyAfter(24, 1)).toBeGreaterThan(0.8 * joyAfter(0, 1));
  });

  test('is never stronger than the strongest feeling', () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const anyFelt = fc
      .record({
        values: fc.dictionary(fc.constantFrom(...EMOTION_KEYS), value),
        confidence: share,
        salience: share,
        ageHours: fc.double({ min: -5, max: 200, noNaN: true }),
      })
      .map(({ values, ...over }) => felt(values, over));
    fc.assert(
      fc.property(fc.array(anyFelt, { maxLength: 20 }), (all) => {
        const mood = moodOf(all, NOW);
        const strongest = Math.max(
          0,
          ...all.flatMap((one) => Object.values(one.emotion!.values).map(Math.abs)),
        );
        for (const one of Object.values(mood.values))
          expect(Math.abs(one)).toBeLessThanOrEqual(strongest + 0.005);
        expect(mood.confidence).toBeGreaterThanOrEqual(0);
        expect(mood.confidence).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('describing a mood', () => {
  const mood = { values: { joy: 0.2, anxiety: 0.7, hope: 0.05, anger: -0.9 }, confidence: 0.5 };
  test.each([
    ['en', 'very worried, a little happy', 'calm'],
    ['ja', 'とても不安そう、少し嬉しそう', '落ち着いている'],
    ['zh', '很不安、有点开心', '平静'],
  ] as const)('%s', (language, words, calm) => {
    expect(describeMood(mood, language)).toBe(words);
    expect(describeMood({ values: { anger: -1, joy: 0.1 }, confidence: 1 }, language)).toBe(calm);
  });
});
