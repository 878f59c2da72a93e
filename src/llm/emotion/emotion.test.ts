import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assert as assertProperty, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emotionSchema, type Emotion } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { CLASSIFIER_PATH, decodeWeights, SHOWS } from './classifier.ts';
import { EMOTION_VERSION, feelingWords, inferEmotion } from './emotion.ts';

type Key = keyof Emotion['values'];

/** The strongest feeling, or none. */
function dominant({ values }: Emotion): Key | 'none' {
  const [first = ['none', 0] as const] = Object.entries(values).sort((a, b) => b[1] - a[1]);
  return first[1] >= SHOWS ? (first[0] as Key) : 'none';
}

const valueOf = (text: string, key: Key): number => inferEmotion(text).values[key] ?? 0;

describe('an emotion without a word for it is recognised', () => {
  test.each<[Key, ...string[]]>([
    ['joy', 'We won the championship last night!', '甲子園出場が決まった！', '我们队拿了冠军！'],
    ['sadness', 'My dog passed away on Friday', '飼っていたうさぎが死んでしまった', '我家的老狗昨天死了'],
    [
      'anger',
      'They overcharged me and refuse to give the money back',
      '何回言わせるんだよ',
      '你别再动我的东西了！',
    ],
    ['anxiety', 'What if I fail the exam tomorrow?', '明日の手術、どうしよう', '手术明天就要做了，怎么办'],
    ['flutter', 'He kissed me at the bus stop', 'あの人に手を握られた', '他牵了我的手'],
    [
      'empathy',
      'I’m so sorry to hear that, I’m here for you',
      'それは大変でしたね',
      '你一定很难受吧，我陪着你',
    ],
    ['hope', 'I can’t wait for the trip next month', '来月の旅行が楽しみ', '好期待下个月的旅行'],
    ['curiosity', 'How does a volcano work?', 'どうして海は青いの？', '火山为什么会喷发呢'],
    ['conflict', 'My sister and I had another argument', 'また妻と言い合いになった', '我和姐姐又吵架了'],
    ['trust', 'I can tell you anything', '君のことは信用している', '有你在我就放心把事情交给你'],
    ['playfulness', 'Haha, I fooled you', 'うそだよ、ひっかかった（笑）', '哈哈，骗你的'],
    [
      'peace',
      'Just me, a cup of tea and the quiet garden',
      'お茶を飲みながらのんびりしてる',
      '在院子里喝茶发呆，很放松',
    ],
  ])('%s', (key, ...texts) => {
    for (const text of texts) expect([text, dominant(inferEmotion(text))]).toEqual([text, key]);
  });
});

describe('text without emotion shows none', () => {
  test.each([
    ['backchannels', 'Uh-huh.', 'Okay', 'うん', 'なるほど', 'はい', '嗯', '好的', '哦'],
    ['plain facts', 'The bus leaves at ten past nine', '資料は三階にあります', '超市八点开门'],
    ['words that were not kept', '[redacted]', '4 pm'],
    ['questions about a feeling', 'Was he angry?', '悲しいの？', '她害怕吗'],
  ])('%s', (_, ...texts) => {
    for (const text of texts) expect([text, dominant(inferEmotion(text))]).toEqual([text, 'none']);
  });
});

describe('negation', () => {
  test.each([
    ['It was no fun at all', 'joy'],
    ['全然楽しくなかった', 'joy'],
    ['我一点都不开心', 'joy'],
    ['I am not afraid', 'anxiety'],
    ['怖くない', 'anxiety'],
    ['我不害怕', 'anxiety'],
  ] as const)('%s: not %s', (text, key) => {
    expect(valueOf(text, key)).toBeLessThan(0);
  });

  test.each(['I am not happy', '楽しくない', '不开心'])('of joy is sadness: %s', (text) => {
    expect(dominant(inferEmotion(text))).toBe('sadness');
  });
});

