import { describe, expect, it } from 'vitest';
import { readIntent } from './intent.ts';

/** A Wednesday, noon in Tokyo. */
const NOW = Date.parse('2026-03-11T12:00:00+09:00');
const read = (utterance: string, context: readonly { speaker: string; text: string }[] = []) =>
  readIntent(utterance, context, NOW, 'Asia/Tokyo');

describe('the type of a query', () => {
  it.each([
    [
      'comparative',
      'What is the difference between the two flats?',
      '二つの部屋の違いは？',
      '这两套房子有什么区别？',
    ],
    ['procedural', 'How do I make her soup?', 'あのスープの作り方は？', '那道汤怎么做？'],
    ['conceptual', 'What is mindfulness?', 'マインドフルネスとは？', '什么是正念？'],
    ['factual', 'Where did we eat?', 'どこで食べたっけ？', '我们在哪里吃的？'],
    ['temporal', 'What did we do last weekend?', '先週末、何した？', '上周末我们做了什么？'],
    ['factual', 'Did we eat the soup?', 'スープ飲んだっけか', '我们喝汤了吗？'],
    [null, 'I would love to see that bridge again.', 'あの吊り橋、また見たいな。', '好想再看看那座吊桥。'],
  ])('%s: %s / %s / %s', (type, en, ja, zh) => {
    expect([en, ja, zh].map((utterance) => read(utterance).queryType)).toEqual([type, type, type]);
  });

  it('follows what is asked for, not when: “when” with a day is a question of fact', () => {
    expect(read('When did we meet last month?').queryType).toBe('factual');
  });
});

describe('the period in question', () => {
  const instant = (local: string) => Date.parse(`${local}+09:00`);

  it.each(['What did you tell me yesterday?', '昨日なんて言ってた？', '昨天你跟我说了什么？'])(
    'is the local day from midnight to midnight: %s',
    (utterance) => {
      expect(read(utterance).timeRange).toMatchObject({
        from: instant('2026-03-10T00:00'),
        to: instant('2026-03-11T00:00'),
      });
    },
  );

  it.each(['the trip last month', '先月の旅行', '上个月的旅行'])('may be a month: %s', (utterance) => {
    expect(read(utterance).timeRange).toMatchObject({
      from: instant('2026-02-01T00:00'),
      to: instant('2026-03-01T00:00'),
    });
  });

  it('is the shortest of several', () => {
    const { spans, timeRange } = read('Was it last month, or yesterday?');
    expect(spans.map(({ words }) => words)).toEqual(['last month', 'yesterday']);
    expect(timeRange).toEqual(spans[1]);
  });

  it.each(['We could meet at five.', 'It took three hours.', '三時間かかった', '花了三个小时'])(
    'is not an hour or a duration: %s',
    (utterance) => {
      expect(read(utterance).timeRange).toBeNull();
    },
  );
});

describe('other properties of an utterance', () => {
  it.each([
    ['en', 'Where is the swaying bridge?'],
    ['ja', '吊り橋はどこだっけ？'],
    ['zh', '那座吊桥在哪里？'],
  ])('language: %s', (language, utterance) => {
    expect(read(utterance).language).toBe(language);
  });

  it('keywords, without duplicates and in order', () => {
    expect(read('The bridge, the old bridge over the river').keywords).toEqual(['bridg', 'old', 'river']);
  });

  it('references to the lines before', () => {
    const { references } = read('Where did she find it?', [
      { speaker: 'user', text: 'My sister lost her ring.' },
    ]);
    expect(references.map((reference) => reference.surface)).toContain('she');
  });
});

describe('the names that it asks about', () => {
  it('are those of people, not of months', () => {
    expect(read('What did Greg do on 1 May?').namesAskedAbout).toEqual(['Greg']);
  });
});
