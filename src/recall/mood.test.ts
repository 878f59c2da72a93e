import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMOTION_KEYS, type Emotion } from '../model/model.ts';
import { EMOTION_MODES, feelingMatch, moodOf, wantedFeeling } from './mood.ts';

const of = (values: Emotion['values']): Emotion => ({ values, confidence: 0.8 });
const anyEmotion = fc.record({
  values: fc.dictionary(fc.constantFrom(...EMOTION_KEYS), fc.float({ min: -1, max: 1, noNaN: true })),
  confidence: fc.constant(1),
});

const grief = of({ sadness: 0.8 });
const party = of({ joy: 0.9 });
const comforted = of({ sadness: 0.3, peace: 0.6, trust: 0.5 });

describe('the mood of an utterance', () => {
  it.each([
    ['joy', '受かった！すごく嬉しい！'],
    ['sadness', '外婆走了，我好难过。'],
    ['anxiety', 'I am so worried about tomorrow.'],
  ] as const)('is %s: %s', (key, utterance) => {
    expect(moodOf(utterance)?.values[key]).toBeGreaterThan(0.3);
  });

  it.each(['会議は何時からですか', '下午三点开会。', 'The meeting starts at three.'])(
    'is null for: %s',
    (utterance) => {
      expect(moodOf(utterance)).toBeNull();
    },
  );
});

describe('a memory matches', () => {
  it('in a congruent recall by the same emotion', () => {
    const wanted = wantedFeeling(grief, 'congruent');
    expect(feelingMatch(wanted, of({ sadness: 0.2 }))).toBeCloseTo(1, 12);
    expect(feelingMatch(wanted, comforted)).toBeGreaterThan(0);
    expect(feelingMatch(wanted, party)).toBe(0);
  });

  it.each(['sadness', 'anxiety', 'anger', 'conflict'] as const)(
    'in a supportive recall in %s by comforting or positive emotions',
    (distress) => {
      const wanted = wantedFeeling(of({ [distress]: 0.7 }), 'supportive');
      expect(wanted?.comforts).toBe(true);
      expect(feelingMatch(wanted, of({ [distress]: 0.7 }))).toBe(0);
      expect(feelingMatch(wanted, of({ anger: 0.5, anxiety: 0.5 }))).toBe(0);
      for (const good of ['peace', 'trust', 'hope', 'joy', 'empathy'] as const)
        expect(feelingMatch(wanted, of({ [good]: 0.4 }))).toBeGreaterThan(0.4);
      expect(feelingMatch(wanted, comforted)).toBeGreaterThan(feelingMatch(wanted, of({ flutter: 1 })));
    },
  );

  it('in a supportive recall with a good mood like in a congruent one', () => {
    expect(wantedFeeling(party, 'supportive')).toEqual(wantedFeeling(party, 'congruent'));
  });

  it('not at all without a mood, or when it is switched off', () => {
    expect(wantedFeeling(of({}), 'congruent')).toBeNull();
    expect(wantedFeeling(of({ joy: 0 }), 'supportive')).toBeNull();
    expect(wantedFeeling(grief, 'none')).toBeNull();
    expect(feelingMatch(null, grief)).toBe(0);
    expect(feelingMatch(wantedFeeling(grief, 'congruent'), null)).toBe(0);
  });
});

it('for any mood and memory, the match is from 0 to 1', () => {
  fc.assert(
    fc.property(anyEmotion, anyEmotion, fc.constantFrom(...EMOTION_MODES), (mood, felt, mode) => {
      const wanted = wantedFeeling(mood, mode);
      const match = feelingMatch(wanted, felt);
      expect(match).toBeGreaterThanOrEqual(0);
      expect(match).toBeLessThanOrEqual(1 + 1e-9);
      for (const value of Object.values(wanted?.emotion.values ?? {})) {
        expect(Math.abs(value)).toBeLessThanOrEqual(1);
      }
    }),
  );
});
