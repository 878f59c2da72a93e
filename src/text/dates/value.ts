/**
 * What expressions of time mean, and which ranges of time they can mean.
 *
 * Terminology
 *   node     the meaning of a piece of text: a number, a unit, a date, a time of day …
 *   date     a node whose fields may be incomplete: 'May 5' has a month and a day but no year
 *   span     a range of time with both ends (or one end open)
 *   reading  one span that a node may mean; 'May 5' has two, the last and the next
 */
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  WEEK,
  addMonths,
  dateAt,
  dayOfMonth,
  formatDay,
  isoWeek,
  mondayOf,
  monthOf,
  pad,
  validDate,
  weekdayOf,
  yearOf,
} from './calendar.ts';
import type { Unit } from './calendar.ts';

/** The precision with which an expression names a time. */
export type Grain =
  | 'second'
  | 'minute'
  | 'hour'
  | 'part-of-day'
  | 'day'
  | 'weekend'
  | 'week'
  | 'month'
  | 'season'
  | 'quarter'
  | 'halfyear'
  | 'year'
  | 'decade'
  | 'century';

/** `to` is exclusive. `last` is the start of the last named unit of a range ('May' in 'March to May'). */
export interface Span {
  from: number | null;
  to: number | null;
  last?: number;
  timex?: string;
}

/** What is needed to resolve an expression. `today` is the start of the reference's day. */
export interface Context {
  now: number;
  today: number;
  prefer: 'past' | 'future' | 'nearest';
}

/** Something that occurs once a year: a holiday, a season, a quarter. `code` is its part of the timex. */
interface Yearly {
  code: string;
  span: (year: number) => Span | null;
}

/** A part of a period. `end` is the last month of a year, and 'late' in others. East Asian thirds (`first-ten` …) are exact. */
export type Portion =
  | 'early'
  | 'mid'
  | 'late'
  | 'end'
  | 'first-ten'
  | 'mid-ten'
  | 'last-ten'
  | 'first-half'
  | 'second-half';

export interface DateNode {
  kind: 'DATE';
  grain: Grain;
  year?: number;
  month?: number;
  day?: number;
  /** 1 is Monday. */
  weekday?: number;
  /** The Monday of a named week. */
  monday?: number;
  /** The Monday of the week that some speakers mean instead: 'last Friday', said on a Sunday. */
  otherMonday?: number;
  yearly?: Yearly;
  portion?: Portion;
  /** A resolved range of time; the fields above are then not read. */
  span?: Span;
  /** Resolved ranges to choose from, the preferred first. */
  spans?: Span[];
  timex?: string;
  /** Reached by counting in this unit: a name next to it belongs to that year, month or week. */
  counted?: Unit;
  /** A date with two named ends, a count of units, or an open end: further fields cannot be added. */
  closed?: true;
  /** Also an ordinary word ('may'): a time only next to another time word or after a cue. */
  weak?: true;
  vague?: true;
  /** Milliseconds before and after that the speaker may also mean. */
  slack?: [number, number];
}

export type PartName =
  | 'dawn'
  | 'morning'
  | 'noon'
  | 'afternoon'
  | 'evening'
  | 'night'
  | 'small-hours'
  | 'day'
  | 'lunch';

