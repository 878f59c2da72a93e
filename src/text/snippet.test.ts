import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snippet } from './snippet.ts';
import { terms } from './terms.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';

const trip =
  'We talked about work for an hour. Then she told me about the aquarium in Osaka. The whale shark was her favourite! After that we had dinner. It rained all night.';
const 旅 = '朝は仕事の話をした。それから大阪の水族館に行った。ジンベエザメがすごく大きかった！夜は雨だった。';
const 旅行 = '早上聊了工作。后来我们去了大阪的水族馆。鲸鲨特别大！晚上一直下雨。';

describe('snippet', () => {
  it('is the trimmed text when that fits', () => {
    expect(snippet('  All of it. \n', { maxChars: 10 })).toBe('All of it.');
    expect(snippet('', { maxChars: 0 })).toBe('');
  });

  it('is the first whole sentences without words to centre on', () => {
    expect(snippet(trip, { maxChars: 40 })).toBe('We talked about work for an hour.…');
    expect(snippet(旅, { maxChars: 26 })).toBe('朝は仕事の話をした。それから大阪の水族館に行った。…');
  });

  it.each([
    [trip, ['aquarium'], 60, '…Then she told me about the aquarium in Osaka.…'],
    [trip, terms('favourite whale sharks'), 50, '…The whale shark was her favourite!…'],
    [trip, ['rain', 'dinner'], 60, '…After that we had dinner. It rained all night.'],
    [旅, ['水族館'], 20, '…それから大阪の水族館に行った。…'],
    [旅, ['水族館', 'ジンベエザメ'], 36, '…それから大阪の水族館に行った。ジンベエザメがすごく大きかった！…'],
    [旅行, ['鲸鲨'], 10, '…鲸鲨特别大！…'],
  ])('shows the sentences of %s around %j', (text, around, maxChars, expected) => {
    expect(snippet(text, { maxChars, around })).toBe(expected);
  });

  it('prefers the passage with more of the words to the first one', () => {
    const text = `The cat sat. ${'Nothing happened. '.repeat(20)}The cat chased the neighbour's dog. ${'Nothing happened. '.repeat(20)}`;
    expect(snippet(text, { maxChars: 40, around: ['cat', 'dog'] })).toBe(
      "…The cat chased the neighbour's dog.…",
    );
  });

  it('finds stemmed terms and no parts of words', () => {
    const text = `A big party. ${'Nothing happened. '.repeat(9)}We studied art in Kyoto.`;
    expect(snippet(text, { maxChars: 30, around: ['art'] })).toBe('…We studied art in Kyoto.');
    expect(snippet(text, { maxChars: 30, around: ['studi'] })).toBe('…We studied art in Kyoto.');
  });

  it('cuts a sentence that is too long between words, around the words', () => {
    const text = `${'one two three four '.repeat(10)}penguin ${'five six seven eight '.repeat(10)}`;
    const cut = snippet(text, { maxChars: 50, around: ['penguin'] });
    expect(cut).toMatch(/^…(?:one|two|three|four) .*\bpenguin\b.* (?:five|six|seven|eight)…$/);
    expect(cut.length).toBeGreaterThan(35);
  });

  it('adds part of the next sentence when whole ones leave most of the space empty', () => {
    const cut = snippet(`はい。${'とても長い話なので'.repeat(10)}。`, { maxChars: 30 });
    expect(cut).toBe(`はい。${'とても長い話なので'.repeat(10).slice(0, 26)}…`);
  });

  it('omits a character that does not fit completely', () => {
    expect(snippet('👨‍👩‍👧👨‍👩‍👧', { maxChars: 10 })).toBe('👨‍👩‍👧…');
    expect(snippet('👨‍👩‍👧👨‍👩‍👧', { maxChars: 5 })).toBe('…');
    expect(snippet('🇯🇵🇨🇳🇬🇧', { maxChars: 7 })).toBe('🇯🇵…');
  });

  it('finds a word in a text of ten megabytes', () => {
    const text = `${'x'.repeat(5_000_000)} needle ${'。'.repeat(5_000_000)}`;
    expect(snippet(text, { maxChars: 40, around: ['needle'] })).toContain('needle');
  });

  const parts = fc.constantFrom(
    'word',
    ' ',
    '. ',
    '字',
    '。',
    '「',
    '」',
    'e\u0301',
    '\u0301',
    '👨‍👩‍👧',
    '🇯🇵',
    '🇨',
    '\n',
    '\r\n',
    '한',
    'İ',
    '\ud83d',
    '\u200d',
    'needle',
  );
  const anyText = fc.array(parts, { maxLength: 80 }).map((pieces) => pieces.join(''));

  it('is a passage within its length, cut between graphemes, with a mark at each omission', () => {
    const around = fc.subarray(['needle', '字', 'word', '']);
    fc.assert(
      fc.property(anyText, fc.nat(60), around, (text, maxChars, around) => {
        const body = text.trim();
        const cut = snippet(text, { maxChars, around });
        expect(cut.length).toBeLessThanOrEqual(maxChars);
        if (body.length <= maxChars || maxChars < 1) return;
        const [, before, passage, after] = /^(…?)([^…]*)(…?)$/.exec(cut) ?? [];
        const boundaries = new Set(
          [...new Intl.Segmenter('en').segment(body)].map(({ index }) => index).concat(body.length),
        );
        const places = [...boundaries].filter((at) => body.startsWith(passage ?? '?', at));
        const fitting = places.filter((at) => {
          const end = at + (passage?.length ?? 0);
          const isMarked =
            passage === '' || ((before === '…') === at > 0 && (after === '…') === end < body.length);
          return boundaries.has(end) && isMarked;
        });
        expect(fitting).not.toEqual([]);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
