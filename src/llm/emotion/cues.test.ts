import { describe, expect, test } from 'vitest';
import { EMOTION_KEYS } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { emotionOfCues } from './cues.ts';
import { ENGLISH } from './wordsEn.ts';
import { JAPANESE } from './wordsJa.ts';
import { CHINESE } from './wordsZh.ts';

const valuesOf = (text: string, language: Language) => emotionOfCues(text, language).values;

/** The strongest feeling. */
function strongest(text: string, language: Language): string | undefined {
  return Object.entries(valuesOf(text, language)).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))[0]?.[0];
}

describe('an emotion is recognised', () => {
  test.each<[Language, string, string]>([
    ['en', 'We had so much fun at the lake today', 'joy'],
    ['en', 'I can’t wait for the concert', 'hope'],
    ['en', 'My exam is tomorrow and I am so nervous', 'anxiety'],
    ['en', 'She passed away last night', 'sadness'],
    ['en', 'I am fed up with this landlord', 'anger'],
    ['en', 'I trust my sister completely', 'trust'],
    ['en', 'We argued about money again', 'conflict'],
    ['en', 'I think I have a crush on him', 'flutter'],
    ['en', 'I feel calm by the sea', 'peace'],
    ['en', 'I wonder how bees find home', 'curiosity'],
    ['en', 'I’m here for you, whatever comes', 'empathy'],
    ['en', 'just kidding, haha', 'playfulness'],
    ['ja', '昨日の遠足、すごく楽しかった', 'joy'],
    ['ja', '来月のライブが待ち遠しい', 'hope'],
    ['ja', '明日の面接が不安で眠れない', 'anxiety'],
    ['ja', '飼っていた犬が亡くなって悲しい', 'sadness'],
    ['ja', '約束を破られて腹が立った', 'anger'],
    ['ja', '彼のことは信頼している', 'trust'],
    ['ja', '兄と喧嘩してしまった', 'conflict'],
    ['ja', '隣の席の人に一目惚れした', 'flutter'],
    ['ja', 'お茶を飲んでほっとした', 'peace'],
    ['ja', '星の名前に興味がある', 'curiosity'],
    ['ja', 'それはお気の毒に', 'empathy'],
    ['ja', '冗談だよ、あはは', 'playfulness'],
    ['zh', '今天去湖边玩得很开心', 'joy'],
    ['zh', '我很期待下周的演唱会', 'hope'],
    ['zh', '明天考试，我好紧张', 'anxiety'],
    ['zh', '外婆去世了，我很难过', 'sadness'],
    ['zh', '他迟到两小时，我很生气', 'anger'],
    ['zh', '我很信任我的老师', 'trust'],
    ['zh', '我又跟妈妈吵架了', 'conflict'],
    ['zh', '我好像对他心动了', 'flutter'],
    ['zh', '坐在海边心里很平静', 'peace'],
    ['zh', '我对星星很好奇', 'curiosity'],
    ['zh', '抱抱你，会好起来的', 'empathy'],
    ['zh', '开玩笑的，哈哈', 'playfulness'],
  ])('%s: %s', (language, text, key) => {
    expect(strongest(text, language)).toBe(key);
    expect(emotionOfCues(text, language).values[key as 'joy']).toBeGreaterThan(0);
  });

  test('in traditional characters too', () => {
    expect(valuesOf('今天玩得很開心', 'zh')).toEqual(valuesOf('今天玩得很开心', 'zh'));
  });
});

