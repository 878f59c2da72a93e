import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSentences } from './sentences.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';

describe('splitSentences', () => {
  it.each<[string[]]>([
    [['今日は水族館に行った。', 'ペンギンがかわいかった！', 'また行く？']],
    [['彼は「行こう。」と言った。', 'そして帰った。']],
    [['「すごい！本当に！」と彼女。']],
    [['「おはよう。」', '「おはよう！」']],
    [['えっと…、それで……', 'あのね。', 'うん']],
    [['そうなの？！', 'やった〜！\n', '次の行']],
    [['ﾃｽﾄ｡', 'ﾃｽﾄ｡']],
    [['你好！', '你在干嘛？', '我在吃饭。。。', '哈哈']],
    [['“真的吗？”他说。', '“走吧！”', '我们走了。']],
    [['I went home. ', 'Then I slept!! ', 'Great? ', 'yes.']],
    [['i went home. ', 'then i slept. ', 'ok']],
    [['Dr. Smith paid $3.50 at 5 p.m. in the U.S. office. ', 'Really?']],
    [['I live in the U.S. ', 'They live in the U.K. now.']],
    [['J. R. R. Tolkien wrote it. ', 'He was born Jan. 3, 1892.']],
    [['We ate sushi, ramen, etc. ', 'Then we left, e.g. Tom and No. 5.']],
    [['I said no. ', 'It was 2019. ', 'Am I? ', 'So am I. ', 'Ok.']],
    [['See https://a.example/c?d=e.f! ', 'Mail me at a.b@c.example.']],
    [['"Why?" she asked. ', 'He said "go." ', 'Then he left.']],
    [['(He left. I stayed.) ', 'Fine.']],
    [['Hmm... maybe. ', 'Well... ', 'Yes.']],
    [['1. Buy milk\n', '2. Eat it. ', '3. Sleep']],
    [['今日はOK. ', 'See you. ', '明日ね！', 'Bye!']],
    [['one\r\n\r\n', 'two']],
    [[' \n first. ', 'second \t']],
  ])('%j', (sentences) => {
    expect(splitSentences(sentences.join(''))).toEqual(sentences);
  });

  it('returns nothing for an empty text and keeps white space', () => {
    expect(splitSentences('')).toEqual([]);
    expect(splitSentences(' \n ')).toEqual([' \n ']);
  });

  it('splits inside a bracket that is not closed, or closed far away', () => {
    expect(splitSentences('「一。二。')).toEqual(['「一。', '二。']);
    expect(splitSentences(`(One. ${'Two. '.repeat(60)})`).length).toBeGreaterThan(50);
  });

  it('returns pieces that join to the text, none empty, split between graphemes', () => {
    const parts = fc.constantFrom(
      'a',
      '.',
      ' ',
      '。',
      '！',
      '?',
      '…',
      '「',
      '」',
      '(',
      ')',
      '"',
      '\n',
      '\r\n',
      '字',
      'Mr',
      '3',
      '\u0301',
      '\u200d',
      '👍🏽',
      '🏽',
      '\ufe0f',
      '\ud83d',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (text) => {
        const sentences = splitSentences(text);
        expect(sentences.join('')).toBe(text);
        expect(sentences).not.toContain('');
        const boundaries = new Set(
          Array.from(new Intl.Segmenter('en').segment(text), ({ index }) => index).concat(text.length),
        );
        let end = 0;
        for (const sentence of sentences) expect(boundaries.has((end += sentence.length))).toBe(true);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
