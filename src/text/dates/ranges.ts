/** Ranges with two named ends, or with one. */
import { DAY, HOUR, WEEK, addMonths, dateAt, lengthOf, mondayOf, startOfDay, yearOf } from './calendar.ts';
import { date, dayFromToday, merge, pointAt, pointFrom, shift, startOf, stretch } from './compose.ts';
import { isDay, offsetsOf } from './clock.ts';
import { dateTimex, firstFrom, isSettled, order, rangeTimex, readings } from './value.ts';
import type { Context, DateNode, DurationNode, Span, TimeNode, WhenNode } from './value.ts';

type Side = 'before' | 'until' | 'since' | 'after';

/**
 * A date with an open side. `before` ends where it begins, `until` ends with it, `since` begins with it and `after`
 * begins where it ends, except for a day, which is included ('after Monday' may mean Monday too).
 */
export function openDate(node: DateNode, side: Side, context: Context): DateNode | null {
  if (node.closed) return null;
  const spans = readings(node, context).map((span) => openSpan(span, sideOf(node, side), node));
  const [first] = spans;
  if (!first) return null;
  const [, second] = spans;
  const base = {
    closed: true as const,
    timex: dateTimex(node, context),
    ...(node.vague ? { vague: true as const } : {}),
  };
  return date(node.grain, second ? { spans, ...base } : { span: first, ...base });
}

/** 'Before the end of May' is treated as until it, 'after the beginning of May' as since it. */
function sideOf({ portion }: DateNode, side: Side): Side {
  if (side === 'before' && (portion === 'late' || portion === 'end')) return 'until';
  return side === 'after' && portion === 'early' ? 'since' : side;
}

function openSpan({ from, to }: Span, side: Side, { grain, portion }: DateNode): Span {
  if (side === 'before') return { from: null, to: from };
  if (side === 'until') return { from: null, to, ...(from === null || portion ? {} : { last: from }) };
  return { from: side === 'after' && grain !== 'day' ? to : from, to: null };
}

/** Before, or since, a point counted from a date: 'more than two days before yesterday'. */
export function openPoint(
  duration: DurationNode,
  sign: 1 | -1,
  base: DateNode,
  context: Context,
): DateNode | null {
  const point = pointFrom(duration, sign, base, context);
  return point?.kind === 'DATE' ? openDate(point, sign < 0 ? 'before' : 'since', context) : null;
}

/** An instant with an open side: 'tomorrow before 5 pm'. */
export function openWhen(node: WhenNode, side: Side): WhenNode | null {
  const spans = node.spans.map(({ from }) =>
    side === 'before' || side === 'until' ? { from: null, to: from } : { from, to: null },
  );
  return { ...node, spans, point: false };
}

/** From one date to another; each may omit fields that the other has ('3 to 12 September', 'Nov to Feb 2017'). */
function dateRange(start: DateNode, end: DateNode, context: Context): DateNode | null {
  if (start.closed || end.closed) return null;
  if (
    start.month === undefined &&
    start.day !== undefined &&
    end.day !== undefined &&
    start.day > end.day &&
    end.month !== undefined
  )
    return null;
  const first = inherit(start, end, context);
  const last = inherit(
    rollsOver(first, end) ? nextMonth({ ...end, month: first.month }, first.year) : end,
    first,
    context,
  );
  const starts = readings(first, { ...context, prefer: 'past' });
  const found = starts.flatMap((from) => endAfter(last, from, context) ?? []);
  const spans = order(found, context);
  const [one] = spans;
  if (!one || one.from === null || one.last === undefined) return null;
  const settled = isSettled(first) && isSettled(last);
  const timex = settled
    ? rangeTimex(one.from, one.last)
    : `(${dateTimex(first, context)},${dateTimex(last, context)},P${Math.round((one.last - one.from) / DAY)}D)`;
  return date(last.grain, { closed: true, timex, spans });
}

/** A span from `start` to the first end after it that the end date can mean. */
function endAfter(end: DateNode, start: Span, context: Context): Span | null {
  const { from } = start;
  if (from === null) return null;
  const found = isSettled(end) ? readings(end, context)[0] : firstFrom(end, from, context);
  if (!found || found.from === null || found.to === null || found.from < from) return null;
  const last = end.portion ? found.to : found.from;
  if (last <= from) return null;
  return { from, to: found.to, last };
}

/** Takes fields that this end omits from the other end. */
function inherit(node: DateNode, other: DateNode, context: Context): DateNode {
  if (isSettled(node)) return node;
  let result = node;
  if (
    node.day !== undefined &&
    node.month === undefined &&
    other.month !== undefined &&
    node.weekday === undefined
  ) {
    result = { ...result, month: other.month };
    if (other.year === undefined) return result;
  }
  if (result.day === undefined && result.month === undefined && result.weekday !== undefined) {
    return inWeekOf(result, other, context);
  }
  const takesYear = other.year !== undefined && (result.month !== undefined || result.yearly !== undefined);
  return takesYear && other.year !== undefined ? { ...result, year: other.year } : result;
}

