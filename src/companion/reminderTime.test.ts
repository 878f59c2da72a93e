import { describe, expect, test } from 'vitest';
import { DEFAULT_REMINDERS, remindAt } from './reminderTime.ts';
import { reminderText } from './reminders/words.ts';

const timeZone = 'Asia/Tokyo';
const at = (wallClock: string) => Date.parse(`${wallClock}+09:00`);
const when = (due: string, now: string, settings = {}) => {
  const found = remindAt(at(due), { ...DEFAULT_REMINDERS, ...settings }, { now: at(now), timeZone });
  return new Date(found + 9 * 3_600_000).toISOString().slice(0, 16);
};

describe('when a reminder is due', () => {
  test.each([
    ['at the due time', '2026-05-02T15:00', '2026-05-01T12:00', {}, '2026-05-02T15:00'],
    [
      'before it by the lead time of the settings',
      '2026-05-02T15:00',
      '2026-05-01T12:00',
      { leadMinutes: 60 },
      '2026-05-02T14:00',
    ],
    [
      'for a whole day, when its quiet hours end',
      '2026-05-02T23:59:59.999',
      '2026-05-01T12:00',
      {},
      '2026-05-02T08:00',
    ],
    ['for today, at once', '2026-05-01T23:59:59.999', '2026-05-01T12:00', {}, '2026-05-01T12:00'],
    ['before quiet hours begin', '2026-05-02T23:00', '2026-05-01T12:00', {}, '2026-05-02T21:59'],
    [
      'after quiet hours, when it is created in them',
      '2026-05-02T03:00',
      '2026-05-02T01:00',
      {},
      '2026-05-02T08:00',
    ],
    [
      'at night without quiet hours',
      '2026-05-02T03:00',
      '2026-05-01T12:00',
      { quietFrom: '00:00', quietTo: '00:00' },
      '2026-05-02T03:00',
    ],
    [
      'late after an outage, but not in quiet hours',
      '2026-05-02T21:00',
      '2026-05-02T22:30',
      {},
      '2026-05-03T08:00',
    ],
    [
      'at noon with quiet hours by day',
      '2026-05-02T15:00',
      '2026-05-02T10:00',
      { quietFrom: '13:00', quietTo: '17:00' },
      '2026-05-02T12:59',
    ],
  ])('%s', (_, due, now, settings, expected) => {
    expect(when(due, now, settings)).toBe(expected);
  });
});

test.each([
  ['歯医者に行く', '2026-05-02T09:30', '「歯医者に行く」、明日の9時半だよ。'],
  [
    'ai: I will remind you to call Mia.',
    '2026-05-01T15:00',
    'A reminder: “I will remind you to call Mia”, today at 15:00.',
  ],
  ['给牙医打电话', '2026-05-01T15:05', '提醒一下：“给牙医打电话”，今天 15:05。'],
  ['Submit the report', '2026-05-01T23:59:59.999', 'A reminder: “Submit the report”, today.'],
  ['家賃を払う', '2026-06-03T23:59:59.999', '「家賃を払う」、6月3日だよ。'],
])('the message without a model is: %s', (text, due, expected) => {
  const clock = { now: at('2026-05-01T08:00'), timeZone };
  expect(reminderText({ text, dueAt: at(due) }, clock)).toBe(expected);
});
