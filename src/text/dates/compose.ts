/** Builds dates: joins fields, counts units from the reference, and takes parts and n-th units of periods. */
import {
  DAY,
  MONTHS_IN,
  WEEK,
  addMonths,
  addUnits,
  dateAt,
  lengthOf,
  mondayOf,
  monthOf,
  nthWeekday,
  startOfDay,
  unitAround,
  weekInPeriod,
  weekdayOf,
  yearOf,
} from './calendar.ts';
import type { Unit } from './calendar.ts';
import { dateTimex, dayNode, firstFrom, isSettled, rangeTimex, readings } from './value.ts';
import type { Context, DateNode, DurationNode, Grain, Portion, Span, WhenNode } from './value.ts';

type Fields = Omit<Partial<DateNode>, 'kind' | 'grain'>;

export const date = (grain: Grain, fields: Fields): DateNode => ({ kind: 'DATE', grain, ...fields });

const when = (grain: Grain, span: Span, fields: Pick<WhenNode, 'point' | 'vague' | 'slack'>): WhenNode => ({
  kind: 'WHEN',
  grain,
  spans: [span],
  timex: '',
  ...fields,
});

/** A year as written: two digits mean a year from 1940 to 2039. Null when it is not a year. */
export function fullYear(value: number, digits: number): number | null {
  if (digits === 4 || digits === 0) return value >= 1000 && value <= 2999 ? value : null;
  if (digits !== 2) return null;
  return value < 40 ? 2000 + value : 1900 + value;
}

export const yearNode = (year: number): DateNode => date('year', { year });

export const monthNode = (month: number): DateNode | null =>
  month >= 1 && month <= 12 ? date('month', { month }) : null;

export const dayOnly = (day: number): DateNode | null =>
  day >= 1 && day <= 31 ? date('day', { day }) : null;

export const weekdayNode = (weekday: number): DateNode => date('day', { weekday });

/** The day `offset` days from the reference. */
export const dayFromToday = (offset: number, context: Context): DateNode =>
  dayNode(context.today + offset * DAY);

/** A date given by day, month and year; null if it does not exist. */
export function fullDate(year: number | undefined, month: number, day: number): DateNode | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const leapYear = year ?? 2000;
  if (monthOf(dateAt(leapYear, month, day)) !== month) return null;
  return date('day', year === undefined ? { month, day } : { year, month, day });
}

/** A calendar unit counted from the one that holds the reference: last week, next year. */
export function relativeUnit(
  unit: 'day' | 'week' | 'weekend' | 'month' | 'year',
  offset: number,
  context: Context,
): DateNode;
export function relativeUnit(unit: Unit, offset: number, context: Context): DateNode | null;
export function relativeUnit(unit: Unit, offset: number, context: Context): DateNode | null {
  const { from, to } = unitAround(context.today, unit, offset);
  switch (unit) {
    case 'day':
      return dayNode(from);
    case 'week':
      return date('week', { monday: from });
    case 'weekend':
      return date('weekend', { monday: mondayOf(from) });
    case 'month':
      return date('month', { year: yearOf(from), month: monthOf(from) });
    case 'year':
      return date('year', { year: yearOf(from) });
    case 'quarter':
    case 'halfyear':
    case 'decade':
    case 'century':
      return date(unit, { span: { from, to } });
    case 'fortnight':
      return date('week', { span: { from, to } });
    default:
      return null;
  }
}

/** Like `relativeUnit`, and also the last or next hour, minute or second, from now. */
export function relativePeriod(unit: Unit, offset: number, context: Context): DateNode | WhenNode | null {
  if (!['second', 'minute', 'hour'].includes(unit)) return relativeUnit(unit, offset, context);
  const length: DurationNode = { kind: 'DUR', amounts: [{ count: 1, unit }] };
  return Math.abs(offset) === 1 ? stretch(length, offset < 0 ? -1 : 1, context) : null;
}

