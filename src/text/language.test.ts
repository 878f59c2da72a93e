import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage, languageShares, type Language } from './language.ts';

describe('detectLanguage', () => {
  const cases: Record<Language, string[]> = {
    ja: [
      'お疲れさま、また明日ね。',
      'ｶﾜｲｲ',
      '了解',
      '大丈夫！',
      '東京駅',
      '明日会議',
      '完璧だ。',
      '新幹線、自由席',
      '今日はMeetingでfeedbackをもらった',
      'Pythonのasyncio.gatherでtimeoutしたらretryするexampleある?',
      'OKです',
      'https://example.com/some/long/path/in/english これ見て',
      '彼が「I love you」って言った',
    ],
    zh: [
      '你好',
      '好的',
      '明天见',
      '我了解',
      '了解了',
      '請問您要去哪裡？',
      '謝謝',
      '沒關係',
      '加油',
      '我today很忙',
      '请用React的useState hook实现一个dark mode toggle',
      'ok啦',
      '我超喜欢の',
      '太好了ヾ(≧▽≦)ﾉ',
      '我今天看了《となりのトトロ》，很好看',
      '人生',
    ],
    en: [
      'See you tomorrow.',
      'ok',
      'I love 寿司',
      'I watched 千と千尋の神隠し with my sister yesterday',
      'Could you explain what 「よろしくお願いします」 means?',
      'whatever ¯\\_(ツ)_/¯',
      'Bonjour tout le monde',
      "We're going to 上海 next week",
    ],
  };
  const flat = Object.entries(cases).flatMap(([language, texts]) => texts.map((text) => [text, language]));

  it.each(flat)('%s is %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it('uses the fallback for undecidable text, and for kanji that could be either', () => {
    for (const fallback of ['ja', 'zh', 'en'] as const) {
      for (const text of ['', '123 :-)', '😀', '\ud800', 'Привет'])
        expect(detectLanguage(text, fallback)).toBe(fallback);
    }
    expect(detectLanguage('旅行', 'ja')).toBe('ja');
    expect(detectLanguage('旅行', 'zh')).toBe('zh');
    expect(detectLanguage('旅行', 'en')).toBe('zh');
  });

  it('does not use the fallback for text with a clear language', () => {
    for (const [text, language] of flat.filter(([text]) => /\p{L}{8}/u.test(text ?? ''))) {
      for (const fallback of ['ja', 'zh', 'en'] as const)
        expect(detectLanguage(text ?? '', fallback)).toBe(language);
    }
  });
});

describe('languageShares', () => {
  it('are 1 for a text in one language and shares for a mixed one', () => {
    expect(languageShares('おはよう')).toEqual({ ja: 1, zh: 0, en: 0 });
    expect(languageShares('...')).toEqual({ ja: 0, zh: 0, en: 0 });
    const mixed = languageShares('今日はMeetingでfeedbackをもらった');
    expect(mixed.ja).toBeGreaterThan(mixed.en);
    expect(mixed.en).toBeGreaterThan(0);
    expect(mixed.zh).toBe(0);
  });

  it('sum to one or are all zero, and the largest is the detected language', () => {
    const parts = fc.constantFrom(
      '我们',
      '今日',
      'です',
      'カフェ',
      'the',
      'coffee',
      '。',
      ' ',
      '😀',
      '「',
      '」',
      '東京',
      '\ud83d',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const shares = languageShares(text);
        const sum = shares.ja + shares.zh + shares.en;
        expect(sum === 0 || Math.abs(sum - 1) < 1e-9).toBe(true);
        expect(shares[detectLanguage(text)]).toBe(Math.max(shares.ja, shares.zh, shares.en));
      }),
    );
  });
});