/** 'April 27 to the third' ends in May. */
function rollsOver(start: DateNode, end: DateNode): start is DateNode & { month: number } {
  if (start.month === undefined || start.day === undefined || end.month !== undefined) return false;
  return end.weekday === undefined && end.day !== undefined && end.day < start.day;
}

function nextMonth(node: DateNode, year: number | undefined): DateNode {
  const month = ((node.month ?? 1) % 12) + 1;
  return { ...node, month, ...(year === undefined ? {} : { year: month === 1 ? year + 1 : year }) };
}

/** 'next week Monday to Wednesday': the second weekday is of the same week. */
function inWeekOf(node: DateNode, other: DateNode, context: Context): DateNode {
  if (other.monday === undefined || other.weekday === undefined) return node;
  return merge(date('week', { monday: other.monday }), node, context) ?? node;
}

/** 'From the 27th to the third of April' begins in March. */
function monthBefore(start: DateNode, end: DateNode): DateNode {
  const month = end.month === 1 ? 12 : (end.month ?? 1) - 1;
  const year = end.year === undefined || end.month !== 1 ? end.year : end.year - 1;
  return { ...start, month, ...(year === undefined ? {} : { year }) };
}

/** Two ends whose year was guessed may be in the wrong order: November to February 2017. */
export function orderedRange(start: DateNode, end: DateNode, context: Context): DateNode | null {
  const range = dateRange(start, end, context);
  if (range) return range;
  if (
    start.month === undefined &&
    start.day !== undefined &&
    end.month !== undefined &&
    end.day !== undefined
  ) {
    return dateRange(monthBefore(start, end), end, context);
  }
  if (start.year === undefined && end.year !== undefined && start.month !== undefined) {
    return dateRange({ ...start, year: end.year - 1 }, end, context);
  }
  if (end.year === undefined && start.year !== undefined && end.month !== undefined) {
    return dateRange(start, { ...end, year: start.year + 1 }, context);
  }
  return null;
}

/** From one instant to another; a day as an end is included whole. */
export function whenRange(start: WhenNode, end: WhenNode): WhenNode | null {
  if (!start.point || !end.point) return null;
  const spans = start.spans.flatMap(({ from }) => {
    const to = end.spans.map((span) => span.from ?? 0).filter((at) => at > (from ?? 0));
    const nearest = to.length && end.spans.length > 1 ? Math.min(...to) : to[0];
    return nearest === undefined || from === null ? [] : [{ from, to: nearest }];
  });
  const [first] = spans;
  if (!first) return null;
  const timex = `(${start.timex},${end.timex},PT${Math.round((first.to - first.from) / HOUR)}H)`;
  return { kind: 'WHEN', grain: end.grain, spans, point: false, timex };
}

/** 'from 2 pm tomorrow until 4': the end is on the same day, or on the next if it would be before the start. */
export function whenToTime(start: WhenNode, end: TimeNode): WhenNode | null {
  if (!start.point) return null;
  const spans = start.spans.flatMap(({ from }) => {
    if (from === null) return [];
    const day = startOfDay(from);
    const ends = [...offsetsOf(end), ...offsetsOf(end).map((offset) => offset + DAY)].map(
      (offset) => day + offset,
    );
    const to = ends.find((at) => at > from);
    return to === undefined ? [] : [{ from, to }];
  });
  return spans.length
    ? { kind: 'WHEN', grain: 'hour', spans, point: false, timex: `(${start.timex},T,PT)` }
    : null;
}

/** 'between now and 15 November', '2019年から今日まで': the present as one end. */
export function nowToDate(end: DateNode, context: Context): DateNode | null {
  const found = end.closed ? null : firstFrom(end, context.today, context);
  if (!found || found.from === null || found.to === null || found.from < context.today) return null;
  const span = { from: context.today, to: found.to, last: found.from };
  return date('day', { span, closed: true, timex: rangeTimex(span.from, span.last) });
}

export function dateToNow(start: DateNode, context: Context): DateNode | null {
  const range = start.closed ? null : upToNow(start, context);
  if (range?.span === undefined) return null;
  return { ...range, grain: 'day', timex: rangeTimex(range.span.from ?? 0, context.today) };
}

/** A range of a given length that begins with a date: 'three days starting next Monday', 明日から3日間. */
export function dateFor(start: DateNode, duration: DurationNode, context: Context): DateNode | null {
  if (!isDay(start)) return null;
  const spans = readings(start, context).flatMap(({ from }) =>
    from === null ? [] : [{ from, to: startOfDay(shift(from, duration, 1)) }],
  );
  const [first] = spans;
  if (!first || first.to <= first.from) return null;
  return date('day', { closed: true, timex: rangeTimex(first.from, first.to), spans });
}