/** The last, current or next occurrence of what a name means: 'last May', 'this summer', 'next Christmas'. */
export function relativeDate(
  node: DateNode,
  offset: number,
  context: Context,
  { nearest }: { nearest: boolean },
): DateNode | null {
  if (node.closed || (isSettled(node) && node.span === undefined && node.grain !== 'day')) return null;
  if (node.year !== undefined || node.monday !== undefined || node.span) return null;
  if (node.weekday !== undefined && node.day === undefined)
    return relativeWeekday(node.weekday, offset, context, { nearest });
  if (node.month === undefined && !node.yearly) return null;
  if (offset === 0) return { ...node, year: yearOf(context.today) };
  const strong = withoutWeakness(node);
  const [past, future] = readings(node, { ...context, prefer: 'past' });
  const current = past?.to !== null && past?.to !== undefined && past.to > context.today;
  if (offset < 0) {
    const reading = current && past.from !== null ? backOneYear(node, past.from) : past;
    return reading ? settledFrom(strong, reading) : null;
  }
  return future ? settledFrom(strong, future) : null;
}

const backOneYear = (node: DateNode, from: number): Span | null => {
  const year = yearOf(from) - 1;
  if (node.yearly) return node.yearly.span(year);
  const start = dateAt(year, node.month, node.day);
  return { from: start, to: start + DAY };
};

/** A date that is no longer weak, because another word confirms it. */
export const withoutWeakness = ({ weak: _weak, ...node }: DateNode): DateNode => node;

const settledFrom = (node: DateNode, { from }: Span): DateNode | null =>
  from === null ? null : settle(node, from);

/** Gives a yearly date the year in which its span begins. */
function settle(node: DateNode, from: number): DateNode {
  const year = yearOf(from);
  if (!node.yearly || node.yearly.span(year)?.from === from) return { ...node, year };
  return { ...node, year: node.yearly.span(year - 1)?.from === from ? year - 1 : year + 1 };
}

function relativeWeekday(
  weekday: number,
  offset: number,
  context: Context,
  { nearest }: { nearest: boolean },
): DateNode {
  const monday = mondayOf(context.today);
  const today = weekdayOf(context.today);
  if (!nearest) {
    const passed = offset === -1 && weekday < today;
    return inWeek(monday + offset * WEEK, weekday, passed ? monday : undefined, today >= SATURDAY);
  }
  if (offset < 0) return dayNode(context.today - (((today - weekday + 6) % 7) + 1) * DAY);
  return dayNode(context.today + (((weekday - today + 6) % 7) + 1) * DAY);
}

const SATURDAY = 6;
const SUNDAY = 7;

/**
 * A weekday of a week; with `otherMonday`, of one of two weeks.
 * @param isOtherFirst whether most speakers mean the other week
 */
function inWeek(monday: number, weekday: number, otherMonday?: number, isOtherFirst = false): DateNode {
  if (otherMonday === undefined) return date('day', { monday, weekday });
  const [first, second] = isOtherFirst ? [otherMonday, monday] : [monday, otherMonday];
  const slack: [number, number] = [Math.max(0, first - second), Math.max(0, second - first)];
  return date('day', { monday: first, weekday, otherMonday: second, slack });
}

/** A weekday of a named week. For people whose weeks begin on Sunday, Sunday's 'last week' has just ended. */
function weekdayOfWeek(monday: number, weekday: number, context: Context): DateNode {
  const thisMonday = mondayOf(context.today);
  const isDoubtful =
    weekdayOf(context.today) === SUNDAY && monday === thisMonday - WEEK && weekday !== SUNDAY;
  return inWeek(monday, weekday, isDoubtful ? thisMonday : undefined);
}

/** 上周五: a weekday of the week `offset` weeks from this one. */
export const weekdayOfRelativeWeek = (weekday: number, offset: number, context: Context): DateNode =>
  weekdayOfWeek(mondayOf(context.today) + offset * WEEK, weekday, context);