export interface NumberNode {
  kind: 'NUM';
  value: number;
  /** How many digits were written; 0 for words. */
  digits: number;
  vague?: true;
}
interface OrdinalNode {
  kind: 'ORD';
  value: number;
}
/** A reign by which years are counted; `first` is the Gregorian year of its first year. */
export interface EraNode {
  kind: 'ERA';
  first: number;
}
interface UnitNode {
  kind: 'UNIT';
  unit: Unit;
  /** Written in the plural, in languages that have one. */
  plural?: true;
}
/** last (−1), this (0), next (1). `nearest` is the most recent or the next one, in whatever week. */
interface RelativeNode {
  kind: 'REL';
  offset: number;
  nearest?: true;
}
interface PortionNode {
  kind: 'POR';
  portion: Portion;
}
export interface DurationNode {
  kind: 'DUR';
  amounts: { count: number; unit: Unit }[];
  vague?: true;
}
/** A time of day. Without `exact` the hour can be before or after noon. */
export interface TimeNode {
  kind: 'TIME';
  hour: number;
  minute?: number;
  second?: number;
  exact: boolean;
  weak?: true;
}
/** A range within a day, as offsets from midnight; several when it may be before or after noon. */
export interface TimesNode {
  kind: 'TIMES';
  options: { from: number | null; to: number | null }[];
  timex: string;
}
export interface PartNode {
  kind: 'PART';
  part: PartName;
  portion?: 'early' | 'late';
  weak?: true;
}
/** Resolved instants: a point (whose span is as wide as its grain) or a range with a time of day in it. */
export interface WhenNode {
  kind: 'WHEN';
  grain: Grain;
  spans: Span[];
  point: boolean;
  timex: string;
  vague?: true;
  slack?: [number, number];
}
/** Something that repeats: every Monday. */
export interface SetNode {
  kind: 'SET';
  timex: string;
  grain: Grain;
}

export interface Nodes {
  NUM: NumberNode;
  ORD: OrdinalNode;
  ERA: EraNode;
  UNIT: UnitNode;
  REL: RelativeNode;
  POR: PortionNode;
  DATE: DateNode;
  DUR: DurationNode;
  TIME: TimeNode;
  TIMES: TimesNode;
  PART: PartNode;
  WHEN: WhenNode;
  SET: SetNode;
}
export type Node = Nodes[keyof Nodes];

/** Hours of the parts of the day, from and to; hours past 24 are on the next day. The code is that of TIMEX3. */
export const PARTS: Record<PartName, { from: number; to: number; code: string }> = {
  'small-hours': { from: 0, to: 5, code: 'TDA' },
  dawn: { from: 4, to: 7, code: 'TDA' },
  morning: { from: 5, to: 12, code: 'TMO' },
  noon: { from: 11, to: 14, code: 'TMI' },
  lunch: { from: 11, to: 14, code: 'TMEL' },
  day: { from: 8, to: 18, code: 'TDT' },
  afternoon: { from: 12, to: 18, code: 'TAF' },
  evening: { from: 17, to: 24, code: 'TEV' },
  night: { from: 18, to: 28, code: 'TNI' },
};

const monthSpan = (year: number, month: number): Span => ({
  from: dateAt(year, month),
  to: dateAt(year, month + 1),
});

/** The span of a part of a period. */
function portionOf(span: Span, portion: Portion, grain: Grain): Span {
  if (span.from === null || span.to === null) return span;
  const cut = cutsOf(span.from, span.to, grain, portion);
  return cut ? { from: cut[0], to: cut[1] } : span;
}

function cutsOf(from: number, to: number, grain: Grain, portion: Portion): [number, number] | null {
  if (portion === 'first-ten') return [from, from + 10 * DAY];
  if (portion === 'mid-ten') return [from + 10 * DAY, from + 20 * DAY];
  if (portion === 'last-ten') return [from + 20 * DAY, to];
  const cuts = vagueCuts(from, to, grain);
  if (portion === 'first-half') return [from, cuts.half];
  if (portion === 'second-half') return [cuts.half, to];
  if (portion === 'early') return [from, cuts.early];
  if (portion === 'end') return [grain === 'year' ? addMonths(to, -1) : cuts.late, to];
  return portion === 'mid' ? [cuts.mid, cuts.midEnd] : [cuts.late, to];
}

/** The boundaries between 'early', 'mid' and 'late' in a period. */
function vagueCuts(from: number, to: number, grain: Grain) {
  if (grain === 'month') {
    const half = from + 15 * DAY;
    return { early: half, half, mid: from + 9 * DAY, midEnd: from + 20 * DAY, late: half };
  }
  if (grain === 'week') {
    const half = from + 3 * DAY;
    return { early: half, half, mid: from + 2 * DAY, midEnd: from + 5 * DAY, late: half };
  }
  const third = Math.round((to - from) / 3 / DAY) * DAY;
  const half = grain === 'day' ? from + 12 * HOUR : from + Math.round((to - from) / 2 / DAY) * DAY;
  if (grain !== 'year')
    return { early: from + third, half, mid: from + third, midEnd: to - third, late: to - third };
  const year = yearOf(from);
  const [may, september] = [dateAt(year, 5), dateAt(year, 9)];
  return { early: may, half: dateAt(year, 7), mid: may, midEnd: september, late: september };
}

