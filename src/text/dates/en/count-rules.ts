/** English durations, points counted in them, and vague words. */
import { weekdayOf } from '../calendar.ts';
import type { Unit } from '../calendar.ts';
import { rule } from '../chart.ts';
import type { Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import * as ranges from '../ranges.ts';
import type { Context, DateNode, DurationNode, Node, NumberNode } from '../value.ts';
import { presentUnit, thisYear } from './date-rules.ts';

const durations: Rule[][] = [
  rule('NUM night|nights', ({ value }) => length(value, 'day')),
  rule('NUM UNIT', duration),
  rule('NUM -|full|whole|more UNIT', duration),
  rule('a|an UNIT', ({ unit }) => length(1, unit)),
  rule('NUM and a NUM UNIT', (whole, half, { unit }) =>
    half.value === 0.5 ? length(whole.value + 0.5, unit) : null,
  ),
  rule('NUM UNIT and a? NUM', (whole, { unit }, half) =>
    half.value === 0.5 ? length(whole.value + 0.5, unit) : null,
  ),
  rule('a|an UNIT and a NUM', ({ unit }, half) => (half.value === 0.5 ? length(1.5, unit) : null)),
  rule('half a|an UNIT', ({ unit }) => length(0.5, unit)),
  rule('DUR and|,? DUR', (a, b) => dates.addDurations(a, b)),
  rule('all|whole|entire UNIT', ({ unit }) => length(1, unit)),
];

const length = (count: number, unit: Unit): DurationNode => ({ kind: 'DUR', amounts: [{ count, unit }] });

function duration(number: NumberNode, { unit }: { unit: Unit }): DurationNode | null {
  if (number.digits === 4 && unit !== 'day') return null;
  return { ...length(number.value, unit), ...(number.vague ? { vague: true as const } : {}) };
}

const counted: Rule[][] = [
  rule('DUR ago|back|before|earlier', (length, context) => dates.pointAt(length, -1, context)),
  rule('in DUR', (length, context) => dates.pointAt(length, 1, context)),
  rule('DUR from|after now|today', (length, context) => dates.pointAt(length, 1, context)),
  rule('DUR ago today', (length, context) => dates.pointAt(length, -1, context)),
  rule('NUM SET ago', ({ value }, { timex }, context) => weekdaysAgo(value, timex, context)),
  rule('this time DATE', (period, context) => dates.sameTimeIn(period, context)),
  rule('REL time DATE', ({ offset }, period, context) =>
    offset === 0 ? dates.sameTimeIn(period, context) : null,
  ),
  rule('DUR later|hence', (length, context) => dates.pointAt(length, 1, context)),
  rule("in DUR '? time", (length, context) => dates.pointAt(length, 1, context)),
  rule('DUR on DATE', (length, date, context) =>
    dates.finestUnit(length) === 'week' && date.weekday !== undefined
      ? dates.pointFrom(length, 1, date, { ...context, prefer: 'future' })
      : null,
  ),
  rule('DUR from DATE', (length, date, context) =>
    dates.pointFrom(length, 1, date, { ...context, prefer: 'future' }),
  ),
  rule('DUR after DATE', (length, date, context) => dates.pointFrom(length, 1, date, context)),
  rule('in DUR from|after|since DATE', (length, date, context) => dates.pointFrom(length, 1, date, context)),
  rule('DUR before|prior DATE', (length, date, context) => dates.pointFrom(length, -1, date, context)),
  rule('DATE DUR from|after DATE', (day, length, date, context) => {
    const moved = dates.pointFrom(length, 1, date, context);
    return moved?.kind === 'DATE' ? dates.merge(day, moved, context) : null;
  }),
  rule('within the? next? DUR', (length, context) => ranges.within(length, context)),
  rule('within DUR of|from|after DATE', (length, date, context) => ranges.dateFor(date, length, context)),
  rule('less than DUR after|from DATE', (length, date, context) => ranges.dateFor(date, length, context)),
  rule('more than DUR ago', beforeToday),
  rule('more than DUR before|from today|now', beforeToday),
  rule('more than DUR after|from DATE', (length, date, context) =>
    ranges.openPoint(length, 1, date, context),
  ),
  rule('more than DUR before DATE', (length, date, context) => ranges.openPoint(length, -1, date, context)),
  rule('over|for|during? the? REL DUR', ({ offset }, length, context) => stretched(offset, length, context)),
  rule('the? NUM REL UNIT', (number, { offset }, unit, context) => {
    const length = unit.plural ? duration(number, unit) : null;
    return length && stretched(offset, length, context);
  }),
  rule('for? DUR ,? starting|beginning|from on|from? DATE', (length, date, context) =>
    ranges.dateFor(date, length, context),
  ),
  rule('DUR ,? from today', (length, context) =>
    ranges.dateFor(dates.dayFromToday(0, context), length, context),
  ),
  rule('DATE for DUR', (date, length, context) => ranges.dateFor(date, length, context)),
];

/** 'Two Fridays ago'. */
function weekdaysAgo(count: number, timex: string, context: Context): DateNode | null {
  const weekday = Number(/^XXXX-WXX-(\d)$/.exec(timex)?.[1] ?? Number.NaN);
  if (Number.isNaN(weekday)) return null;
  const last = ((weekdayOf(context.today) - weekday + 6) % 7) + 1;
  return dates.dayFromToday(-last - (count - 1) * 7, context);
}

function beforeToday(length: DurationNode, context: Context): DateNode | null {
  return ranges.openPoint(length, -1, dates.dayFromToday(0, context), context);
}

function stretched(offset: number, length: DurationNode, context: Context): Node | null {
  return offset === 0 ? null : dates.stretch(length, offset < 0 ? -1 : 1, context);
}

const vague: Rule[][] = [
  rule('a long time ago', (context) => ({ ...ranges.around(3650, -180, context) })),
  rule('a while ago|back', (context) => ranges.around(180, -7, context)),
  rule('recently|lately|nowadays', (context) => ranges.around(30, 0, context)),
  rule('the other night|morning|evening', (context) => ranges.around(14, -1, context)),
  rule('the other day', (context) => ranges.around(14, -1, context)),
  rule('now', (context) => ranges.present(context)),
  rule('at the? present time?', (context) => ranges.present(context)),
  rule('at the|this moment|time', (context) => ranges.present(context)),
  rule('right now', (context) => ranges.present(context)),
  rule('the? eod', (context) => clock.endOfDay(dates.dayFromToday(0, context), context)),
  rule('the? end of the? day', (context) => clock.endOfDay(dates.dayFromToday(0, context), context)),
  rule('the? POR the? DATE', ({ portion }, date, context) =>
    portion === 'late' && clock.isDay(date) ? clock.endOfDay(date, context) : null,
  ),
  rule('DATE to date|now', (date, context) => (date.grain === 'day' ? null : ranges.upToNow(date, context))),
  rule('year|month|week to date', (context) => ranges.upToNow(thisYear(context), context)),
  rule('the? rest|remainder|remaining of the|this UNIT', ({ unit }, context) => rest(unit, context)),
];

function rest(unit: Unit, context: Context): DateNode | null {
  const node = presentUnit(unit, context);
  return node && ranges.restOf(node, context);
}

/** Durations, points at a distance from now or from a date, and words without a measure. */
export const countRules: Rule[][] = [...durations, ...counted, ...vague];