/** Two names of the same day ('Friday, 6 July'): that day. */
export function sameDay(a: DateNode, b: DateNode, context: Context): DateNode | null {
  if (a.grain !== 'day' || b.grain !== 'day' || a.closed || b.closed) return null;
  const days = new Set(readings(b, context).map((span) => span.from));
  const shared = readings(a, context).find((span) => days.has(span.from));
  if (shared === undefined || shared.from === null) return null;
  return date('day', { span: { from: shared.from, to: shared.from + DAY } });
}

const FIELD_NAMES = ['year', 'month', 'day', 'weekday', 'monday', 'yearly', 'span'] as const;

/** 30 February: one expression that names no day. */
const IMPOSSIBLE: DateNode = { kind: 'DATE', grain: 'day', spans: [], closed: true };

/** Joins two parts of one date ('5月' and '9日', 'next week' and 'Tuesday'); null when they do not belong together. */
export function merge(a: DateNode, b: DateNode, context: Context): DateNode | null {
  if (a.closed || b.closed || a.portion || b.portion || a.timex !== undefined || b.timex !== undefined)
    return null;
  if (a.span || b.span) return mergeSpan(a, b, context);
  if (a.grain === 'week' && b.grain === 'weekend' && a.monday !== undefined)
    return { ...b, monday: a.monday };
  for (const name of FIELD_NAMES) if (a[name] !== undefined && b[name] !== undefined) return null;
  const joined = { ...withoutWeakness(a), ...withoutWeakness(b) };
  const { year, month, day, weekday, monday, yearly } = joined;
  if (monday !== undefined)
    return weekday !== undefined && onlyWeek(joined) ? weekdayOfWeek(monday, weekday, context) : null;
  if (yearly) {
    return month === undefined && day === undefined && weekday === undefined
      ? { ...joined, grain: a.yearly ? a.grain : b.grain }
      : null;
  }
  if (day === undefined && weekday !== undefined) return null;
  if (day !== undefined && month === undefined && year !== undefined) return null;
  if (day !== undefined && month !== undefined && !fullDate(year, month, day)) return IMPOSSIBLE;
  if (weekday !== undefined && year !== undefined && weekdayOf(dateAt(year, month, day)) !== weekday)
    return null;
  return { ...joined, grain: day === undefined ? 'month' : 'day' };
}

const onlyWeek = (node: DateNode): boolean =>
  node.year === undefined && node.month === undefined && node.day === undefined && !node.yearly;

/** What stands next to a counted day: 3年前の夏, 'two weeks ago on Tuesday', 'two months from today, Friday'. */
function besideCounted(other: DateNode, unit: Unit, day: number, context: Context): DateNode | null {
  const { weekday, month, yearly } = withoutWeakness(other);
  if (other.year !== undefined || other.monday !== undefined) return null;
  if (unit === 'year' && (month !== undefined || yearly))
    return { ...withoutWeakness(other), year: yearOf(day) };
  if (unit === 'month' && month === undefined && other.day !== undefined) {
    return fullDate(yearOf(day), monthOf(day), other.day);
  }
  if (weekday === undefined || other.day !== undefined) return null;
  if (unit === 'week') return date('day', { monday: mondayOf(day), weekday });
  const span = firstFrom(weekdayNode(weekday), unit === 'day' ? day - 3 * DAY : day, context);
  return span === null || span.from === null ? null : dayNode(span.from);
}

/** A resolved day combined with what else is said of it. */
function mergeSpan(a: DateNode, b: DateNode, context: Context): DateNode | null {
  const [settled, other] = a.span ? [a, b] : [b, a];
  if (!settled.span || other.span || settled.grain !== 'day' || settled.span.from === null) return null;
  const day = settled.span.from;
  if (settled.counted) {
    const near = besideCounted(other, settled.counted, day, context);
    if (near) return near;
  }
  const same = readings(other, context).some((span) => span.from === day);
  return same ? settled : null;
}

