import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTimes } from './dates.ts';
import type { TimeMention, TimeOptions } from './dates.ts';

/** A Wednesday. */
const NOW = '2026-05-20T15:30:00';

const read = (text: string, options: Partial<TimeOptions> = {}): TimeMention[] =>
  findTimes(text, { reference: NOW, ...options });

/** The first mention as 'from/to'; midnights are written as days. */
function interval(text: string, options: Partial<TimeOptions> = {}): string {
  const [mention] = read(text, options);
  return mention ? `${short(mention.from)}/${short(mention.to)}` : 'nothing';
}

const short = (instant: string | null): string =>
  instant?.replace(/T00:00:00$/, '').replace(/:00$/, '') ?? '';

const day = (text: string): string => {
  const from = new Date(`${text}T00:00:00Z`);
  return `${text}/${new Date(from.getTime() + 86_400_000).toISOString().slice(0, 10)}`;
};

describe('days from the day of speaking', () => {
  it.each([
    ['yesterday was fun', '2026-05-19'],
    ['I saw it the day before yesterday', '2026-05-18'],
    ['the day after tomorrow', '2026-05-22'],
    ['she left three days ago', '2026-05-17'],
    ['we talk in two weeks', '2026-06-03'],
    ['昨日は楽しかった', '2026-05-19'],
    ['一昨日の話', '2026-05-18'],
    ['おととい会った', '2026-05-18'],
    ['あさって行く', '2026-05-22'],
    ['3日前に買った', '2026-05-17'],
    ['二週間後に出発', '2026-06-03'],
    ['昨天下雨了', '2026-05-19'],
    ['前天见过他', '2026-05-18'],
    ['大前天的事', '2026-05-17'],
    ['三天前买的', '2026-05-17'],
    ['兩年前搬家', '2024-05-20'],
    ['半年前认识的', '2025-11-20'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(day(expected));
  });
});

describe('weeks, months and years from now', () => {
  it.each([
    ['last week', '2026-05-11/2026-05-18'],
    ['the week before last', '2026-05-04/2026-05-11'],
    ['the weekend before last', '2026-05-09/2026-05-11'],
    ['this month', '2026-05-01/2026-06-01'],
    ['last summer we sailed', '2025-06-01/2025-09-01'],
    ['last year in October', '2025-10-01/2025-11-01'],
    ['the past two weeks', '2026-05-06/2026-05-20'],
    ['先週は忙しかった', '2026-05-11/2026-05-18'],
    ['先々週', '2026-05-04/2026-05-11'],
    ['先月末に引っ越した', '2026-04-16/2026-05-01'],
    ['去年の夏', '2025-06-01/2025-09-01'],
    ['5年前の夏に行った', '2021-06-01/2021-09-01'],
    ['来年の春', '2027-03-01/2027-06-01'],
    ['今年の終わり', '2026-09-01/2027-01-01'],
    ['上上周', '2026-05-04/2026-05-11'],
    ['上个月', '2026-04-01/2026-05-01'],
    ['去年夏天', '2025-06-01/2025-09-01'],
    ['三年前的夏天', '2023-06-01/2023-09-01'],
    ['去年底', '2025-12-01/2026-01-01'],
    ['月底', '2026-05-16/2026-06-01'],
    ['过去三个月', '2026-02-20/2026-05-20'],
    ['先週の土日', '2026-05-16/2026-05-18'],
    ['次の週末', '2026-05-30/2026-06-01'],
    ['the week before Christmas 2025', '2025-12-15/2025-12-22'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(expected);
  });
});

describe('weekdays', () => {
  it.each([
    ['I met her last Friday', '2026-05-15'],
    ['see you next Tuesday', '2026-05-26'],
    ['this Sunday', '2026-05-24'],
    ['two Fridays ago', '2026-05-08'],
    ['the Monday before July 24, 2023', '2023-07-17'],
    ['先週の金曜日', '2026-05-15'],
    ['今度の日曜', '2026-05-24'],
    ['2週間前の金曜日', '2026-05-08'],
    ['上周五', '2026-05-15'],
    ['上個禮拜五', '2026-05-15'],
    ['下下周一', '2026-06-01'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(day(expected));
  });

  it('gives the last date first and the next date second when undated', () => {
    for (const text of ['We met on Friday', '金曜日に会った', '星期五见过面']) {
      const [mention] = read(text);
      expect(mention?.from).toBe('2026-05-15T00:00:00');
      expect(mention?.alternatives).toEqual([{ from: '2026-05-22T00:00:00', to: '2026-05-23T00:00:00' }]);
      expect(mention?.timex).toBe('XXXX-WXX-5');
    }
  });

  // 22 November 2026 is a Sunday.
  it.each([
    ['What did I cook last Friday?', '2026-11-22', '2026-11-20', '2026-11-13'],
    ['last Friday evening', '2026-11-22', '2026-11-20', '2026-11-13'],
    ['last Monday', '2026-11-18', '2026-11-09', '2026-11-16'],
    ['last week on Friday', '2026-11-22', '2026-11-13', '2026-11-20'],
    ['上周五我做了什么菜？', '2026-11-22', '2026-11-13', '2026-11-20'],
    ['上星期五晚上', '2026-11-22', '2026-11-13', '2026-11-20'],
    ['先週の金曜、何を作ったっけ', '2026-11-22', '2026-11-13', '2026-11-20'],
    ['前の金曜日の夜', '2026-11-22', '2026-11-20', '2026-11-13'],
  ])('keeps both weeks that "%s" may mean on %s', (text, today, first, other) => {
    const [mention] = findTimes(text, { reference: `${today}T10:00:00` });
    expect(mention?.from?.slice(0, 10)).toBe(first);
    expect(mention?.alternatives.map(({ from }) => from?.slice(0, 10))).toEqual([other]);
    const { from = null, to = null } = mention?.window ?? {};
    for (const day of [first, other]) {
      expect(from !== null && from.slice(0, 10) <= day).toBe(true);
      expect(to !== null && to.slice(0, 10) >= day).toBe(true);
    }
  });

  it.each([
    ['last Friday', '2026-11-18'],
    ['last Friday', '2026-11-23'],
    ['last Sunday', '2026-11-22'],
    ['上周五', '2026-11-21'],
    ['先週の金曜', '2026-11-19'],
    ['two Fridays ago', '2026-11-22'],
    ['上上周五', '2026-11-22'],
  ])('has one reading of "%s" on %s', (text, today) => {
    expect(findTimes(text, { reference: `${today}T10:00:00` })[0]?.alternatives).toEqual([]);
  });

  it('prefers the future when the sentence does, or on request', () => {
    expect(interval("I'll meet her on Friday")).toBe(day('2026-05-22'));
    expect(interval('金曜日に会う予定です')).toBe(day('2026-05-22'));
    expect(interval('星期五打算去爬山')).toBe(day('2026-05-22'));
    expect(interval("I'll meet her on Friday", { prefer: 'past' })).toBe(day('2026-05-15'));
    expect(interval('We met on Friday', { prefer: 'nearest' })).toBe(day('2026-05-22'));
  });
});

describe('dates in full and in part', () => {
  it.each([
    ['on the 3rd of June 2024', '2024-06-03'],
    ['March 5, 2024', '2024-03-05'],
    ['born on 12 April 1991', '1991-04-12'],
    ['2024-03-05', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['3/5/2024', '2024-03-05'],
    ['23/4/2024', '2024-04-23'],
    ['the twenty-third of May', '2026-05-23'],
    ['2024年3月5日', '2024-03-05'],
    ['２０２４年３月５日', '2024-03-05'],
    ['二〇二四年三月五日', '2024-03-05'],
    ['令和6年3月5日', '2024-03-05'],
    ['平成元年一月八日', '1989-01-08'],
    ['来月の4日', '2026-06-04'],
    ['二零二四年三月五号', '2024-03-05'],
    ['上个月廿三日', '2026-04-23'],
    ['民国三十八年十月一日', '1949-10-01'],
  ])('%s', (text, expected) => {
    expect(interval(text, { prefer: text.includes('May') ? 'future' : 'past' })).toBe(day(expected));
  });

  it.each([
    ['early 2023', '2023-01-01/2023-05-01'],
    ['mid-July 2025', '2025-07-10/2025-07-21'],
    ['in May', '2026-05-01/2026-06-01'],
    ['the 1990s', '1990-01-01/2000-01-01'],
    ['Q3 2025', '2025-07-01/2025-10-01'],
    ['the first week of June 2025', '2025-06-02/2025-06-09'],
    ['令和6年', '2024-01-01/2025-01-01'],
    ['昭和40年代', '1965-01-01/1975-01-01'],
    ['2019年度', '2019-04-01/2020-04-01'],
    ['1月中旬', '2026-01-11/2026-01-21'],
    ['1月上旬', '2026-01-01/2026-01-11'],
    ['九十年代', '1990-01-01/2000-01-01'],
    ['2017年上半年', '2017-01-01/2017-07-01'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(expected);
  });

  it('rejects a day that does not exist', () => {
    expect(read('2023年2月29日')).toEqual([]);
    expect(read('February 30, 2024')).toEqual([]);
  });
});

describe('ranges', () => {
  const cases: [string, string, string][] = [
    ['from March to May', '2026-03-01/2026-06-01', '2026-03-01/2026-05-01'],
    ['between March 3 and March 9, 2025', '2025-03-03/2025-03-10', '2025-03-03/2025-03-09'],
    ['from Monday to Wednesday', '2026-05-18/2026-05-21', '2026-05-18/2026-05-20'],
    ['3月から5月まで', '2026-03-01/2026-06-01', '2026-03-01/2026-05-01'],
    ['2025年11月28日から12月3日まで', '2025-11-28/2025-12-04', '2025-11-28/2025-12-03'],
    ['从三月到五月', '2026-03-01/2026-06-01', '2026-03-01/2026-05-01'],
    ['2019年11月到2月', '2019-11-01/2020-03-01', '2019-11-01/2020-02-01'],
  ];
  it.each(cases)('%s', (text, included, excluded) => {
    expect(interval(text)).toBe(included);
    expect(interval(text, { rangeEnd: 'excluded' })).toBe(excluded);
  });

  it.each([
    ['since January', '2026-01-01/'],
    ['before 2018', '/2018-01-01'],
    ['2018年以前の話', '/2019-01-01'],
    ['2018年以降', '2018-01-01/'],
    ['2018年以来', '2018-01-01/'],
    ['三月之前', '/2026-03-01'],
    ['金曜日までに', '/2026-05-16'],
    ['截止到2018年', '/2019-01-01'],
    ['by the end of last month', '/2026-05-01'],
  ])('%s is open-ended', (text, expected) => {
    expect(interval(text)).toBe(expected);
  });
});

describe('times of day', () => {
  it.each([
    ['tomorrow at 8:30pm', '2026-05-21T20:30/2026-05-21T20:31'],
    ['next Monday at noon', '2026-05-25T12:00/2026-05-25T13:00'],
    ['yesterday morning', '2026-05-19T05:00/2026-05-19T12:00'],
    ['an hour and a half ago', '2026-05-20T14:00/2026-05-20T14:01'],
    ['明日の午後3時半', '2026-05-21T15:30/2026-05-21T15:31'],
    ['今朝7時', '2026-05-20T07:00/2026-05-20T08:00'],
    ['昨夜は眠れなかった', '2026-05-19T18:00/2026-05-20T04:00'],
    ['来週の火曜日の9時から11時まで', '2026-05-26T09:00/2026-05-26T11:00'],
    ['昨天晚上八点半', '2026-05-19T20:30/2026-05-19T20:31'],
    ['下周三下午3点到5点', '2026-05-27T15:00/2026-05-27T17:00'],
    ['十分钟前', '2026-05-20T15:20/2026-05-20T15:21'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(expected);
  });

  it('keeps both readings of an hour without a.m. or p.m.', () => {
    expect(read('tomorrow at 8')[0]?.alternatives).toEqual([
      { from: '2026-05-21T20:00:00', to: '2026-05-21T21:00:00' },
    ]);
  });
});

describe('holidays', () => {
  it.each([
    ['Christmas 2024', '2024-12-25'],
    ['Thanksgiving last year', '2025-11-27'],
    ['Easter 2024', '2024-03-31'],
    ['Chinese New Year 2025', '2025-01-29'],
    ['2025年の元日', '2025-01-01'],
    ['去年の敬老の日', '2025-09-15'],
    ['2024年春节', '2024-02-10'],
    ['2025年中秋节', '2025-10-06'],
    ['农历八月十五', '2025-10-06'],
    ['大年初三', '2026-02-19'],
    ['去年国庆节', '2025-10-01'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(day(expected));
  });

  it.each([
    ['お正月に帰省した', '2026-01-01/2026-01-04'],
    ['お盆は実家にいた', '2025-08-13/2025-08-17'],
    ['去年の夏休み', '2025-07-20/2025-09-01'],
    ['去年暑假', '2025-07-05/2025-09-01'],
  ])('%s has all its days', (text, expected) => {
    expect(interval(text)).toBe(expected);
  });
});

describe('approximate expressions', () => {
  it.each([
    ['I read it recently', '2026-04-20/2026-05-21'],
    ['a while ago', '2025-11-21/2026-05-14'],
    ['この前話した店', '2026-04-20/2026-05-20'],
    ['最近どう', '2026-04-20/2026-05-21'],
    ['前段时间去过', '2026-02-19/2026-05-14'],
  ])('%s', (text, expected) => {
    expect(interval(text)).toBe(expected);
    expect(read(text)[0]?.vague).toBe(true);
  });

  it('widens the window of an approximate expression', () => {
    expect(read('two weeks ago')[0]).toMatchObject({
      from: '2026-05-06T00:00:00',
      to: '2026-05-07T00:00:00',
      window: { from: '2026-05-03T00:00:00', to: '2026-05-10T00:00:00' },
    });
    expect(read('3日前')[0]?.window).toEqual({ from: '2026-05-17T00:00:00', to: '2026-05-18T00:00:00' });
    expect(read('几年前')[0]).toMatchObject({ vague: true, timex: '2023-05-20' });
    expect(read('去年の今頃')[0]?.window).toEqual({ from: '2025-05-06T00:00:00', to: '2025-06-04T00:00:00' });
  });
});

describe('durations and repetition', () => {
  it('have a type and a timex but no interval', () => {
    const seen = (text: string) => read(text).map(({ type, timex, from }) => [type, timex, from]);
    expect(seen('it took 2 hours and 30 minutes')).toEqual([['duration', 'PT2H30M', null]]);
    expect(seen('3年半住んだ')).toEqual([['duration', 'P3.5Y', null]]);
    expect(seen('一个半小时')).toEqual([['duration', 'PT1.5H', null]]);
    expect(seen('every Monday')).toEqual([['set', 'XXXX-WXX-1', null]]);
    expect(seen('毎週月曜日')).toEqual([['set', 'XXXX-WXX-1', null]]);
    expect(seen('每天跑步')).toEqual([['set', 'P1D', null]]);
  });
});

describe('ordinary words without a time', () => {
  it.each([
    'I may go, or may not. We march on.',
    'Yes. May I ask why?',
    'One of you comes second; the second place is fine.',
    'He sat on the sun deck and wed her.',
    'Spring into action and fall asleep.',
    'room 2019 and 1500 dollars',
    'call 138-2010-2015 or 192.168.10.12',
    'The course will last.',
    '一点都不好',
    '我有三点意见',
    '十分感谢，晚安',
    '他坐3号线去12号楼',
    '夏目漱石と春日さん',
    '今日子ちゃんと朝日新聞',
    'ドライブに行こう',
    '三日月が綺麗',
    '一番好き',
    'おでかけされるのでしょうね',
    '夏バテと秋ドラ',
  ])('%s', (text) => {
    expect(read(text).filter(({ from, to }) => from !== null || to !== null)).toEqual([]);
  });
});

describe('the reference', () => {
  it('is turned into the wall clock of a zone', () => {
    const instant = new Date('2026-05-19T22:00:00Z');
    expect(interval('yesterday', { reference: instant, timeZone: 'Asia/Tokyo' })).toBe(day('2026-05-19'));
    expect(interval('yesterday', { reference: instant, timeZone: 'America/New_York' })).toBe(
      day('2026-05-18'),
    );
    expect(interval('today', { reference: '2026-05-19T22:00:00Z', timeZone: 'Asia/Tokyo' })).toBe(
      day('2026-05-20'),
    );
  });

  it('that is not a date finds nothing', () => {
    expect(read('yesterday', { reference: 'whenever' })).toEqual([]);
    expect(read('yesterday', { reference: new Date(Number.NaN) })).toEqual([]);
  });
});

describe('mixed text', () => {
  it('finds English next to Japanese and Chinese', () => {
    expect(read('昨日の meeting は last Friday の続き').map(({ text }) => text)).toEqual([
      '昨日',
      'last Friday',
    ]);
    expect(read('上周五我们在 Starbucks at 3pm').map(({ text }) => text)).toEqual(['上周五', 'at 3pm']);
  });
});

const PIECES = [
  'last',
  'next',
  'Friday',
  '3',
  ' ',
  'days',
  'ago',
  'from',
  'to',
  'May',
  '2024',
  '-',
  '/',
  ':',
  '30',
  'pm',
  'the',
  'week',
  'of',
  '年',
  '月',
  '日',
  '前',
  '後',
  'から',
  'まで',
  '昨日',
  '去年',
  'の',
  '夏',
  '午後',
  '時',
  '上',
  '周',
  '五',
  '到',
  '初一',
  '农历',
  '十',
  '，',
  '\n',
  '\u{1F600}',
  '\uD800',
  '令和',
  '第',
  'before',
  'half',
  'a',
];

describe('any text', () => {
  const texts = oneof(
    string({ unit: 'binary' }),
    array(constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join('')),
  );

  it('gives ordered mentions at their stated positions', () => {
    assert(
      property(texts, (text) => {
        let end = 0;
        for (const mention of read(text)) {
          expect(mention.start).toBeGreaterThanOrEqual(end);
          expect(text.slice(mention.start, mention.end)).toBe(mention.text);
          end = mention.end;
        }
      }),
    );
  });

  it('gives intervals that end after they begin, with instants of one form', () => {
    assert(
      property(texts, (text) => {
        const intervals = read(text).flatMap(({ from, to, alternatives }) => [{ from, to }, ...alternatives]);
        expect(intervals.filter(({ from, to }) => from !== null && to !== null && from >= to)).toEqual([]);
        const instants = intervals.flatMap(({ from, to }) => [from ?? NOW, to ?? NOW]);
        expect(instants.filter((at) => !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(at))).toEqual([]);
      }),
    );
  });

  it('is read up to its limit only', () => {
    const filler = 'x '.repeat(60_000);
    expect(read(`yesterday ${filler} yesterday`).length).toBe(1);
  });
});