test.each([
  'I was nervous, but it all went well, what a relief',
  'ずっと心配だったけど、ほっとした',
  '担心了一天，现在放心了',
])('relief from a worry is also peace: %s', (text) => {
  expect(valueOf(text, 'peace')).toBeGreaterThan(SHOWS);
});

test.each([
  'I’m sorry to hear that. Losing a friend is so sad.',
  'それは悲しかったね。つらかったでしょう。',
  '听到这个我很难过，你辛苦了。',
])('sympathy is empathy rather than sadness: %s', (text) => {
  expect(dominant(inferEmotion(text))).toBe('empathy');
});

test.each([
  ['I am a bit sad', 'I am sad', 'I am very sad'],
  ['少し悲しい', '悲しい', 'とても悲しい'],
  ['有点难过', '难过', '非常难过'],
])('degrees: %s, %s, %s', (less, plain, more) => {
  const [a = 0, b = 0, c = 0] = [less, plain, more].map((text) => valueOf(text, 'sadness'));
  expect(a).toBeLessThan(b - 0.1);
  expect(c).toBeGreaterThan(b - 0.05);
});

test('one sentence with an emotion is recognised among others', () => {
  const alone = inferEmotion('My grandmother died last week.');
  const among = inferEmotion(
    'We live in Leeds. The train takes an hour. My grandmother died last week. I am on the third floor.',
  );
  expect(dominant(among)).toBe('sadness');
  expect(among.values.sadness).toBeGreaterThanOrEqual(alone.values.sadness!);
});

test('traditional characters give the same result as simplified ones', () => {
  expect(inferEmotion('今天玩得很開心')).toEqual(inferEmotion('今天玩得很开心'));
});

test('obvious emotions have higher confidence', () => {
  expect(inferEmotion('I am so happy, this is the best day of my life!').confidence).toBeGreaterThan(0.8);
  expect(inferEmotion('Then the man with the hat came in and sat down.').confidence).toBeLessThan(0.8);
});

describe('for any text', () => {
  test('the result is valid, and the same each time', () => {
    const language = constantFrom<Language>('en', 'ja', 'zh');
    assertProperty(
      property(string({ unit: 'binary', maxLength: 200 }), language, (text, language) => {
        const emotion = inferEmotion(text, language);
        expect(emotionSchema.parse(emotion)).toEqual(emotion);
        expect(inferEmotion(text, language)).toEqual(emotion);
      }),
    );
  });

  test.each(['', '  \n '])('empty text has no emotion: %j', (text) => {
    expect(inferEmotion(text)).toEqual({ values: {}, confidence: 0 });
  });

  test('only the beginning of a long text is read', () => {
    const long = 'The box is on the table. '.repeat(200);
    expect(inferEmotion(`${long}I am furious with you!`)).toEqual(inferEmotion(long));
  });
});

test('returns the words that express the emotion', () => {
  expect([...feelingWords('昨日は楽しかった', 'ja')]).toEqual(['楽し']);
});

describe('the data file', () => {
  const bytes = readFileSync(CLASSIFIER_PATH);

  test('has the recorded hash, and is small', () => {
    const recorded = readFileSync(CLASSIFIER_PATH.replace(/\.bin$/, '.sha256'), 'utf8').split(' ')[0];
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(recorded);
    expect(bytes.length).toBeLessThan(2_000_000);
    expect(CLASSIFIER_PATH).toContain(`-v${EMOTION_VERSION}.bin`);
  });

  test.each([
    ['truncated', bytes.subarray(0, -1), /instead of/],
    ['another file', Buffer.from('SQLite format 3 and so on, long enough'), /not an Omoide emotion/],
    ['another version', changed(8, 9), /version 9/],
    ['another embedder', changed(12, 128), /width/],
  ])('is rejected when it is %s', (_, wrong, message) => {
    expect(() => decodeWeights(wrong)).toThrow(message);
  });

  function changed(at: number, value: number): Buffer {
    const copy = Buffer.from(bytes);
    copy.writeUInt32LE(value, at);
    return copy;
  }
});