/** Within a duration from now; a duration in days begins with today. */
export function within(duration: DurationNode, context: Context): DateNode | WhenNode | null {
  const end = pointAt(duration, 1, context);
  if (end?.kind === 'WHEN') return stretch(duration, 1, context);
  return dateFor(dayFromToday(0, context), duration, context);
}

/** A range that begins at an instant and has a given length. */
export function whenFor(start: WhenNode, duration: DurationNode): WhenNode | null {
  if (!start.point) return null;
  const spans = start.spans.flatMap(({ from }) =>
    from === null ? [] : [{ from, to: shift(from, duration, 1) }],
  );
  return { ...start, spans, point: false };
}

/** The week, Monday to Sunday, that contains a day: 'the week of the 18th', 18日の週. */
export function weekOf(day: DateNode, context: Context): DateNode | null {
  if (!isDay(day)) return null;
  return weeks(day, context, mondayOf);
}

/** The seven days from a date: 'the week starting 4 February'. */
export function weekFrom(start: DateNode, context: Context): DateNode | null {
  return isDay(start) ? weeks(start, context, (day) => day) : null;
}

/** For each reading of a day, the seven days from the day that `first` gives. */
function weeks(day: DateNode, context: Context, first: (day: number) => number): DateNode | null {
  const spans = readings(day, context).flatMap(({ from }) =>
    from === null ? [] : [{ from: first(from), to: first(from) + WEEK }],
  );
  return spans.length ? date('week', { closed: true, timex: dateTimex(day, context), spans }) : null;
}

/** The part of a date before or after the reference: this year to date, the rest of the month. */
export function upToNow(node: DateNode, context: Context): DateNode | null {
  const from = startOf(node, context);
  if (from === null || from > context.today) return null;
  const span = { from, to: context.today + DAY, last: context.today };
  return date(node.grain, { span, closed: true, timex: dateTimex(node, context) });
}

export function restOf(node: DateNode, context: Context): DateNode | null {
  const [found] = readings(node, context);
  if (!found || found.to === null || found.to <= context.today) return null;
  const from = Math.max(found.from ?? 0, context.today);
  const span = { from, to: found.to, last: found.to - DAY };
  return date(node.grain, { span, closed: true, timex: rangeTimex(from, found.to - DAY) });
}

/** Ten years: '1990s', or without a century ('90s': the last such decade). */
export function decade(value: number, digits: number, context: Context): DateNode | null {
  if (value % 10 !== 0 || (digits !== 2 && digits !== 4) || (digits === 4 && value < 1000)) return null;
  const thisCentury = Math.floor(yearOf(context.today) / 100) * 100 + value;
  const century = thisCentury > yearOf(context.today) ? thisCentury - 100 : thisCentury;
  const year = digits === 4 ? value : century;
  return date('decade', { span: { from: dateAt(year), to: dateAt(year + 10) } });
}

/** The n-th century, counted from round years as in everyday speech (the 15th begins in 1400). */
export function century(n: number): DateNode | null {
  if (n < 1 || n > 30) return null;
  const from = dateAt((n - 1) * 100);
  return date('century', { span: { from, to: dateAt(n * 100) } });
}

/** A quarter or half of a year. */
export function partOfYear(n: number, months: 3 | 6): DateNode | null {
  if (n < 1 || n * months > 12) return null;
  const span = (year: number): Span => ({
    from: dateAt(year, (n - 1) * months + 1),
    to: addMonths(dateAt(year, (n - 1) * months + 1), months),
  });
  const code = `${months === 3 ? 'Q' : 'H'}${n}`;
  return date(months === 3 ? 'quarter' : 'halfyear', { yearly: { code, span } });
}

/** A Japanese fiscal year, from April: 2019年度. */
export function fiscalYear(year: DateNode, context: Context): DateNode | null {
  const start = year.grain === 'year' && !year.closed ? startOf(year, context) : null;
  if (start === null) return null;
  const from = dateAt(yearOf(start), 4);
  return date('year', { span: { from, to: addMonths(from, 12) }, timex: `FY${yearOf(start)}` });
}

/** A vague range up to now, or from now: 'recently', このところ. Widths are in days before and after today. */
export function around(daysBefore: number, daysAfter: number, context: Context): DateNode {
  const span = { from: context.today - daysBefore * DAY, to: context.today + (daysAfter + 1) * DAY };
  return date('day', { span, closed: true, vague: true, timex: daysAfter > 0 ? 'FUTURE_REF' : 'PAST_REF' });
}

/** The present moment. */
export function present(context: Context): WhenNode {
  const spans = [{ from: context.now, to: context.now + lengthOf('second') }];
  return { kind: 'WHEN', grain: 'second', spans, point: true, timex: 'PRESENT_REF' };
}
