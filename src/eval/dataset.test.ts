import { describe, expect, test } from 'vitest';
import { readAskedAt, readContext, TurnClock } from './dataset.ts';

describe('the time of a question', () => {
  test.each([
    ['2025-03-02T10:00:00', '2025-03-02T10:00:00.000Z'],
    ['2025-03-02', '2025-03-02T00:00:00.000Z'],
    ['2025-02', '2025-02-28T23:59:59.999Z'],
    ['2024-02', '2024-02-29T23:59:59.999Z'],
    ['2025-12', '2025-12-31T23:59:59.999Z'],
    ['2025', '2025-12-31T23:59:59.999Z'],
    ['2023/05/30 (Tue) 23:40', '2023-05-30T23:40:00.000Z'],
  ])('%s is %s', (given, expected) => {
    expect(new Date(readAskedAt(given) ?? 0).toISOString()).toBe(expected);
  });

  test('is null when it is unknown', () => {
    expect(readAskedAt(null)).toBeNull();
    expect(readAskedAt('')).toBeNull();
  });

  test.each(['2025-13', 'some day'])('%s is rejected', (given) => {
    expect(() => readAskedAt(given)).toThrow(expect.objectContaining({ code: 'INVALID_TIME' }));
  });
});

describe('the context of a question', () => {
  test('is split into lines, without the question itself', () => {
    const dialogue = 'User: hello\nSystem: 何か飲みますか？\n太郎： お茶\nUser: tea, please';
    expect(readContext(dialogue, 'tea, please')).toEqual([
      { speaker: 'User', text: 'hello' },
      { speaker: 'System', text: '何か飲みますか？' },
      { speaker: '太郎', text: 'お茶' },
    ]);
  });

  test('keeps continued lines, and a last line that differs from the question', () => {
    expect(readContext('User: first\nand more, at 12:30\nUser: second', 'third')).toEqual([
      { speaker: 'User', text: 'first\nand more, at 12:30' },
      { speaker: 'User', text: 'second' },
    ]);
  });

  test('may be missing', () => {
    expect(readContext(null, 'hello')).toEqual([]);
    expect(readContext('', 'hello')).toEqual([]);
  });
});

test('turns without a time are one second apart', () => {
  const clock = new TurnClock();
  const times = [null, undefined, '2024-05-01T00:00:00', '', '2024-04-01'].map((time) => clock.at(time));
  expect(times.map((time) => new Date(time).toISOString().slice(0, 19))).toEqual([
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:01',
    '2024-05-01T00:00:00',
    '2024-05-01T00:00:01',
    '2024-04-01T00:00:00',
  ]);
});
