/** English dates: written out, relative to today, and parts of periods. */
import { DAY, mondayOf, monthOf, unitAround, weekdayOf, yearOf } from '../calendar.ts';
import type { Unit } from '../calendar.ts';
import { rule } from '../chart.ts';
import type { Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import * as ranges from '../ranges.ts';
import { readings } from '../value.ts';
import type { Context, DateNode, DurationNode, NumberNode } from '../value.ts';

export function numberedDay(month: DateNode, day: number, context: Context): DateNode | null {
  const only = dates.dayOnly(day);
  return only && month.weekday === undefined ? dates.merge(month, only, context) : null;
}

/** A number after a date: the day of a month, or the year of a date without one. */
function dateNumber(date: DateNode, number: NumberNode, context: Context): DateNode | null {
  if (number.vague) return null;
  if (number.digits === 4) return yearAfter(date, number, context);
  if (!Number.isInteger(number.value)) return null;
  return date.weekday === undefined
    ? numberedDay(date, number.value, context)
    : weekdayAndDay(date, number.value, context);
}

function yearAfter(date: DateNode, number: NumberNode, context: Context): DateNode | null {
  const year = dates.fullYear(number.value, number.digits);
  return year === null ? null : dates.merge(date, dates.yearNode(year), context);
}

/** 'Tuesday the 11th': in this month if that day is a Tuesday there, else in the month where it is. */
function weekdayAndDay(date: DateNode, day: number, context: Context): DateNode | null {
  const only = dates.dayOnly(day);
  const joined = only && dates.merge(date, only, context);
  const here = dates.fullDate(yearOf(context.today), monthOf(context.today), day);
  const [span] = here ? readings(here, context) : [];
  return span !== undefined && span.from !== null && weekdayOf(span.from) === date.weekday ? here : joined;
}

export const thisYear = (context: Context): DateNode => dates.relativeUnit('year', 0, context);

const years: Rule[][] = [
  rule('NUM', ({ value, digits }) => {
    const year = digits === 4 ? dates.fullYear(value, 4) : null;
    return year === null || year < 1500 || year > 2200 ? null : { ...dates.yearNode(year), weak: true };
  }),
  rule('the? year|cy of? NUM', ({ value, digits }) => {
    const year = dates.fullYear(value, digits);
    return year === null || digits === 0 ? null : dates.yearNode(year);
  }),
  rule("the? NUM '? s", ({ value, digits }, context) => ranges.decade(value, digits, context)),
  rule('the? ORD UNIT', ({ value }, { unit }) => (unit === 'century' ? ranges.century(value) : null)),
];

const monthDays: Rule[][] = [
  rule('DATE .? of|,? NUM', dateNumber),
  rule('DATE , NUM', (date, number, context) =>
    number.digits === 4 ? dateNumber(date, number, context) : null,
  ),
  rule("DATE of? ' NUM", (date, number, context) =>
    number.digits === 2 ? yearAfter(date, number, context) : null,
  ),
  rule('DATE of NUM', (date, number, context) =>
    number.digits === 2 && date.month !== undefined ? yearAfter(date, number, context) : null,
  ),
  rule('DATE the? ORD', (date, { value }, context) =>
    date.weekday === undefined ? numberedDay(date, value, context) : weekdayAndDay(date, value, context),
  ),
  rule('the? ORD day? of? DATE', ({ value }, date, context) => numberedDay(date, value, context)),
  rule('NUM of|-|/? DATE', (number, date, context) =>
    number.vague || number.digits === 4 || date.year !== undefined
      ? null
      : numberedDay(date, number.value, context),
  ),
  rule('NUM NUM NUM', (year, month, day) =>
    year.digits === 4 && month.digits === 2 && day.digits === 2
      ? dates.fullDate(year.value, month.value, day.value)
      : null,
  ),
  rule('DATE -|/ NUM', dateNumber),
  rule('NUM -|/ DATE', (number, date, context) =>
    number.digits === 4 ? yearAfter(date, number, context) : null,
  ),
  rule('NUM -|/ NUM -|/ DATE', (year, day, date, context) => {
    const month = numberedDay(date, day.value, context);
    return month && year.digits === 4 ? yearAfter(month, year, context) : null;
  }),
  rule('the ORD', ({ value }) => weakDay(value)),
  rule('on|by|until|the ORD', ({ value }) => weakDay(value)),
  rule('the NUM', ({ value, digits }) => (digits > 0 && digits < 3 ? weakDay(value) : null)),
];

function weakDay(value: number): DateNode | null {
  const day = dates.dayOnly(value);
  return day && { ...day, weak: true };
}

const joined: Rule[][] = [
  rule('DATE of|on|in|,|-? the? DATE', (a, b, context) => dates.merge(a, b, context)),
  rule('DATE ( DATE )', (a, b, context) => dates.merge(a, b, context) ?? dates.sameDay(a, b, context)),
  rule("DATE 's DATE", (a, b, context) => dates.merge(a, b, context)),
  rule('DATE DATE', (a, b, context) => dates.sameDay(a, b, context)),
];

const today = (offset: number) => (context: Context) => dates.dayFromToday(offset, context);

const relative: Rule[][] = [
  rule('today', today(0)),
  rule('tomorrow|tmr|tmrw', today(1)),
  rule('yesterday', today(-1)),
  rule('the? REL UNIT', ({ offset }, { unit }, context) => dates.relativePeriod(unit, offset, context)),
  rule('the UNIT', ({ unit }, context) => {
    const node = presentUnit(unit, context);
    return node && { ...node, weak: true };
  }),
  rule('weekend', (context) => dates.relativeUnit('weekend', 0, context)),
  rule('the? REL DATE', ({ offset, nearest }, date, context) =>
    dates.relativeDate(date, offset, context, { nearest: nearest === true }),
  ),
  rule('REL workweek', ({ offset }, context) => workingWeek(offset, context)),
  rule('REL working|work week', ({ offset }, context) => workingWeek(offset, context)),
  rule('REL calendar year', ({ offset }, context) => dates.relativeUnit('year', offset, context)),
  rule('the? UNIT after next', ({ unit, plural }, context) =>
    plural ? null : dates.relativeUnit(unit, 2, context),
  ),
  rule('DATE after next', (date, context) => dates.relativeDate(date, 2, context, { nearest: false })),
  rule('the? UNIT before last', ({ unit }, context) => dates.relativeUnit(unit, -2, context)),
  rule('DATE before last', (date, context) => dates.relativeDate(date, -2, context, { nearest: false })),
  rule('the? day before', (context) => ({ ...dates.dayFromToday(-1, context), weak: true })),
  rule('the UNIT before DATE', ({ unit }, date, context) => neighbour(unit, -1, date, context)),
  rule('the UNIT after DATE', ({ unit }, date, context) => neighbour(unit, 1, date, context)),
  rule('the DATE before DATE', (weekday, date, context) => besideDay(weekday, -1, date, context)),
  rule('the DATE after|following DATE', (weekday, date, context) => besideDay(weekday, 1, date, context)),
  rule('the? day after DATE', (date, context) => dates.pointFrom(days(1), 1, date, context)),
  rule('the? day before DATE', (date, context) => dates.pointFrom(days(1), -1, date, context)),
];

/** 'The Monday before 24 July': the last such day before the date, or the first after it. */
function besideDay(weekday: DateNode, sign: 1 | -1, date: DateNode, context: Context): DateNode | null {
  const [span] = clock.isDay(date) ? readings(date, context) : [];
  if (span === undefined || span.from === null || weekday.weekday === undefined) return null;
  if (weekday.day !== undefined || weekday.monday !== undefined) return null;
  return dates.relativeDate(weekday, sign, { ...context, today: span.from }, { nearest: true });
}

/** 'The week before Christmas', 'the year after 2015'. */
function neighbour(unit: Unit, offset: number, date: DateNode, context: Context): DateNode | null {
  const [span] = readings(date, context);
  if (
    !['week', 'month', 'year', 'weekend'].includes(unit) ||
    date.closed ||
    span === undefined ||
    span.from === null
  )
    return null;
  return dates.relativeUnit(unit, offset, { ...context, today: span.from });
}

/** Monday to Friday. */
function workingWeek(offset: number, context: Context): DateNode {
  const { from } = unitAround(context.today, 'week', offset);
  return dates.date('week', { span: { from, to: from + 5 * DAY }, closed: true });
}

const days = (count: number): DurationNode => ({ kind: 'DUR', amounts: [{ count, unit: 'day' }] });

/** The day, or the longer unit, that holds the reference. */
export const presentUnit = (unit: Unit, context: Context): DateNode | null =>
  unit === 'weekend' ? null : dates.relativeUnit(unit, 0, context);

const pieces: Rule[][] = [
  rule('the? POR -|in|of|the? DATE', ({ portion }, date) => dates.withPortion(date, portion)),
  rule('the? POR the? UNIT', ({ portion }, { unit }, context) => {
    const node = unit === 'day' ? null : presentUnit(unit, context);
    return node && dates.withPortion(node, portion);
  }),
  rule('the? eoy', (context) => dates.withPortion(thisYear(context), 'late')),
  rule('end of UNIT', ({ unit }, context) => {
    const node = unit === 'day' ? null : presentUnit(unit, context);
    return node && dates.withPortion(node, 'late');
  }),
  rule('earlier in? the? DATE', (date, context) => dates.halfFromNow(date, 'early', context)),
  rule('later in? the? DATE', (date, context) => dates.halfFromNow(date, 'late', context)),
  rule('the? ORD UNIT of|in DATE', ({ value }, { unit }, date, context) => nth(value, unit, date, context)),
  rule('the? REL UNIT of|in DATE', ({ offset }, { unit }, date, context) =>
    offset === -1 ? nth(-1, unit, date, context) : null,
  ),
  rule("DATE 's? ORD UNIT", (date, { value }, { unit }, context) => nth(value, unit, date, context)),
  rule("DATE 's? REL UNIT", (date, { offset }, { unit }, context) =>
    offset === -1 ? nth(-1, unit, date, context) : null,
  ),
  rule('the? ORD DUR of|in DATE', ({ value }, length, date, context) =>
    value === 1 ? dates.someUnitsOf(1, length, date, context) : null,
  ),
  rule('the? REL DUR of|in DATE', ({ offset }, length, date, context) =>
    dates.someUnitsOf(offset === -1 ? -1 : 0, length, date, context),
  ),
  rule('the? ORD DATE of|in DATE', ({ value }, day, date, context) =>
    dates.nthWeekdayOf(value, day, date, context),
  ),
  rule('the? REL DATE of|in DATE', ({ offset }, day, date, context) =>
    offset === -1 ? dates.nthWeekdayOf(-1, day, date, context) : null,
  ),
  rule('the? week NUM', ({ value, digits }, context) =>
    digits ? dates.weekOfYear(value, thisYear(context), context) : null,
  ),
  rule('the? week NUM of|in? DATE', ({ value }, date, context) => dates.weekOfYear(value, date, context)),
  rule('DATE weekend', (date, context) => weekendOf(date, context)),
  rule('DATE weekend NUM', (date, number, context) => {
    const dated = dateNumber(date, number, context);
    return dated && weekendOf(dated, context);
  }),
  rule('the? weekend of|before|after DATE', (date, context) => weekendOf(date, context)),
  rule('the? week of DATE', (date, context) => ranges.weekOf(date, context)),
  rule('the? week starting|beginning|commencing|from on? DATE', (date, context) =>
    ranges.weekFrom(date, context),
  ),
  rule('w / c DATE', (date, context) => ranges.weekOf(date, context)),
];

function nth(n: number, unit: Unit, date: DateNode, context: Context): DateNode | null {
  if (unit === 'quarter' && n > 0) {
    const quarter = ranges.partOfYear(n, 3);
    return quarter && date.grain === 'year' ? dates.merge(quarter, date, context) : null;
  }
  return dates.nthUnit(n, unit, date, context);
}

/** The weekend nearest a holiday; a Monday holiday lengthens it. */
function weekendOf(date: DateNode, context: Context): DateNode | null {
  const [span] = readings(date, context);
  if (!clock.isDay(date) || span === undefined || span.from === null) return null;
  const friday = span.from + 3 * DAY;
  const saturday = mondayOf(friday) + 5 * DAY - (friday - mondayOf(friday) < 4 * DAY ? 7 * DAY : 0);
  const to = Math.max(saturday + 2 * DAY, span.from === saturday + 2 * DAY ? span.from + DAY : 0);
  return dates.date('weekend', { span: { from: saturday, to } });
}

/** Days and longer periods by name, number or position. */
export const dateRules: Rule[][] = [...years, ...monthDays, ...joined, ...relative, ...pieces];
