import { describe, expect, test } from 'vitest';
import { withoutMarkup, type NameCandidate } from './candidates.ts';
import { chineseCandidates, chineseSelfName } from './chinese.ts';
import { englishCandidates, englishSelfName } from './english.ts';
import { japaneseCandidates, japaneseSelfName } from './japanese.ts';

const READERS = { en: englishCandidates, ja: japaneseCandidates, zh: chineseCandidates };
type Language = keyof typeof READERS;

/** `name:type`, with the relation if there is one, of candidates that may be new. */
function found(language: Language, text: string): string[] {
  return READERS[language](withoutMarkup(text))
    .filter((one) => one.mayBeNew)
    .map(format);
}

function format({ name, type, relation }: NameCandidate): string {
  return `${name}:${type}${relation ? `:${relation}` : ''}`;
}

describe('English', () => {
  test.each([
    ['Yesterday my sister Anna flew to Paris.', ['Anna:person:sister', 'Paris:place']],
    ['I had lunch with Dr. Okafor at the clinic', ['Okafor:person']],
    ['Thanks, Priscilla! See you soon.', ['Priscilla:person']],
    ['Hey Tobias, how are you?', ['Tobias:person']],
    ['We moved to Ljubljana last year', ['Ljubljana:place']],
    ['She works at Brightwater as a cook', ['Brightwater:organization']],
    ['I study at the University of Ghent', ['University of Ghent:organization']],
    ['our dog Biscuit hates the vet', ['Biscuit:animal:pet']],
    ['her husband Viktor cooked', ['Viktor:person']],
    ['My cat Nutmeg is not eating.', ['Nutmeg:animal:pet']],
    ['We walked along Harbour Street to Lake Bled', ['Harbour Street:place', 'Lake Bled:place']],
    ['The Riverside Jazz Festival was fun', ['Riverside Jazz Festival:event']],
    ['I just read "The Long Way Home" and cried', ['The Long Way Home:thing']],
    ['Last Friday Marguerite said she would come', ['Marguerite:person']],
    ['we fly to New York in June', ['New York:place']],
    ['We spent Christmas at home', ['Christmas:event']],
  ])('%s', (text, expected) => {
    expect(found('en', text)).toEqual(expected);
  });

  test.each([
    'What a lovely day! Thanks so much.',
    'On Monday I will learn Spanish in March, God willing.',
    'I think I’m OK. Don’t worry!',
    'Mom and Dad say hello',
    'HELP ME PLEASE NOW',
    'My Best Day Ever Was Here',
    '## Step One\n**Buy Bread**',
    'see https://Example.org/Anna',
    'Hiking is great. Swimming too.',
    'We speak English, French and Japanese.',
  ])('finds nobody in: %s', (text) => {
    expect(found('en', text)).toEqual([]);
  });

  test('ignores the capitals of other languages in Latin letters', () => {
    const german =
      'Gestern hat der Nachbar mit seiner Tochter einen Kuchen aus Mehl, Butter und Zucker gebacken.';
    expect(found('en', german)).toEqual([]);
  });

  test('accepts the first word of a sentence only when the name is known', () => {
    const [one] = englishCandidates('Zephyrine is here.');
    expect(one).toMatchObject({ name: 'Zephyrine', mayBeNew: false });
    expect(found('en', 'Then Zephyrine went home.')).toEqual(['Zephyrine:other']);
  });
});

