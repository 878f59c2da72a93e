/** English ranges with one end or two. */
import { rule } from '../chart.ts';
import type { Rule } from '../chart.ts';
import * as dates from '../compose.ts';
import * as ranges from '../ranges.ts';
import type { Context, DateNode, NumberNode } from '../value.ts';
import { numberedDay } from './date-rules.ts';

const openAt = (side: 'before' | 'until' | 'since' | 'after') => (date: DateNode, context: Context) =>
  ranges.openDate(dates.withoutWeakness(date), side, context);

const open: Rule[][] = [
  rule('prior to DATE', openAt('before')),
  rule('earlier than DATE', openAt('before')),
  rule('up to|until DATE', openAt('until')),
  rule('on or before DATE', openAt('until')),
  rule('on or after DATE', openAt('since')),
  rule('as early as DATE', openAt('since')),
  rule('as late as DATE', openAt('until')),
  rule('no earlier than DATE', openAt('since')),
  rule('before|until|till|til DATE', openAt('before')),
  rule('by DATE', openAt('until')),
  rule('no later than DATE', openAt('until')),
  rule('since|starting|beginning on|from? DATE', openAt('since')),
  rule('after DATE', openAt('after')),
  rule('later than DATE', openAt('after')),
  rule('DATE or|and later|onward|onwards', openAt('since')),
  rule('from DATE onward|onwards|on', openAt('since')),
  rule('DATE or|and earlier', openAt('until')),
  rule('before|until|till|by WHEN', (when) => ranges.openWhen(when, 'before')),
  rule('after|since WHEN', (when) => ranges.openWhen(when, 'after')),
];

const TO = 'to|-|~|until|till|til|through|thru' as const;

const ranged: Rule[][] = [
  rule(`from|between the? DATE ${TO}|and the? DATE`, dateRange),
  rule(`DATE ${TO} the? DATE`, dateRange),
  rule(`from|between the? NUM ${TO}|and the? DATE`, (number, end, context) =>
    numberToDate(number.value, end, context),
  ),
  rule(`from|between the? ORD ${TO}|and the? DATE`, (number, end, context) =>
    numberToDate(number.value, end, context),
  ),
  rule(`from|between the? ORD ${TO}|and the? ORD`, (a, b, context) => dayToDay(a.value, b.value, context)),
  rule(`from|between NUM ${TO}|and NUM of|in DATE`, (a, b, month, context) => daysIn(a, b, month, context)),
  rule(`NUM ${TO} NUM of DATE`, (a, b, month, context) => daysIn(a, b, month, context)),
  rule(`NUM ${TO} DATE`, (number, end, context) =>
    number.digits === 1 || number.digits === 2 ? numberToDate(number.value, end, context) : null,
  ),
  rule(`from? DATE ${TO} the? NUM`, (start, number, context) => dateToNumber(start, number, context)),
  rule(`from? DATE ${TO} the? ORD`, (start, number, context) =>
    dateToNumber(start, { kind: 'NUM', value: number.value, digits: 0 }, context),
  ),
  rule('from|between? now to|-|until|till|and DATE', (date, context) => ranges.nowToDate(date, context)),
  rule('from|between? DATE to|-|until|till|and|til now|today', (date, context) =>
    ranges.dateToNow(date, context),
  ),
  rule('from|between? DATE to|-|until|till|and|til current date', (date, context) =>
    ranges.dateToNow(date, context),
  ),
];

function dateRange(start: DateNode, end: DateNode, context: Context): DateNode | null {
  return ranges.orderedRange(dates.withoutWeakness(start), dates.withoutWeakness(end), context);
}

function numberToDate(day: number, end: DateNode, context: Context): DateNode | null {
  const start = dates.dayOnly(day);
  return start && end.day !== undefined && end.month !== undefined
    ? ranges.orderedRange(start, end, context)
    : null;
}

/** 'From 4 to 23 of next month'. */
function daysIn(a: NumberNode, b: NumberNode, month: DateNode, context: Context): DateNode | null {
  const [start, end] = [numberedDay(month, a.value, context), numberedDay(month, b.value, context)];
  return start && end && month.day === undefined ? ranges.orderedRange(start, end, context) : null;
}

function dayToDay(a: number, b: number, context: Context): DateNode | null {
  const [start, end] = [dates.dayOnly(a), dates.dayOnly(b)];
  return start && end ? ranges.orderedRange(start, end, context) : null;
}

function dateToNumber(start: DateNode, number: NumberNode, context: Context): DateNode | null {
  if (start.day === undefined || start.month === undefined || number.digits > 2 || number.vague) return null;
  const end = dates.dayOnly(number.value);
  return end && ranges.orderedRange(start, end, context);
}

/** Before, since, from … to. */
export const rangeRules: Rule[][] = [...open, ...ranged];
