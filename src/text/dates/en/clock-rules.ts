/** English times of day and repeated times. */
import { DAY } from '../calendar.ts';
import { rule } from '../chart.ts';
import type { Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import * as ranges from '../ranges.ts';
import { PARTS } from '../value.ts';
import type { Context, DurationNode, NumberNode, PartNode, TimeNode, TimesNode, WhenNode } from '../value.ts';

const TO = 'to|-|~|until|till|til|through|thru' as const;

function hour({ value, digits, vague }: NumberNode): TimeNode | null {
  if (vague || !Number.isInteger(value) || value > 24) return null;
  return digits === 3 || digits === 4 ? null : clock.timeOf(value);
}

/** '0730', '1140'. */
function compact({ value, digits }: NumberNode): TimeNode | null {
  return digits === 3 || digits === 4 ? clock.timeOf(Math.floor(value / 100), value % 100) : null;
}

const weakly = <T>(node: T | null): (T & { weak: true }) | null => node && { ...node, weak: true };

const meridiem = (time: TimeNode | null, half: 'am' | 'pm'): TimeNode | null =>
  clock.timeInPart(time, half === 'am' ? 'morning' : 'afternoon');

const ZONE = 'gmt|utc|est|edt|cst|cdt|mst|mdt|pst|pdt|pt|et|ct|bst|cet|cest|jst|eastern|pacific' as const;

const times: Rule[][] = [
  rule(`TIME ${ZONE}`, (time) => time),
  rule('NUM am|a', (number) => meridiem(hour(number) ?? compact(number), 'am')),
  rule('NUM pm|p', (number) => meridiem(hour(number) ?? compact(number), 'pm')),
  rule('TIME am|a', (time) => meridiem(time, 'am')),
  rule('TIME pm|p', (time) => meridiem(time, 'pm')),
  rule('at NUM', (number) => weakly(hour(number))),
  rule('around|about|approximately|circa NUM', (number) => weakly(hour(number))),
  rule('at|around|about|approximately|circa TIME', ({ weak: _weak, ...time }) => time),
  rule("NUM o ' clock", hour),
  rule('NUM oclock', hour),
  rule('TIME oclock', (time) => time),
  rule("TIME o ' clock", (time) => time),
  rule('half past NUM', (number) => withMinute(number, 30)),
  rule('a? quarter past NUM', (number) => withMinute(number, 15)),
  rule('a? quarter to NUM', (number) => beforeHour(number, 15)),
  rule('NUM past NUM', (minute, number) => (minute.value < 1 ? null : withMinute(number, minute.value))),
  rule('DUR past NUM', ({ amounts: [only] }, number) =>
    only?.unit === 'minute' ? withMinute(number, only.count) : null,
  ),
  rule('NUM -? NUM', (number, minute) =>
    number.digits === 0 && minute.digits === 0 && minute.value >= 10
      ? weakly(withMinute(number, minute.value))
      : null,
  ),
];

function withMinute(number: NumberNode, minute: number): TimeNode | null {
  const time = hour(number);
  return time && clock.timeOf(time.hour, minute);
}

function beforeHour(number: NumberNode, minutes: number): TimeNode | null {
  const time = hour(number);
  return time && clock.timeOf(time.hour === 1 ? 12 : time.hour - 1, 60 - minutes);
}

const parts: Rule[][] = [
  rule('POR -|in? the? PART', ({ portion }, part) =>
    partPortion(part, portion === 'early' ? 'early' : 'late'),
  ),
  rule('earlier|early in? the PART', (part) => partPortion(part, 'early')),
  rule('later|late in? the PART', (part) => partPortion(part, 'late')),
  rule('in|during the? PART', (part) => part),
  rule('at PART', (part) => (part.part === 'night' ? part : null)),
  rule('TIME in|at the? PART', (time, { part }) => clock.timeInPart(time, part)),
  rule('TIME PART', (time, { part }) => clock.timeInPart(time, part)),
  rule('NUM in the PART', (number, { part }) => clock.timeInPart(hour(number), part)),
  rule('NUM at PART', (number, { part }) => clock.timeInPart(hour(number), part)),
  rule('PART at? TIME', ({ part }, time) => clock.timeInPart(time, part)),
  rule('PART at|around NUM', ({ part }, number) => clock.timeInPart(hour(number), part)),
];

function partPortion(part: PartNode, portion: 'early' | 'late'): PartNode | null {
  return part.portion ? null : { ...part, portion };
}

const onDay = (offset: number, part: PartNode, context: Context): WhenNode | null =>
  clock.datePart(dates.dayFromToday(offset, context), part, context);

const NIGHT: PartNode = { kind: 'PART', part: 'night' };

const dateTimes: Rule[][] = [
  rule('the? REL PART', ({ offset }, part, context) => onDay(offset, part, context)),
  rule('POR REL PART', ({ portion }, { offset }, part, context) => {
    const piece = partPortion(part, portion === 'early' ? 'early' : 'late');
    return piece && onDay(offset, piece, context);
  }),
  rule('POR DATE PART', ({ portion }, date, part, context) => {
    const piece = partPortion(part, portion === 'early' ? 'early' : 'late');
    return piece && clock.datePart(date, piece, context);
  }),
  rule('later REL PART', ({ offset }, part, context) => onDay(offset, { ...part, portion: 'late' }, context)),
  rule('earlier REL PART', ({ offset }, part, context) =>
    onDay(offset, { ...part, portion: 'early' }, context),
  ),
  rule('the? ORD DATE PART of|in DATE', ({ value }, day, part, date, context) => {
    const joined = dates.nthWeekdayOf(value, day, date, context);
    return joined && clock.datePart(joined, part, context);
  }),
  rule('later|earlier tonight', (context) => onDay(0, NIGHT, context)),
  rule('the? night before last', (context) => onDay(-2, NIGHT, context)),
  rule('tonight|tonite', (context) => onDay(0, NIGHT, context)),
  rule('TIME tonight|tonite', (time, context) => atNight(time, context)),
  rule('NUM tonight|tonite', (number, context) => atNight(hour(number), context)),
  rule('tonight|tonite at? TIME', (time, context) => atNight(time, context)),
  rule('tonight|tonite TIMES', (range, context) =>
    clock.dateTimes(dates.dayFromToday(0, context), clock.timesInPart(range, 'evening'), context),
  ),
  rule('the? REL PART at? TIME', ({ offset }, { part }, time, context) =>
    clock.timeOnDay(dates.dayFromToday(offset, context), clock.timeInPart(time, part), context),
  ),
  rule('TIME the? REL PART', (time, { offset }, { part }, context) =>
    clock.timeOnDay(dates.dayFromToday(offset, context), clock.timeInPart(time, part), context),
  ),
  rule('the? REL PART TIMES', ({ offset }, { part }, range, context) =>
    clock.dateTimes(dates.dayFromToday(offset, context), clock.timesInPart(range, part), context),
  ),
  rule('TIMES the? REL PART', (range, { offset }, { part }, context) =>
    clock.dateTimes(dates.dayFromToday(offset, context), clock.timesInPart(range, part), context),
  ),
  rule("DATE 's? PART", (date, part, context) => clock.datePart(date, part, context)),
  rule('DATE in|at|during the? PART', (date, part, context) => clock.datePart(date, part, context)),
  rule('the? PART of|on the? DATE', (part, date, context) => clock.datePart(date, part, context)),
  rule('DATE PART DATE', (day, part, date, context) => {
    const joined = dates.merge(day, date, context);
    return joined && clock.datePart(joined, part, context);
  }),
  rule('DATE am', (date, context) => clock.datePart(date, { kind: 'PART', part: 'morning' }, context)),
  rule('DATE pm', (date, context) => clock.datePart(date, { kind: 'PART', part: 'afternoon' }, context)),
  rule('DATE @ TIME', (date, time, context) => clock.dateTime(date, time, context)),
  rule('DATE ,|-? at? TIME', (date, time, context) => clock.dateTime(date, time, context)),
  rule('DATE t TIME', (date, time, context) => clock.dateTime(date, { ...time, exact: true }, context)),
  rule('DATE at|around NUM', (date, number, context) => clock.timeOnDay(date, hour(number), context)),
  rule('TIME DATE PART', (time, date, { part }, context) =>
    clock.timeOnDay(date, clock.timeInPart(time, part), context),
  ),
  rule('TIME on|of|,? the? DATE', (time, date, context) => clock.dateTime(date, time, context)),
  rule('DATE ,|at|from? TIMES', (date, range, context) => clock.dateTimes(date, range, context)),
  rule('DATE PART TIMES', (date, { part }, range, context) =>
    clock.dateTimes(date, clock.timesInPart(range, part), context),
  ),
  rule('TIMES DATE PART', (range, date, { part }, context) =>
    clock.dateTimes(date, clock.timesInPart(range, part), context),
  ),
  rule('TIMES on|of? DATE', (range, date, context) => clock.dateTimes(date, range, context)),
  rule('the? ORD DATE TIMES of DATE', ({ value }, day, range, date, context) => {
    const joined = dates.nthWeekdayOf(value, day, date, context);
    return joined && clock.dateTimes(joined, range, context);
  }),
  rule('WHEN for DUR', (when, length) => ranges.whenFor(when, length)),
];

function atNight(time: TimeNode | null, context: Context): WhenNode | null {
  return clock.timeOnDay(dates.dayFromToday(0, context), clock.timeInPart(time, 'night'), context);
}

const ranged: Rule[][] = [
  rule(`from|between? TIME ${TO}|and TIME`, (a, b) => clock.timeRange(a, b)),
  rule(`from|between|at? NUM ${TO}|and TIME`, (number, end) => fromHour(number, end)),
  rule(`from|between? TIME ${TO}|and NUM`, (start, number) => toHour(start, number)),
  rule(`from|between NUM ${TO}|and NUM`, (a, b) => bothHours(a, b)),
  rule('NUM to|- NUM', (a, b) => weakly(bothHours(a, b))),
  rule('from TIME for DUR', (time, length) => timeFor(time, length)),
  rule('for DUR from TIME', (length, time) => timeFor(time, length)),
  rule('for DUR from NUM', (length, number) => {
    const time = hour(number);
    return time && timeFor(time, length);
  }),
  rule('TIMES in the PART', (range, { part }) => clock.timesInPart(range, part)),
  rule('later than TIME', (time) => clock.openTime(time, 'after')),
  rule('no later than TIME', (time) => clock.openTime(time, 'before')),
  rule('before|until|till|by TIME', (time) => clock.openTime(time, 'before')),
  rule('after|since TIME', (time) => clock.openTime(time, 'after')),
  rule('TIME or|and later|after|onwards', (time) => clock.openTime(time, 'after')),
  rule(`from|between? WHEN ${TO}|and WHEN`, (a, b) => ranges.whenRange(a, b)),
  rule(`from|between? WHEN ${TO}|and TIME`, (a, b) => ranges.whenToTime(a, b)),
  rule(`from TIME ${TO} DATE at? TIME`, (a, date, b, context) => {
    const start = clock.dateTime(dates.dayFromToday(0, context), a, context);
    const end = clock.dateTime(date, b, context);
    return start && end && ranges.whenRange(start, end);
  }),
  rule(`from|between TIME ${TO}|and now`, (time, context) => {
    const start = clock.dateTime(dates.dayFromToday(0, context), time, context);
    return start && ranges.whenRange(start, ranges.present(context));
  }),
  rule(`from|between now ${TO}|and TIME`, (time, context) =>
    ranges.whenToTime(ranges.present(context), time),
  ),
  rule(`from|between now ${TO}|and WHEN`, (when, context) => ranges.whenRange(ranges.present(context), when)),
];

function fromHour(number: NumberNode, end: TimeNode): TimesNode | null {
  const start = hour(number) ?? compact(number);
  return start && clock.timeRange(start, end);
}

function toHour(start: TimeNode, number: NumberNode): TimesNode | null {
  const end = hour(number) ?? compact(number);
  return end && clock.timeRange(start, end);
}

function bothHours(a: NumberNode, b: NumberNode): TimesNode | null {
  if (a.digits > 2 !== b.digits > 2) return null;
  const start = hour(a) ?? compact(a);
  return start && toHour(start, b);
}

function timeFor(time: TimeNode, length: DurationNode): TimesNode | null {
  const milliseconds = dates.shift(0, length, 1);
  return milliseconds > 0 && milliseconds <= DAY ? clock.timeFor(time, milliseconds) : null;
}

const repeated: Rule[][] = [
  rule('daily|everyday', () => clock.set('P1D')),
  rule('weekly', () => clock.set('P1W')),
  rule('monthly', () => clock.set('P1M')),
  rule('yearly|annually', () => clock.set('P1Y')),
  rule('quarterly', () => clock.set('P3M')),
  rule('every|each|any UNIT', ({ unit }) => clock.everyUnit(unit)),
  rule('every|each other UNIT', ({ unit }) => clock.everyUnit(unit, 2)),
  rule('every|each DUR', ({ amounts: [only] }) => (only ? clock.everyUnit(only.unit, only.count) : null)),
  rule('every|each|any DATE', (date) =>
    date.weekday ? clock.set(`XXXX-WXX-${date.weekday}`) : clock.set('P1Y'),
  ),
  rule('every|each other DATE', (date) => clock.set(`XXXX-WXX-${date.weekday ?? 1}`)),
  rule('every|each|any PART', ({ part }) => clock.set(PARTS[part].code)),
  rule('DATE SET', (date, { timex }) =>
    date.weekday === undefined ? null : clock.set(`XXXX-WXX-${date.weekday}${timex}`),
  ),
  rule('SET at? TIME', ({ timex }) => clock.set(timex)),
  rule('TIME SET', (_time, { timex }) => clock.set(timex)),
  rule('SET PART', ({ timex }) => clock.set(timex)),
];

/** Everything about hours, and repetition. */
export const clockRules: Rule[][] = [...times, ...parts, ...dateTimes, ...ranged, ...repeated];
