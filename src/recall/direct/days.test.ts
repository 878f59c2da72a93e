import { describe, expect, test } from 'vitest';
import { daysAskedFor } from './days.ts';

/** A Wednesday, noon in Tokyo. */
const NOW = Date.parse('2026-03-11T12:00+09:00');

function days(query: string): string | null {
  const asked = daysAskedFor(query, NOW, 'Asia/Tokyo');
  const wall = (instant: number) => new Date(instant + 9 * 3_600_000).toISOString().slice(5, 16);
  return asked && `${wall(asked.from)} ${wall(asked.to)}`.replaceAll('T00:00', '');
}

describe('days requested from the notes', () => {
  test.each([
    ['yesterday', '03-10 03-11'],
    ['Yesterday evening', '03-10 03-11'],
    ['today and yesterday', '03-10 03-12'],
    ['past 3 days', '03-08 03-12'],
    ['the last few days', '03-08 03-12'],
    ['recently', '03-05 03-12'],
    ['recent activity', '03-05 03-12'],
    ['What did I work on yesterday?', '03-10 03-11'],
    ['what happened last week', '03-02 03-09'],
    ['show me the journal of the last 3 days', '03-08 03-12'],
    ['journal for 2026-03-05', '03-05 03-06'],
    ['昨日', '03-10 03-11'],
    ['今日の日記', '03-11 03-12'],
    ['この数日', '03-08 03-12'],
    ['最近', '03-05 03-12'],
    ['最近やったこと', '03-05 03-12'],
    ['昨日の作業内容をまとめて', '03-10 03-11'],
    ['直近の日記を見せて', '03-05 03-12'],
    ['先週の出来事を教えて', '03-02 03-09'],
    ['今日と昨日', '03-10 03-12'],
    ['今天', '03-11 03-12'],
    ['昨晚', '03-10 03-11'],
    ['这几天', '03-05 03-12'],
    ['最近三天的记录', '03-08 03-12'],
    ['这几天我们做了什么？', '03-05 03-12'],
    ['看看今天的日志', '03-11 03-12'],
    ['最近有什么进展', '03-05 03-12'],
  ])('%s', (query, expected) => {
    expect(days(query)).toBe(expected);
  });

  test.each([
    'What did Mia say about the cat yesterday?',
    'recently bought a car',
    'recent photos of Leo',
    'today is a good day',
    'I was there yesterday',
    'how are you today',
    'yesterday once more',
    'tomorrow',
    'the journal',
    '最近どう？',
    '最近の若者',
    '今日は疲れた',
    '今日中に終わらせたい',
    '昨日何を食べた？',
    '昨日のケンとの会議',
    '明日の予定',
    '最近好累',
    '最近的餐厅',
    '今天天气',
    '今天的任务',
    '昨天我吃了什么？',
    '明天的计划',
  ])('finds none in: %s', (query) => {
    expect(days(query)).toBeNull();
  });
});