/** The spans that a date can mean, as a series (one a year, a month or a week), or its one resolved span. */
type Series =
  | { settled: Span | null }
  | { at: (index: number) => Span | null; indexOf: (instant: number) => number; steps: number };

/** How many neighbours to try: 29 February can be eight years away, a Friday the 31st thirty months. */
const YEARS = 9;
const MONTHS = 40;

const byYear = (at: (year: number) => Span | null): Series => ({ at, indexOf: yearOf, steps: YEARS });

function series(node: DateNode): Series {
  if (node.spans) return { settled: node.spans[0] ?? null };
  if (node.span) return { settled: node.span };
  const { year, month, day, weekday, monday, yearly } = node;
  if (yearly) return year === undefined ? byYear(yearly.span) : { settled: yearly.span(year) };
  if (monday !== undefined) return { settled: weekSpan(monday, weekday, node.grain) };
  if (month !== undefined) {
    const at = (candidate: number) => monthOrDay(candidate, month, day);
    return year === undefined ? byYear(at) : { settled: at(year) };
  }
  if (year !== undefined) return { settled: { from: dateAt(year), to: dateAt(year + 1) } };
  if (day !== undefined) return daysOfMonths(day, weekday);
  const offset = ((weekday ?? 1) - 1) * DAY;
  return {
    at: (index) => ({ from: index * WEEK - 3 * DAY + offset, to: index * WEEK - 2 * DAY + offset }),
    indexOf: (instant) => Math.round((mondayOf(instant) + 3 * DAY) / WEEK),
    steps: 2,
  };
}

function weekSpan(monday: number, weekday: number | undefined, grain: Grain): Span {
  if (weekday !== undefined) return { from: monday + (weekday - 1) * DAY, to: monday + weekday * DAY };
  return grain === 'weekend'
    ? { from: monday + 5 * DAY, to: monday + WEEK }
    : { from: monday, to: monday + WEEK };
}

function monthOrDay(year: number, month: number, day: number | undefined): Span | null {
  if (day === undefined) return monthSpan(year, month);
  const from = validDate(year, month, day);
  return from === null ? null : { from, to: from + DAY };
}

function daysOfMonths(day: number, weekday: number | undefined): Series {
  return {
    at: (index) => {
      const from = validDate(Math.floor(index / 12), (index % 12) + 1, day);
      if (from === null || (weekday !== undefined && weekdayOf(from) !== weekday)) return null;
      return { from, to: from + DAY };
    },
    indexOf: (instant) => yearOf(instant) * 12 + monthOf(instant) - 1,
    steps: MONTHS,
  };
}

/** A weekday by itself, said on that day, means the next or the previous week; other dates may mean today. */
const isLoneWeekday = (node: DateNode): boolean =>
  node.weekday !== undefined && node.day === undefined && node.month === undefined;

/** The spans that a date can mean, the preferred first. Empty when there is no such date. */
export function readings(node: DateNode, context: Context): Span[] {
  if (node.spans) return node.spans;
  const found = series(node);
  if ('settled' in found) {
    const other =
      node.otherMonday === undefined ? [] : [weekSpan(node.otherMonday, node.weekday, node.grain)];
    return found.settled ? [found.settled, ...other].map((span) => cut(span, node)) : [];
  }
  const newest = isLoneWeekday(node) ? context.today - 1 : context.today;
  const spans: Span[] = [];
  const middle = found.indexOf(newest);
  let after = middle + 1;
  for (let index = middle + 1; index > middle - found.steps; index--) {
    const span = found.at(index);
    if (span?.from === null || span?.from === undefined || span.from > newest) continue;
    spans.push(cut(span, node));
    after = index + 1;
    break;
  }
  for (let index = after; index <= middle + found.steps; index++) {
    const span = found.at(index);
    if (span?.from === null || span?.from === undefined || span.from <= newest) continue;
    spans.push(cut(span, node));
    break;
  }
  return order(spans, context);
}

