import { describe, expect, it } from 'vitest';
import { diceWith, sketchLikeness, sketchOf } from './text.ts';

const likeness = (one: string, other: string) => sketchLikeness(sketchOf(one), sketchOf(other));

describe('sketchLikeness', () => {
  it.each([
    ['We walked over the swaying bridge in Nasu.', 'we walked over the swaying bridge in Nasu!!'],
    ['来月の京都旅行の宿はもう予約しておいたよ。', '来月の京都旅行の宿はもう予約しておいたよ'],
    ['下个月去京都旅行的酒店我已经订好了。', '下个月去京都旅行的酒店我已经订好了！'],
  ])('is 1 when only case and punctuation differ: %s', (one, other) => {
    expect(likeness(one, other)).toBe(1);
  });

  it('is close to the Dice coefficient, for short and long texts', () => {
    const sentence = (n: number) =>
      `On day ${'abcdefghij'[n % 10]} we spoke of walk ${'klmnopqrst'[(n * 7) % 10]}, and of rain. `;
    const long = Array.from({ length: 40 }, (_, n) => sentence(n)).join('');
    const pairs = [
      [
        'My dentist appointment is on Monday morning.',
        'My dentist appointment was moved to Thursday at noon.',
      ],
      [
        long,
        `${long.slice(0, 1_500)}And then something else altogether was said of the sea, of ships and of salt.`,
      ],
      ['The train leaves early', 'A bus comes late'],
    ] as const;
    for (const [one, other] of pairs)
      expect(Math.abs(likeness(one, other) - diceWith(one)(other))).toBeLessThan(0.15);
  });

  it('is 0 when the digits differ', () => {
    expect(likeness('我现在体重是72公斤左右。', '我现在体重是70公斤左右。')).toBe(0);
    expect(likeness('I weigh ７２ kilos now', 'I weigh 72 kilos now')).toBe(1);
  });

  it('is 0 for texts without letters', () => {
    expect(likeness('……', '！？')).toBe(0);
  });
});