/** 'early May', 'the end of last month'. */
export function withPortion(node: DateNode, portion: Portion): DateNode | null {
  if (node.closed || node.portion || node.grain === 'day' || node.grain === 'weekend') return null;
  const exact = portion.endsWith('-ten') || portion.endsWith('-half');
  return { ...withoutWeakness(node), portion, ...(exact ? {} : { vague: true }) };
}

/** 'later this week', 'earlier this year': the half of it that is still to come, or already past. */
export function halfFromNow(node: DateNode, half: 'early' | 'late', context: Context): DateNode | null {
  const portion: Portion = half === 'early' ? 'first-half' : 'second-half';
  const span = node.closed || node.portion ? undefined : readings({ ...node, portion }, context)[0];
  if (span === undefined || span.from === null || span.to === null) return null;
  const from =
    half === 'late' && node.grain !== 'day'
      ? Math.min(Math.max(span.from, context.today), span.to - DAY)
      : span.from;
  return date(node.grain, {
    span: { from, to: span.to },
    timex: dateTimex(node, context),
    closed: true,
    vague: true,
  });
}

/** This day in another year or month: 去年の今頃, 'this time last year'; with a tolerance of two weeks. */
export function sameTimeIn(period: DateNode, context: Context): DateNode | null {
  const { grain, closed } = period;
  const start = startOf(period, context);
  if (start === null || closed || (grain !== 'year' && grain !== 'month')) return null;
  const months =
    (yearOf(start) - yearOf(context.today)) * 12 +
    (grain === 'month' ? monthOf(start) - monthOf(context.today) : 0);
  const from = addMonths(context.today, months);
  const width = grain === 'year' ? 14 * DAY : 3 * DAY;
  return date('day', { span: { from, to: from + DAY }, vague: true, slack: [width, width] });
}

/** The n-th unit, or the last n units, of a period: 'the second week of May', 'the last three days of the year'. */
export function nthUnit(n: number, unit: Unit, period: DateNode, context: Context): DateNode | null {
  if (period.closed || period.portion || n === 0 || lengthOf(unit) >= lengthOfGrain(period.grain))
    return null;
  const choose = (span: Span): Span | null => nthIn(n, unit, span);
  const grain = unit === 'weekend' ? 'weekend' : (unit as Grain);
  return overPeriods(period, context, { grain, code: `#${unit}${n}`, choose });
}

function nthIn(n: number, unit: Unit, { from, to }: Span): Span | null {
  if (from === null || to === null) return null;
  if (unit === 'week') {
    const monday = weekInPeriod(from, to, n);
    return monday === null ? null : { from: monday, to: monday + WEEK };
  }
  if (unit === 'weekend') {
    const saturday = nthWeekday(from, to, 6, n);
    return saturday === null ? null : { from: saturday, to: saturday + 2 * DAY };
  }
  const start = n > 0 ? addUnits(from, unit, n - 1) : addUnits(to, unit, n);
  return start < from || start >= to ? null : { from: start, to: addUnits(start, unit, 1) };
}

/** The n-th week of a year by ISO 8601. */
export function weekOfYear(n: number, year: DateNode, context: Context): DateNode | null {
  const [span] = year.grain === 'year' ? readings(year, context) : [];
  if (span === undefined || span.from === null || span.to === null || n === 0) return null;
  const monday = weekInPeriod(span.from, span.to, n);
  return monday === null ? null : date('week', { monday });
}

/** 'the first Monday of next month', 'the last Friday in May'. */
export function nthWeekdayOf(n: number, day: DateNode, period: DateNode, context: Context): DateNode | null {
  const { weekday } = day;
  if (weekday === undefined || day.day !== undefined || day.monday !== undefined) return null;
  if (period.closed || period.portion || lengthOfGrain(period.grain) < 28 * DAY) return null;
  const at = ({ from, to }: Span): Span | null => {
    const start = from === null || to === null ? null : nthWeekday(from, to, weekday, n);
    return start === null ? null : { from: start, to: start + DAY };
  };
  return overPeriods(period, context, { grain: 'day', code: `#${weekday}-${n}`, choose: at });
}

