import { describe, expect, test } from 'vitest';
import { feelingWords } from '../../llm/llm.ts';
import { terms, type Language } from '../../text/text.ts';
import { chooseTags, MAX_TAG_LENGTH, MAX_TAGS, tagCandidates } from './topicTags.ts';

const nothingKnown = { documents: 0, documentFrequency: new Map<string, number>() };

function tags(text: string, language: Language, known: Partial<typeof nothingKnown> = {}): string[] {
  const words = feelingWords(text, language);
  return chooseTags(
    tagCandidates(text, language, (word) => words.has(word)),
    { ...nothingKnown, ...known },
  );
}

describe('tags are the nouns of a text', () => {
  test.each<[Language, string, string[]]>([
    ['en', 'I finally signed up for piano lessons with a teacher from Vienna', ['piano', 'Vienna']],
    ['en', 'We went hiking and saw two foxes near the lake', ['hiking', 'lake']],
    ['en', 'My sister baked a strawberry cake for the wedding', ['strawberry', 'cake', 'wedding']],
    ['ja', '那須塩原の吊り橋、すごく揺れたね', ['那須塩原', '吊り橋']],
    ['ja', '土曜はスカイツリーで花火を見た', ['スカイツリー', '花火']],
    ['ja', '新しい自転車を買うか悩んでいる', ['自転車']],
    ['zh', '周末我们去动物园看了熊猫', ['动物园', '熊猫']],
    ['zh', '我想学钢琴，每天练习两小时', ['钢琴']],
    ['zh', '我的自行车坏了', ['自行车']],
  ])('%s: %s', (language, text, expected) => {
    expect(tags(text, language)).toEqual(expect.arrayContaining(expected));
  });

  test.each<[Language, string]>([
    ['en', 'Hey, good morning! How are you today?'],
    ['en', 'That sounds really great, thank you so much'],
    ['ja', 'おはよう！今日は元気？'],
    ['ja', 'なるほど、ありがとうございます'],
    ['zh', '早上好，今天怎么样？'],
    ['zh', '好的，谢谢你'],
    ['zh', '明白了，周五见'],
    ['ja', '了解、金曜に'],
    ['en', 'See you on Friday then'],
  ])('small talk has none; %s: %s', (language, text) => {
    expect(tags(text, language)).toEqual([]);
  });
});

test('are few and short, none twice, none contained in another', () => {
  const text = `the garden, gardens, a garden gate, the ${'x'.repeat(40)}, the fence, the roof, the pond`;
  const found = tags(text, 'en');
  expect(found).toHaveLength(MAX_TAGS);
  expect(found[0]).toBe('garden');
  expect(found.filter((tag) => tag.includes('garden'))).toEqual(['garden']);
  expect(Math.max(...found.map((tag) => tag.length))).toBeLessThanOrEqual(MAX_TAG_LENGTH);
});

test('leave out addresses and code', () => {
  expect(tags('see https://example.org/elephant/giraffe or ```zebra lion```', 'en')).toEqual([]);
});

test.each<[Language, string, string, string]>([
  ['en', 'the train and the glacier', 'glacier', 'train'],
  ['ja', '電車と氷河', '氷河', '電車'],
  ['zh', '火车和冰川', '冰川', '火车'],
])(
  '%s: leave out words that a memory uses everywhere, and put rarer words first',
  (language, text, rare, common) => {
    const known = (count: number) => ({
      documents: 1_000,
      documentFrequency: new Map(terms(common).map((term) => [term, count])),
    });
    expect(tags(text, language, known(50))).toEqual([rare, common]);
    expect(tags(text, language, known(200))).toEqual([rare]);
  },
);