describe('Japanese', () => {
  test.each([
    ['昨日、妹の花子と渋谷駅で会った。', ['花子:person:younger sister', '渋谷駅:place']],
    ['田中さんと佐々木先生が来た', ['田中:person', '佐々木:person']],
    ['昨日田中さんに電話した', ['田中:person']],
    ['ばあちゃんが笑ってた', ['ばあちゃん:person']],
    ['友達のゆきちゃんが京都大学に受かった', ['ゆき:person:friend', '京都大学:organization']],
    ['犬のポチと散歩した', ['ポチ:animal:pet']],
    ['ミケという猫を飼っている', ['ミケ:animal']],
    ['株式会社アオゾラで働いています', ['アオゾラ:organization']],
    ['高橋が遅れるって', ['高橋:person']],
    ['『こころ』を読み返した', ['こころ:thing']],
    ['土屋さんと本屋さんに行った', ['土屋:person']],
    ['ジョン・スミスさんに会う', ['ジョン・スミス:person']],
    ['来週は札幌へ行く', ['札幌:place']],
    ['お正月は実家で過ごす', ['お正月:event']],
  ])('%s', (text, expected) => {
    expect(found('ja', text)).toEqual(expected);
  });

  test.each([
    'お客さんがたくさん来て、店員さんも皆さんも大変',
    '妹の結婚式と母の日の準備',
    '友達の家で犬のエサを買った',
    'お母さん、おばあちゃん、赤ちゃん',
    '先生に聞いた。子供たちも最寄り駅まで',
    'アメリカ人と日本料理の話をした',
    'ちゃんと起きたよ、なぜちゃんと言わないの',
    '日本政府と都市計画',
    'あの時君は若かった',
  ])('finds nobody in: %s', (text) => {
    expect(found('ja', text)).toEqual([]);
  });
});

describe('Chinese', () => {
  test.each([
    [
      '我妹妹小红昨天和王老师去了清华大学',
      ['小红:person:younger sister', '王老师:person', '清华大学:organization'],
    ],
    ['我朋友李雷下个月结婚', ['李雷:person:friend']],
    ['老王说他不来了', ['老王:person']],
    ['和陈建国师傅一起修收音机', ['陈建国:person']],
    ['我和王芳、李明去吃饭', ['王芳:person', '李明:person']],
    ['我女儿朵朵今天过生日', ['朵朵:person:daughter']],
    ['张姐，明天见', ['张姐:person']],
    ['下周去杭州看《雷雨》', ['杭州:place', '雷雨:thing']],
    ['小明的妈妈在南京路等我', ['小明:person', '南京路:place']],
    ['中秋节我们回家', ['中秋节:event']],
  ])('%s', (text, expected) => {
    expect(found('zh', text)).toEqual(expected);
  });

  test.each([
    '从小就喜欢，小时候胆小，现在小心多了',
    '对于老师来说，表哥和大姐都高兴',
    '我考上大学了，我们公司放假',
    '老师、老板和同学都来了',
    '高强度训练以后很累',
    '登山、马路、超市、小区',
    '他说得很对，当时任何人都不知道',
  ])('finds nobody in: %s', (text) => {
    expect(found('zh', text)).toEqual([]);
  });
});

test('finds the name that a speaker gives', () => {
  expect(englishSelfName('Hi, my name is Greta Holm, nice to meet you')).toBe('Greta Holm');
  expect(englishSelfName('I am tired, call me later')).toBeNull();
  expect(japaneseSelfName('はじめまして、鈴木花子と申します。')).toBe('鈴木花子');
  expect(japaneseSelfName('行きたいと言います')).toBeNull();
  expect(chineseSelfName('你好，我叫李小龙，请多关照')).toBe('李小龙');
  expect(chineseSelfName('我叫了外卖')).toBeNull();
});

test('every candidate is at the position that it states', () => {
  const texts: [Language, string][] = [
    ['en', 'Yesterday my sister Anna flew to Paris with "The Long Way Home".'],
    ['ja', '昨日、妹の花子さんと『こころ』を株式会社アオゾラで読んだ。'],
    ['zh', '我妹妹小红和王老师在南京路看《雷雨》，Anna也来了。'],
  ];
  for (const [language, text] of texts) {
    const all = READERS[language](text);
    expect(all.length).toBeGreaterThan(2);
    for (const { at, surface } of all) expect(text.slice(at, at + surface.length)).toBe(surface);
  }
});