interface Choice {
  readonly grain: Grain;
  /** Distinguishes this choice from others in a yearly date. */
  readonly code: string;
  readonly choose: (span: Span) => Span | null;
}

/** Applies a choice within a period to each year that the period can belong to. */
function overPeriods(period: DateNode, context: Context, { grain, code, choose }: Choice): DateNode | null {
  if (isSettled(period)) {
    const outer = readings(period, context)[0];
    const span = outer ? choose(outer) : null;
    if (span && span.from !== null && grain === 'week') return date('week', { monday: span.from });
    return span ? date(grain, { span }) : null;
  }
  const yearly = (year: number): Span | null => {
    const outer = readings({ ...period, year }, context)[0];
    return outer ? choose(outer) : null;
  };
  if (period.month === undefined && !period.yearly) return null;
  return date(grain, { yearly: { code: `-${period.month ?? ''}${code}`, span: yearly } });
}

/** The start of the first reading of a date; null when there is none, or its start is open. */
export const startOf = (node: DateNode, context: Context): number | null =>
  readings(node, context)[0]?.from ?? null;

/** The first (1) or last (−1) units of a period, as many as a duration has. */
export function someUnitsOf(
  n: number,
  { amounts: [only] }: DurationNode,
  period: DateNode,
  context: Context,
): DateNode | null {
  if (!only || only.count > 1000 || (n !== 1 && n !== -1)) return null;
  const edge = nthUnit(n, only.unit, period, context);
  const [span] = edge ? readings(edge, context) : [];
  if (!span || span.from === null || span.to === null) return null;
  const from = n > 0 ? span.from : addUnits(span.to, only.unit, -only.count);
  const to = n > 0 ? addUnits(span.from, only.unit, only.count) : span.to;
  return date('day', { span: { from, to }, closed: true, timex: rangeTimex(from, to) });
}

/** Approximate milliseconds that a date of this grain covers. */
export function lengthOfGrain(grain: Grain): number {
  if (grain === 'part-of-day') return lengthOf('hour') * 6;
  if (grain === 'season') return lengthOf('quarter');
  return grain === 'weekend' ? 2 * DAY : lengthOf(grain);
}

/** One hour and thirty minutes; null when a unit occurs twice. */
export function addDurations(a: DurationNode, b: DurationNode): DurationNode | null {
  const used = new Set(a.amounts.map(({ unit }) => unit));
  if (b.amounts.some(({ unit }) => used.has(unit))) return null;
  return {
    kind: 'DUR',
    amounts: [...a.amounts, ...b.amounts],
    ...(a.vague || b.vague ? { vague: true as const } : {}),
  };
}

/** The unit that gives the precision of a duration: '2 weeks' is precise to about a week. */
export const finestUnit = (duration: DurationNode): Unit =>
  duration.amounts.toSorted((a, b) => lengthOf(a.unit) - lengthOf(b.unit))[0]?.unit ?? 'day';

const isOfDays = (duration: DurationNode): boolean => lengthOf(finestUnit(duration)) >= DAY;

export function shift(instant: number, duration: DurationNode, sign: 1 | -1): number {
  return duration.amounts.reduce((at, { count, unit }) => addUnits(at, unit, sign * count), instant);
}

/** A count so large that the result would be outside the calendar. */
const isAbsurd = (duration: DurationNode): boolean =>
  duration.amounts.some(({ count, unit }) => count * lengthOf(unit) > 3000 * lengthOf('year'));

function grainOf(unit: Unit): Grain {
  if (unit === 'businessday') return 'day';
  return unit === 'fortnight' ? 'week' : unit;
}

