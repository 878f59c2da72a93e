import { describe, expect, it } from 'vitest';
import type { Unit } from '../model/model.ts';
import { SHIPPED_PROFILES } from './profiles.ts';
import { whySentence } from './why.ts';

const AT = Date.parse('2026-03-31T15:30:00Z');
const EPISODE = { kind: 'episode', occurredAt: AT, payload: { speaker: '遥' } } as Unit;
const FACT = { kind: 'fact', occurredAt: AT, payload: {} } as Unit;

const reason = (feature: string, contribution: number) => ({
  feature,
  value: contribution,
  weight: 1,
  contribution,
});

describe('whySentence', () => {
  it('states the local day, the speaker and the reason, in the requested language', () => {
    const reasons = [reason('semantic', 0.4), reason('recency', 0.1)];
    expect(whySentence(EPISODE, reasons, { language: 'en', timeZone: 'UTC' })).toBe(
      '31 March 2026, 遥: close in meaning, recent.',
    );
    expect(whySentence(EPISODE, reasons, { language: 'ja', timeZone: 'Asia/Tokyo' })).toBe(
      '2026年4月1日、遥の発言。意味が近い、最近のこと。',
    );
    expect(whySentence(EPISODE, reasons, { language: 'zh', timeZone: 'UTC' })).toBe(
      '2026年3月31日，遥说的。意思相近，是最近的事。',
    );
  });

  it('mentions the topic and common words, and omits the current year', () => {
    const reasons = [reason('answer', 0.4), reason('words', 0.3)];
    const given = {
      timeZone: 'UTC',
      now: AT + 60 * 86_400_000,
      topic: 'ばあちゃんの出汁',
      words: ['出汁', '泣'],
    };
    expect(whySentence(EPISODE, reasons, { ...given, language: 'ja' })).toBe(
      '3月31日、ばあちゃんの出汁の話。『出汁』『泣』が共通。',
    );
    expect(
      whySentence(EPISODE, reasons, { ...given, language: 'en', topic: 'Grandma', words: ['broth', 'cry'] }),
    ).toBe('31 March, about Grandma: shares the words “broth” and “cry”.');
    expect(whySentence(EPISODE, reasons, { ...given, language: 'zh', topic: '外婆', words: ['汤'] })).toBe(
      '3月31日，关于外婆。都提到了“汤”。',
    );
  });

  it('names no speaker when there is none, or for the two regular speakers', () => {
    const pinned = [reason('pinned', 1)];
    expect(whySentence(FACT, pinned, { language: 'en', timeZone: 'UTC' })).toBe('31 March 2026: pinned.');
    const own = { ...EPISODE, payload: { speaker: 'user' } } as Unit;
    expect(whySentence(own, pinned, { language: 'ja', timeZone: 'UTC' })).toBe(
      '2026年3月31日。ピン留めされている。',
    );
  });

  it.each([
    ['continued', 'from a recent conversation'],
    ['date', 'from the time you ask about'],
  ])('gives the reason of %s only where its value is high enough to be true', (feature, phrase) => {
    const whole = { feature, value: 1, weight: 2, contribution: 2 };
    const given = { language: 'en', timeZone: 'UTC' } as const;
    expect(whySentence(EPISODE, [reason('cosine', 2), whole], given)).toContain(phrase);
    const part = { ...whole, value: 0.4, contribution: 1.9 };
    expect(whySentence(EPISODE, [reason('cosine', 2), part], given)).not.toContain(phrase);
  });

  it('omits small and negative contributions, and more than two reasons', () => {
    const sentence = whySentence(
      FACT,
      [
        reason('keyword', 0.5),
        reason('assistant', -0.4),
        reason('semantic', 0.3),
        reason('access', 0.25),
        reason('recency', 0.01),
      ],
      { language: 'en', timeZone: 'UTC' },
    );
    expect(sentence).toBe('31 March 2026: similar words, close in meaning.');
  });

  it('gives the same reason once', () => {
    const sentence = whySentence(FACT, [reason('semantic', 0.5), reason('vector', 0.5)], {
      language: 'zh',
      timeZone: 'UTC',
    });
    expect(sentence).toBe('2026年3月31日。意思相近。');
  });

  it('says so when there is no reason', () => {
    expect(whySentence(FACT, [], { language: 'en', timeZone: 'UTC' })).toContain('only loosely related');
    expect(whySentence(FACT, [reason('cat', 0)], { language: 'ja', timeZone: 'UTC' })).toContain(
      '関連が弱い',
    );
    expect(whySentence(FACT, [reason('keyword', -1)], { language: 'zh', timeZone: 'UTC' })).toContain(
      '关联较弱',
    );
  });

  it('gives the reason of the model that chose the hit', () => {
    const reasons = [reason('semantic', 0.4)];
    expect(
      whySentence(EPISODE, reasons, { language: 'ja', timeZone: 'UTC', modelReason: '締切の元となる会話。' }),
    ).toBe('2026年3月31日、遥の発言。締切の元となる会話。');
    expect(
      whySentence(FACT, reasons, { language: 'en', timeZone: 'UTC', modelReason: 'It names the deadline' }),
    ).toBe('31 March 2026: It names the deadline.');
  });

  it.each(['en', 'ja', 'zh'] as const)(
    'says in %s whether an emotion is the same or comforting',
    (language) => {
      const reasons = [reason('emotion', 0.4)];
      const same = whySentence(FACT, reasons, { language, timeZone: 'UTC' });
      const comforting = whySentence(FACT, reasons, { language, timeZone: 'UTC', comforts: true });
      expect(same).toMatch(/same feeling|気持ち|心情/);
      expect(comforting).toMatch(/comfort|安らぐ|安慰/);
    },
  );

  it('shortens a very long name', () => {
    const longNamed = { ...EPISODE, payload: { speaker: 'Do as I say. '.repeat(15) } } as Unit;
    expect(
      whySentence(longNamed, [reason('pinned', 1)], { language: 'en', timeZone: 'UTC' }).length,
    ).toBeLessThan(80);
  });
});

const weightsOfProfiles = Object.values(SHIPPED_PROFILES).map((profile) => profile.weights);
const speakingFor = weightsOfProfiles.flatMap((weights: Readonly<Record<string, number>>) =>
  Object.keys(weights).filter((feature) => (weights[feature] ?? 0) > 0),
);

describe.each(['en', 'ja', 'zh'] as const)('the reasons in %s', (language) => {
  it.each([...new Set([...speakingFor, 'direct', 'surrounding'])])('are defined for %s', (feature) => {
    const unknown = whySentence(FACT, [reason('no such feature', 1)], { language, timeZone: 'UTC' });
    expect(whySentence(FACT, [reason(feature, 1)], { language, timeZone: 'UTC' })).not.toBe(unknown);
  });
});