/** The first span of an incomplete date that starts at or after an instant. */
export function firstFrom(node: DateNode, instant: number, context: Context): Span | null {
  const found = series(node);
  if ('settled' in found) return readings(node, context)[0] ?? null;
  const start = found.indexOf(instant);
  for (let index = start; index <= start + found.steps; index++) {
    const span = found.at(index);
    if (span && span.from !== null && span.from >= instant) return cut(span, node);
  }
  return null;
}

const cut = (span: Span, node: DateNode): Span =>
  node.portion ? portionOf(span, node.portion, node.grain) : span;

/** Readings in order of preference, from readings in order of time. A reading that contains now counts as future too. */
export function order(spans: Span[], context: Context): Span[] {
  if (context.prefer === 'future') {
    const end = spans[0]?.to ?? null;
    return end !== null && end > context.today ? spans : spans.toReversed();
  }
  if (context.prefer === 'past') return spans;
  const distance = (span: Span) => Math.abs((span.from ?? 0) - context.today);
  return spans.toSorted((a, b) => distance(a) - distance(b));
}

/** Whether the date's year, month and week are known. */
export function isSettled(node: DateNode): boolean {
  return 'settled' in series(node);
}

/** The day, month, year … of a span, as TIMEX3 writes it. */
function spanTimex(span: Span, grain: Grain): string {
  if (span.from === null) return '';
  const { from } = span;
  if (grain === 'week') return isoWeek(from);
  if (grain === 'weekend') return `${isoWeek(mondayOf(from))}-WE`;
  if (grain === 'year') return pad(yearOf(from), 4);
  if (grain === 'month') return `${pad(yearOf(from), 4)}-${pad(monthOf(from))}`;
  if (grain === 'day') return formatDay(from);
  return span.to === null ? formatDay(from) : rangeTimex(from, span.to);
}

/** `(2016-09-03,2016-09-12,P9D)` */
export function rangeTimex(from: number, to: number): string {
  return `(${formatDay(from)},${formatDay(to)},P${Math.round((to - from) / DAY)}D)`;
}

const wholeOf = ({ portion: _portion, ...node }: DateNode): DateNode => node;

/** The timex of a date, with X for unspecified parts. */
export function dateTimex(node: DateNode, context: Context): string {
  if (node.timex !== undefined) return node.timex;
  const { year, month, day, weekday, yearly } = node;
  if (yearly)
    return yearly.code.startsWith('-') || year !== undefined
      ? `${year === undefined ? 'XXXX' : pad(year, 4)}${yearly.code.startsWith('-') ? '' : '-'}${yearly.code}`
      : yearly.code;
  if (isSettled(node)) {
    const span = readings(wholeOf(node), context)[0];
    return span ? spanTimex(span, node.grain) : '';
  }
  if (month !== undefined) return `XXXX-${pad(month)}${day === undefined ? '' : `-${pad(day)}`}`;
  if (day !== undefined && weekday === undefined) return `XXXX-XX-${pad(day)}`;
  return `XXXX-WXX-${weekday ?? 1}`;
}

/** `T17:30` */
export function clockTimex(offset: number, grain: Grain): string {
  const hour = pad(Math.floor(offset / HOUR) % 24);
  if (grain === 'hour') return `T${hour}`;
  const minute = pad(Math.floor((offset % HOUR) / MINUTE));
  if (grain === 'minute') return `T${hour}:${minute}`;
  return `T${hour}:${minute}:${pad(Math.floor((offset % MINUTE) / SECOND))}`;
}

/** A date node of one known day. */
export function dayNode(instant: number): DateNode {
  return {
    kind: 'DATE',
    grain: 'day',
    year: yearOf(instant),
    month: monthOf(instant),
    day: dayOfMonth(instant),
  };
}
