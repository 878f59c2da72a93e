import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terms } from '../../text/text.ts';
import { quoteOf } from './quote.ts';

const LONG = {
  en: [
    'We had dinner late, and the train home was full of people who came from the match.',
    'On the way Mika told me that her sister keeps bees behind the old mill in Ashford.',
    'She gives the honey away to everyone who asks.',
    'I slept badly after that, and the next morning the kettle was broken and it rained.',
  ],
  ja: [
    '夕飯が遅くなって、帰りの電車は試合を見てきた人たちでいっぱいで、ずっと立ったままだったから足が痛くなった。',
    '途中で美香が、お姉さんが古い水車小屋の裏でミツバチを飼っていると教えてくれた。',
    '蜂蜜は欲しい人みんなに配っているんだって。',
    'その夜はよく眠れなくて、次の朝はやかんが壊れているし、雨も降っているしで散々だった、と思ったけれど朝ごはんはおいしかった。',
  ],
  zh: [
    '晚饭吃得很晚，回家的电车里全是看完比赛的人，我们一直站着，腿都酸了，到家的时候已经快十二点了，邻居家的灯也都关了。',
    '路上美香告诉我，她姐姐在旧水车后面养蜜蜂。',
    '谁想要蜂蜜她就送给谁，从来不收钱。',
    '那天晚上我没睡好，翻来覆去想着别的事情，第二天早上水壶又坏了，外面还下着雨，不过早饭倒是很好吃，后来心情就慢慢好起来了，还出去散了步。',
  ],
} as const;

describe.each(['en', 'ja', 'zh'] as const)('a long turn in %s', (language) => {
  const sentences = LONG[language];
  const text = sentences.join(language === 'en' ? ' ' : '');
  const asked = { en: 'Who keeps bees?', ja: 'ミツバチを飼っているのは誰？', zh: '谁养蜜蜂？' }[language];

  it('is quoted around the words of the question, in whole sentences', () => {
    const quote = quoteOf(text, terms(asked));
    expect(quote.text).toContain(sentences[1]);
    expect(quote.text.length).toBeLessThan(text.length);
    expect(text.slice(quote.from, quote.to)).toBe(quote.text);
    expect(sentences.some((sentence) => quote.text.startsWith(sentence))).toBe(true);
    expect(sentences.some((sentence) => quote.text.endsWith(sentence))).toBe(true);
  });

  it('is quoted from its beginning when it does not contain them', () => {
    expect(quoteOf(text, []).from).toBe(0);
  });
});

it('a short turn is quoted completely, without surrounding white space', () => {
  expect(quoteOf('  The bridge swayed. ', ['bridge'])).toEqual({
    text: 'The bridge swayed.',
    from: 2,
    to: 20,
  });
});

it('a quote never contains ellipses of ours', () => {
  const text = `…${'and so on. '.repeat(40)}The bridge swayed… ${'and so on. '.repeat(40)}…`;
  const quote = quoteOf(text, ['bridge']);
  expect(quote.text).toContain('The bridge swayed…');
  expect(text.slice(quote.from, quote.to)).toBe(quote.text);
});

it('in any text, the quote is found word for word at its stated position', () => {
  const words = fc.constantFrom(
    '橋',
    '…',
    '. ',
    '。',
    '\n',
    ' ',
    'swaying ',
    '🎉',
    '「',
    '」',
    '!',
    'e\u0301',
  );
  const anyText = fc.array(words, { minLength: 1, maxLength: 300 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(anyText, fc.array(words, { maxLength: 3 }), (text, sought) => {
      const { text: quoted, from, to } = quoteOf(text, sought);
      expect(text.slice(from, to)).toBe(quoted);
      expect(quoted.length).toBeLessThanOrEqual(160);
      expect(quoted === '').toBe(text.trim() === '');
    }),
  );
});