/** Half a unit on each side: 'two weeks ago' is not precise to the day. */
function slackOf(duration: DurationNode): [number, number] | undefined {
  const unit = finestUnit(duration);
  if (lengthOf(unit) <= DAY && !duration.vague) return undefined;
  const fewest = Math.min(1, ...duration.amounts.map(({ count }) => count));
  const half = Math.floor((lengthOf(unit) * fewest) / 2 / DAY) * DAY;
  const vague = duration.vague ? startOfDay(shift(0, duration, 1)) : 0;
  return [Math.max(half, vague), Math.max(half, Math.round(vague / 2 / DAY) * DAY)];
}

/** The point a duration before (−1) or after (1) the reference, or a given instant. */
export function pointAt(
  duration: DurationNode,
  sign: 1 | -1,
  context: Context,
  base?: number,
): DateNode | WhenNode | null {
  if (isAbsurd(duration)) return null;
  const slack = slackOf(duration);
  const extra = { ...(duration.vague ? { vague: true as const } : {}), ...(slack ? { slack } : {}) };
  if (isOfDays(duration)) {
    const from = startOfDay(shift(base ?? context.today, duration, sign));
    return date('day', { span: { from, to: from + DAY }, counted: finestUnit(duration), ...extra });
  }
  const from = shift(base ?? context.now, duration, sign);
  const unit = grainOf(finestUnit(duration));
  const grain = unit === 'hour' ? 'minute' : unit;
  return when(grain, { from, to: from + lengthOfGrain(grain) }, { point: true, ...extra });
}

/** The range of a duration up to (−1) or after (1) the reference: 'the past two weeks', 'the next 3 hours'. */
export function stretch(duration: DurationNode, sign: 1 | -1, context: Context): DateNode | WhenNode | null {
  if (isAbsurd(duration)) return null;
  const extra = duration.vague ? { vague: true as const } : {};
  if (!isOfDays(duration)) {
    const other = shift(context.now, duration, sign);
    const span = { from: Math.min(other, context.now), to: Math.max(other, context.now) };
    return when(grainOf(finestUnit(duration)), span, { point: false, ...extra });
  }
  const base = sign > 0 ? context.today + DAY : context.today;
  const [only] = duration.amounts;
  const whole = duration.amounts.length === 1 && only && (MONTHS_IN[only.unit] ?? 0) === 3 ? only : undefined;
  const counted =
    sign > 0 && only?.unit === 'businessday'
      ? shift(context.today, duration, 1) + DAY
      : shift(base, duration, sign);
  const other = startOfDay(counted);
  const span = whole
    ? quarters(whole.count, sign, context)
    : { from: Math.min(base, other), to: Math.max(base, other) };
  const slack: [number, number] = sign < 0 ? [0, DAY] : [DAY, 0];
  return date(grainOf(finestUnit(duration)), {
    span,
    closed: true,
    timex: rangeTimex(span.from, span.to),
    slack,
    ...extra,
  });
}

function quarters(count: number, sign: 1 | -1, context: Context): { from: number; to: number } {
  const { from, to } = unitAround(context.today, 'quarter');
  return sign < 0
    ? { from: addMonths(from, -3 * count), to: from }
    : { from: to, to: addMonths(to, 3 * count) };
}

/** `n` units from a date: '3 days after Christmas', '两周前的周一'. Each reading of the date is moved. */
export function pointFrom(
  duration: DurationNode,
  sign: 1 | -1,
  base: DateNode,
  context: Context,
): DateNode | WhenNode | null {
  const start = startOf(base, context);
  if (start === null || base.closed || isAbsurd(duration)) return null;
  if (base.grain !== 'day' && !isOfDays(duration)) return null;
  const moved = pointAt(duration, sign, context, start);
  if (moved?.kind !== 'DATE' || isSettled(base)) return moved;
  const { slack: _slack, ...node } = moved;
  return node;
}
