/**
 * Rules that Japanese and Chinese share for combining expressions of time. Both write the larger unit first and put
 * words for ends and sides after the date, so one grammar serves both, with each language's own links.
 */
import { addMonths, dateAt } from '../calendar.ts';
import type { Unit } from '../calendar.ts';
import { rule } from '../chart.ts';
import type { Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import * as ranges from '../ranges.ts';
import { lunar } from '../holidays.ts';
import type { Counted } from './lexer.ts';
import type {
  Context,
  DateNode,
  DurationNode,
  EraNode,
  NumberNode,
  PartName,
  TimeNode,
  TimesNode,
} from '../value.ts';

/** 年 after a number, as a year: of four digits, or of two digits for a recent year (08年, 95年). */
function yearOf({ value, digits }: NumberNode): DateNode | null {
  const year = digits === 4 || isShortYear(value, digits) ? dates.fullYear(value, digits) : null;
  return year === null ? null : dates.yearNode(year);
}

const isShortYear = (value: number, digits: number): boolean => digits === 2 && (value >= 70 || value < 10);

/** 年 after a number as a count of years. */
const yearsOf = (number: NumberNode): DurationNode | null =>
  number.value > 0 && number.value < 1000 && !isShortYear(number.value, number.digits)
    ? durationOf(number, 'year')
    : null;

export function durationOf(number: NumberNode, unit: Unit): DurationNode | null {
  if (number.digits > 4) return null;
  const amounts = [{ count: number.value, unit }];
  return { kind: 'DUR', amounts, ...(number.vague ? { vague: true as const } : {}) };
}

export const eraYear = ({ first }: EraNode, n: number): DateNode | null =>
  n >= 1 && n <= 70 ? dates.yearNode(first + n - 1) : null;

const halfMore = (length: DurationNode): DurationNode | null => {
  const [only] = length.amounts;
  return only && length.amounts.length === 1
    ? { ...length, amounts: [{ unit: only.unit, count: only.count + 0.5 }] }
    : null;
};

const OF = 'の|的|,|、|，' as const;
const DAY_WORD = '日|号' as const;

const days: Rule[][] = [
  rule('NUM 年', yearOf),
  rule('NUM 年 NUM 月', shortYearMonth),
  rule('ERA NUM 年', (era, { value }) => eraYear(era, value)),
  rule('ERA 元 年', (era) => eraYear(era, 1)),
  rule('NUM 月', ({ value }) => dates.monthNode(value)),
  rule(`NUM ${DAY_WORD}`, dayOf),
  rule('NUM 年代', ({ value, digits }, context) => ranges.decade(value, digits === 0 ? 2 : digits, context)),
  rule('DATE NUM 年代', (century, { value }) => decadeOf(century, value)),
  rule('NUM 世紀|世纪', ({ value }) => ranges.century(value)),
  rule(`DATE ${OF}? DATE`, (a, b, context) => (isFiner(b, a) ? dates.merge(a, b, context) : null)),
  rule(`DATE ${OF}? ( DATE )`, (a, b, context) => dates.merge(a, b, context) ?? dates.sameDay(a, b, context)),
  rule('DATE DATE', (a, b, context) => dates.sameDay(a, b, context)),
  rule('ERA NUM 年代', ({ first }, { value }) => eraDecade(first, value)),
  rule('DATE の 週', (date, context) => ranges.weekOf(date, context)),
  rule('DATE 那 周', (date, context) => ranges.weekOf(date, context)),
  rule('DATE 期间|假期', (date) => (date.closed ? null : date)),
  rule('DATE の|的? POR', (date, { portion }) => dates.withPortion(date, portion)),
];

/** 昭和40年代: the years 40 to 49 of the reign. */
function eraDecade(first: number, value: number): DateNode | null {
  if (value % 10 !== 0) return null;
  const from = first + value - 1;
  return dates.date('decade', { span: { from: dateAt(from), to: dateAt(from + 10) } });
}

/** A bare 一日 or 1日 more often means 'one day' or 'a day'. */
function dayOf({ value, digits, vague }: NumberNode): DateNode | null {
  const day = vague ? null : dates.dayOnly(value);
  return day && value === 1 && digits < 2 ? { ...day, weak: true } : day;
}

/** 18年10月: next to a month, two digits are a year. */
function shortYearMonth(number: NumberNode, { value }: NumberNode): DateNode | null {
  const year = number.digits === 2 ? dates.fullYear(number.value, 2) : null;
  return year === null || value < 1 || value > 12 ? null : dates.date('month', { year, month: value });
}

/** The larger unit comes first; a weekday may come after anything. */
const isFiner = (b: DateNode, a: DateNode): boolean =>
  b.weekday !== undefined ||
  a.counted !== undefined ||
  dates.lengthOfGrain(b.grain) < dates.lengthOfGrain(a.grain);

/** 二十世纪九十年代: a decade of a named century. */
function decadeOf({ grain, span }: DateNode, value: number): DateNode | null {
  if (grain !== 'century' || span === undefined || span.from === null || value % 10 !== 0) return null;
  const from = addMonths(span.from, value * 12);
  return dates.date('decade', { span: { from, to: addMonths(from, 120) } });
}

/** The n-th week, month, Monday … of a period; 最後 counts from the end. */
const nths: Rule[][] = [
  rule('DATE の|的? ORD UNIT', (date, { value }, { unit }, context) => nth(value, unit, date, context)),
  rule('DATE の|的? ORD の|个? DATE', (date, { value }, day, context) =>
    dates.nthWeekdayOf(value, day, date, context),
  ),
  rule('DATE の|的? ORD の|的? DUR', (date, { value }, length, context) =>
    dates.someUnitsOf(value, length, date, context),
  ),
  rule('DATE の|的? 前 DUR', (date, length, context) => dates.someUnitsOf(1, length, date, context)),
];

function nth(n: number, unit: Unit, date: DateNode, context: Context): DateNode | null {
  if ((unit === 'quarter' || unit === 'halfyear') && date.grain === 'year' && n > 0) {
    const part = ranges.partOfYear(n, unit === 'quarter' ? 3 : 6);
    return part && dates.merge(part, date, context);
  }
  if (unit === 'week' && date.grain === 'year') {
    return dates.weekOfYear(n, date, context);
  }
  return dates.nthUnit(n, unit, date, context);
}

/** 2、3日: an approximate count. */
function about(a: NumberNode, b: NumberNode): NumberNode | null {
  return b.value === a.value + 1 && b.value < 10 && a.digits < 2 ? { ...a, vague: true } : null;
}

const durations: Rule[][] = [
  rule('NUM 、|,|~ NUM', about),
  rule('NUM UNIT', (number, { unit }) => durationOf(number, unit)),
  rule('NUM 年', yearsOf),
  rule('NUM 日', (number) => durationOf(number, 'day')),
  rule('NUM 週|周', (number) => durationOf(number, 'week')),
  rule('NUM 分', (number) => durationOf(number, 'minute')),
  rule('NUM 秒', (number) => durationOf(number, 'second')),
  rule('DUR 半', halfMore),
  rule('DUR と|又|零|加? DUR', dates.addDurations),
  rule('DUR 以上|以下|未満|ほど|くらい|ぐらい', (length) => length),
];

const BEFORE = '前|以前|之前' as const;
const AFTER = '後|后|以後|以后|之后' as const;
const FROM = 'から|到|至|~|-|—' as const;
const UNTIL = 'まで|为止|的时候|の間|までの間|之间|间|期间|の間に|にかけて' as const;

/** Points counted in units from the reference or from a date. */
const points: Rule[][] = [
  rule(`DATE から|の DUR 以上 前`, (date, length, context) => ranges.openPoint(length, -1, date, context)),
  rule(`DATE から DUR 以上 後|あと`, (date, length, context) => ranges.openPoint(length, 1, date, context)),
  rule('DUR の? 前|以前|之前', (length, context) => dates.pointAt(length, -1, context)),
  rule(`DUR の? ${AFTER}`, (length, context) => dates.pointAt(length, 1, context)),
  rule(`DATE の|から|的|より? DUR の? ${BEFORE}`, (date, length, context) =>
    clock.isDay(date) ? dates.pointFrom(length, -1, date, context) : null,
  ),
  rule(`DATE の|から|的? DUR の? ${AFTER}`, (date, length, context) =>
    clock.isDay(date) ? dates.pointFrom(length, 1, date, context) : null,
  ),
  rule(`DATE から DUR 以内 に?`, (date, length, context) => ranges.dateFor(date, length, context)),
  rule(`DATE から DUR`, (date, length, context) => ranges.dateFor(date, length, context)),
  rule('DUR 以内|之内|内', (length, context) => ranges.within(length, context)),
];

const open: Rule[][] = [
  rule(`DATE の? ${BEFORE}`, (date, context) => ranges.openDate(date, 'before', context)),
  rule('DATE まで', (date, context) => ranges.openDate(date, date.portion ? 'before' : 'until', context)),
  rule('DATE から|起|开始|以来|来', (date, context) => ranges.openDate(date, 'since', context)),
  rule(`DATE の? ${AFTER}`, (date, context) => ranges.openDate(date, 'after', context)),
  rule('DATE の? 後|あと から', (date, context) => ranges.openDate(date, 'after', context)),
  rule('DATE 以降', (date, context) => ranges.openDate(date, 'since', context)),
  rule('WHEN の? 前|以前|之前|まで', (when) => ranges.openWhen(when, 'before')),
  rule('WHEN から|後|以降|以後|之后|以后|后|起|开始', (when) => ranges.openWhen(when, 'after')),
  rule('TIME の? 前|以前|之前|まで', (time) => clock.openTime(time, 'before')),
  rule('TIME から|後|以降|以後|之后|以后|后|起|开始', (time) => clock.openTime(time, 'after')),
];

const spans: Rule[][] = [
  rule(`DATE ${FROM} DATE`, (a, b, context) => ranges.orderedRange(a, b, context)),
  rule(`DATE ${FROM} DATE ${UNTIL}`, (a, b, context) => ranges.orderedRange(a, b, context)),
  rule(`DATE ${FROM} DATE まで の間`, (a, b, context) => ranges.orderedRange(a, b, context)),
  rule('DATE 和|与|と DATE の間|之间|间', (a, b, context) => ranges.orderedRange(a, b, context)),
  rule(`NUM ${FROM} DATE`, (number, end, context) => numberToDate(number, end, context)),
  rule(`DATE ${FROM} 今|现在 まで?`, (date, context) => ranges.dateToNow(date, context)),
  rule(`WHEN ${FROM} WHEN`, (a, b) => ranges.whenRange(a, b)),
  rule(`WHEN ${FROM} WHEN ${UNTIL}`, (a, b) => ranges.whenRange(a, b)),
  rule(`WHEN 和|与|と WHEN の間|之间|间`, (a, b) => ranges.whenRange(a, b)),
  rule(`WHEN ${FROM} TIME`, (a, b) => ranges.whenToTime(a, b)),
  rule(`WHEN ${FROM} TIME ${UNTIL}`, (a, b) => ranges.whenToTime(a, b)),
  rule(`TIME ${FROM} TIME`, clockRange),
  rule(`TIME ${FROM} TIME ${UNTIL}`, clockRange),
  rule(`TIME ${FROM} TIME まで の間`, clockRange),
  rule('TIME 和|与|と TIME の間|之间|间', clockRange),
];

function clockRange(a: TimeNode, b: TimeNode): TimesNode {
  return clock.timeRange(a, clock.inSameHalf(b, a));
}

/** 1995-1997年, 3-5月: the unit is written once. */
function numberToDate({ value, digits }: NumberNode, end: DateNode, context: Context): DateNode | null {
  if (end.grain === 'year' && digits === 4) return ranges.orderedRange(dates.yearNode(value), end, context);
  if (digits > 2 || end.yearly || end.span || end.weekday !== undefined) return null;
  const start =
    end.grain === 'month' ? dates.monthNode(value) : end.grain === 'day' ? dates.dayOnly(value) : null;
  return start && end.year === undefined ? ranges.orderedRange(start, end, context) : null;
}

const HOUR_WORD = '時|时|点' as const;

/** An hour's number alone may be a count of something in Chinese (两点 'two points'); written in digits it is a time. */
function hourOf(number: NumberNode, minute?: number, second?: number): TimeNode | null {
  if (number.vague || !Number.isInteger(number.value)) return null;
  return clock.timeOf(number.value, minute, second);
}

const times: Rule[][] = [
  rule(`NUM ${HOUR_WORD}`, (number) => {
    const time = hourOf(number);
    return time && number.digits === 0 ? { ...time, weak: true } : time;
  }),
  rule(`NUM ${HOUR_WORD} 钟|整|ちょうど`, (number) => hourOf(number)),
  rule(`NUM ${HOUR_WORD} 半`, (number) => hourOf(number, 30)),
  rule(`NUM ${HOUR_WORD} 过? NUM 分?`, (number, minute) => hourOf(number, minute.value)),
  rule(`NUM ${HOUR_WORD} NUM 分 NUM 秒`, (number, minute, second) =>
    hourOf(number, minute.value, second.value),
  ),
  rule(`NUM ${HOUR_WORD} NUM 秒`, (number, second) => hourOf(number, 0, second.value)),
  rule('NUM 点 一 刻', (number) => hourOf(number, 15)),
  rule('NUM 点 NUM 刻', (number, quarters) => hourOf(number, quarters.value * 15)),
  rule('TIME am', (time) => clock.timeInPart(time, 'morning')),
  rule('TIME pm', (time) => clock.timeInPart(time, 'afternoon')),
  rule('NUM am', (number) => clock.timeInPart(hourOf(number), 'morning')),
  rule('NUM pm', (number) => clock.timeInPart(hourOf(number), 'afternoon')),
  rule(`PART の|的|,? TIME`, ({ part }, time) => clock.timeInPart(time, part)),
  rule('TIME ごろ|頃|ころ|左右|前后', ({ weak: _weak, ...time }) => time),
  rule('PART ごろ|頃|ころ', (part) => part),
];

const onDays: Rule[][] = [
  rule(`DATE ${OF}? TIME`, (date, time, context) => clock.dateTime(date, time, context)),
  rule('DATE t TIME', (date, time, context) => clock.dateTime(date, { ...time, exact: true }, context)),
  rule(`DATE ${OF}? TIMES`, (date, range, context) => clock.dateTimes(date, range, context)),
  rule(`DATE ${OF}? PART`, (date, part, context) => clock.datePart(date, part, context)),
  rule('WHEN ごろ|頃|ころ|左右', (when) => when),
  rule('DATE ごろ|頃|ころ|左右|前後|前后', (date) => (date.closed ? null : { ...date, vague: true })),
];

const repeated: Rule[][] = [
  rule(`SET の|的? TIME`, ({ timex }) => clock.set(timex)),
  rule(`SET の|的? PART`, ({ timex }) => clock.set(timex)),
  rule(`SET の|的? DATE`, ({ timex }) => clock.set(timex)),
  rule('SET DATE', ({ timex }) => clock.set(timex)),
];

/** The words of a language whose meaning depends on the reference, by the names under which they are in the lexicon. */
interface RelativeWords {
  readonly offsets: readonly Counted[];
  /** A part of a day whose word also says which day: 今朝, 昨晚. */
  readonly dayParts: Readonly<Record<string, { readonly offset: number; readonly part: PartName }>>;
  readonly vague: Readonly<Record<string, { readonly before: number; readonly after: number }>>;
}

export function relativeRules({ offsets, dayParts, vague }: RelativeWords): Rule[][] {
  const day = (offset: number, context: Context) => dates.dayFromToday(offset, context);
  return [
    ...offsets.map(({ name, unit, offset }) =>
      rule(name, (context) => dates.relativePeriod(unit, offset, context)),
    ),
    ...Object.entries(dayParts).flatMap(([name, { offset, part }]) => [
      rule(name, (context) => clock.datePart(day(offset, context), { kind: 'PART', part }, context)),
      rule(`${name} の|的? TIME` as '今朝 TIME', (time, context) =>
        clock.timeOnDay(day(offset, context), clock.timeInPart(time, part), context),
      ),
      rule(`${name} の|的? TIMES` as '今朝 TIMES', (range, context) =>
        clock.dateTimes(day(offset, context), clock.timesInPart(range, part), context),
      ),
    ]),
    ...Object.entries(vague).map(([name, { before, after }]) =>
      rule(name, (context) => ranges.around(before, after, context)),
    ),
  ];
}

/** A day of the traditional calendar, from a date with month and day. */
export function lunarOf(date: DateNode, context: Context): DateNode | null {
  if (date.month === undefined || date.day === undefined) return null;
  const node = lunar(date.month, date.day);
  return date.year === undefined ? node : dates.merge(node, dates.yearNode(date.year), context);
}

export const cjkRules: Rule[][] = [
  ...durations,
  ...points,
  ...days,
  ...nths,
  ...open,
  ...spans,
  ...times,
  ...onDays,
  ...repeated,
];