describe('negation', () => {
  test.each<[Language, string]>([
    ['en', 'I was not happy with it'],
    ['en', "We didn't really enjoy the trip"],
    ['ja', '旅行は楽しくなかった'],
    ['ja', 'あまり好きじゃないです'],
    ['ja', '全然嬉しくありません'],
    ['zh', '我并不开心'],
    ['zh', '大家都没有很高兴'],
  ])('inverts the emotion: %s %s', (language, text) => {
    const { joy = 0, sadness = 0 } = valuesOf(text, language);
    expect(joy).toBeLessThan(0);
    expect(sadness).toBeGreaterThan(0);
  });

  test.each<[Language, string]>([
    ['en', 'Not only was it cold, it was fun'],
    ['ja', '楽しくない？'],
    ['ja', '楽しくないですか'],
    ['zh', '我好不容易来了，很开心'],
    ['zh', '他不但来了，还很开心'],
  ])('does not invert it: %s %s', (language, text) => {
    expect(valuesOf(text, language).joy ?? 0).toBeGreaterThan(0);
  });

  test.each<[Language, string]>([
    ['en', 'I am not afraid'],
    ['ja', '心配していません'],
    ['zh', '我不害怕'],
  ])('of fear is not fear: %s %s', (language, text) => {
    expect(valuesOf(text, language).anxiety ?? 0).toBeLessThan(0);
  });
});

describe('degrees', () => {
  test.each<[Language, string, string, string]>([
    ['en', 'I am a bit sad', 'I am sad', 'I am very sad'],
    ['ja', '少し悲しい', '悲しい', 'とても悲しい'],
    ['zh', '有点难过', '难过', '非常难过'],
  ])('%s: less, plain, more', (language, ...texts) => {
    const [less = 0, plain = 0, more = 0] = texts.map((text) => valuesOf(text, language).sadness);
    expect(less).toBeLessThan(plain);
    expect(plain).toBeLessThan(more);
  });

  test('exclamation marks make it stronger, up to 1', () => {
    const [plain = 0, once = 0, often = 0] = ['', '!', '!!!'].map(
      (marks) => valuesOf(`I am happy${marks}`, 'en').joy,
    );
    expect(plain).toBeLessThan(once);
    expect(once).toBeLessThan(often);
    expect(valuesOf('最高！！！幸せ！！！嬉しい！！！楽しい！！！', 'ja').joy).toBeLessThanOrEqual(1);
  });
});

describe('emoticons', () => {
  test.each([
    ['届いたよ😊', 'joy'],
    ['ok (^_^)', 'joy'],
    ['それはないw', 'playfulness'],
    ['そうなんだ（笑）', 'playfulness'],
    ['no 😢', 'sadness'],
    ['(T_T)', 'sadness'],
    ['完了 :(', 'sadness'],
    ['what 😡', 'anger'],
    ['😰', 'anxiety'],
    ['好的🤔', 'curiosity'],
  ])('%s', (text, key) => {
    for (const language of ['en', 'ja', 'zh'] as const)
      expect(valuesOf(text, language)[key as 'joy'] ?? 0).toBeGreaterThan(0);
  });

  test('a name in brackets after a colon is not an emoticon', () => {
    expect(valuesOf('来信：（王芳）到了', 'zh')).toEqual({});
    expect(valuesOf('Note:(see below)', 'en')).toEqual({});
  });
});

describe('similar words without emotion', () => {
  test.each<[Language, string]>([
    ['ja', 'ご希望の日はありますか'],
    ['ja', '辛い料理を食べた'],
    ['ja', 'お疲れ様です、恋人と行きます'],
    ['zh', '麻烦你把灯关了'],
    ['zh', '恐怕要下雨'],
    ['zh', '去加油站'],
    ['en', 'What time does the restaurant open?'],
    ['en', 'Honestly, it is on the table'],
  ])('%s: %s', (language, text) => {
    const { values } = emotionOfCues(text, language);
    expect(Math.max(0, ...Object.values(values).map(Math.abs))).toBeLessThanOrEqual(0.3);
  });
});

test('all words of a lexicon together show every emotion, none beyond 1', () => {
  for (const [language, lexicon] of [
    ['en', ENGLISH],
    ['ja', JAPANESE],
    ['zh', CHINESE],
  ] as const) {
    const all = Object.values(lexicon).flatMap((tiers) => Object.values(tiers));
    const values = valuesOf(all.join('。'), language);
    expect(Object.keys(values).sort()).toEqual([...EMOTION_KEYS].sort());
    for (const value of Object.values(values)) expect(Math.abs(value)).toBeLessThanOrEqual(1);
  }
  expect(valuesOf('4 pm', 'en')).toEqual({});
});
