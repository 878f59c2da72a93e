/** Times of day, ranges within a day, and both combined with a date. */
import { DAY, HOUR, MINUTE, SECOND } from './calendar.ts';
import type { Unit } from './calendar.ts';
import { PARTS, clockTimex, dateTimex, readings } from './value.ts';
import type {
  Context,
  DateNode,
  Grain,
  PartName,
  PartNode,
  SetNode,
  Span,
  TimeNode,
  TimesNode,
  WhenNode,
} from './value.ts';

/** A time of day; null when there is no such time. Hours from 13, and 0, are unambiguous about noon. */
export function timeOf(hour: number, minute?: number, second?: number): TimeNode | null {
  if (hour < 0 || hour > 24 || (minute ?? 0) > 59 || (second ?? 0) > 59) return null;
  return {
    kind: 'TIME',
    hour,
    exact: hour > 12 || hour === 0,
    ...(minute === undefined ? {} : { minute }),
    ...(second === undefined ? {} : { second }),
  };
}

export const exactTime = (hour: number): TimeNode => ({ kind: 'TIME', hour, exact: true });

const MORNING: ReadonlySet<PartName> = new Set(['morning', 'dawn', 'small-hours']);

/** Places a time in a part of the day: 午後 + 3時, 8 + in the evening. An hour past 24 belongs to the next day. */
export function timeInPart(time: TimeNode | null, part: PartName): TimeNode | null {
  if (time === null) return null;
  const { weak: _weak, ...rest } = time;
  if (time.exact && time.hour !== 12) return rest;
  return { ...rest, hour: hourInPart(time.hour, part), exact: true };
}

function hourInPart(hour: number, part: PartName): number {
  if (MORNING.has(part)) return hour === 12 ? 0 : hour;
  if (part === 'night') {
    if (hour === 12) return 24;
    return hour < 5 ? hour + 24 : hour + 12;
  }
  if (part === 'noon' || part === 'lunch') return hour < 6 ? hour + 12 : hour;
  if (part === 'day') return hour < 7 ? hour + 12 : hour;
  return hour < 12 ? hour + 12 : hour;
}

export const grainOfTime = (time: TimeNode): Grain =>
  time.second !== undefined ? 'second' : time.minute === undefined ? 'hour' : 'minute';

const WIDTH: Partial<Record<Grain, number>> = { hour: HOUR, minute: MINUTE, second: SECOND };

/** The duration of an instant that is named with this precision. */
const widthOf = (grain: Grain): number => WIDTH[grain] ?? DAY;

/** The offsets from midnight that a time can mean. */
export function offsetsOf(time: TimeNode): number[] {
  const offset = time.hour * HOUR + (time.minute ?? 0) * MINUTE + (time.second ?? 0) * SECOND;
  if (time.exact) return [offset];
  return time.hour === 12 ? [offset, offset - 12 * HOUR] : [offset, offset + 12 * HOUR];
}

const text = (time: TimeNode, offset: number): string => clockTimex(offset, grainOfTime(time));

/** From one time to another on the same day, or past midnight. The second may decide the half of the day of the first. */
export function timeRange(start: TimeNode, end: TimeNode): TimesNode {
  const options: { from: number; to: number }[] = [];
  for (const from of offsetsOf(start)) {
    const later = offsetsOf(end).find((to) => to > from);
    const to = later ?? (end.exact ? undefined : (offsetsOf(end)[0] ?? 0) + DAY);
    if (to !== undefined) options.push({ from, to });
  }
  if (options.length === 0) {
    for (const from of offsetsOf(start)) options.push({ from, to: (offsetsOf(end)[0] ?? 0) + DAY });
  }
  // '5 to 6 pm' is an hour in the afternoon; '2:30 to 2:15 pm' can only be the long range.
  if (end.exact && end.hour >= 12) options.reverse();
  const [first] = options;
  const timex = first
    ? `(${text(start, first.from)},${text(end, first.to)},PT${hours(first.to - first.from)})`
    : '';
  return { kind: 'TIMES', options: end.exact || start.exact ? options.slice(0, 1) : options, timex };
}

function hours(length: number): string {
  const [hour, minute] = [Math.floor(length / HOUR), Math.round((length % HOUR) / MINUTE)];
  return `${hour ? `${hour}H` : ''}${minute || !hour ? `${minute}M` : ''}`;
}

/** A time with an open side: before 4 pm, 三点以后. */
export function openTime(time: TimeNode, side: 'before' | 'after'): TimesNode {
  const offsets = offsetsOf(time);
  const options = offsets.map((at) => (side === 'before' ? { from: null, to: at } : { from: at, to: null }));
  return { kind: 'TIMES', options, timex: text(time, offsets[0] ?? 0) };
}

/** Of the readings of a range, those in the half of the day to which a part belongs. */
export function timesInPart(range: TimesNode, part: PartName): TimesNode {
  const noon = DAY / 2;
  const isBeforeNoon = PARTS[part].to <= 12;
  const fitting = range.options.filter(({ from, to }) => (from ?? to ?? 0) < noon === isBeforeNoon);
  return fitting.length ? { ...range, options: fitting } : range;
}

/** A range that begins at a time and lasts `length` milliseconds. */
export function timeFor(time: TimeNode, length: number): TimesNode {
  const options = offsetsOf(time).map((from) => ({ from, to: from + length }));
  const first = options[0] ?? { from: 0, to: 0 };
  return {
    kind: 'TIMES',
    options,
    timex: `(${text(time, first.from)},${text(time, first.to)},PT${hours(length)})`,
  };
}

export const isDay = (node: DateNode): boolean => node.grain === 'day' && !node.closed && !node.portion;

function onDays(date: DateNode, context: Context, place: (midnight: number) => Span[]): Span[] {
  const days = readings(date, context).flatMap((day) => (day.from === null ? [] : [day.from]));
  return days.flatMap(place);
}

/** A time on a date. When both have several readings, the readings of the date vary fastest. */
export function dateTime(date: DateNode, time: TimeNode, context: Context): WhenNode | null {
  if (!isDay(date)) return null;
  const grain = grainOfTime(time);
  const spans = offsetsOf(time).flatMap((offset) =>
    onDays(date, context, (day) => [{ from: day + offset, to: day + offset + widthOf(grain) }]),
  );
  const timex = `${dateTimex(date, context)}${clockTimex(offsetsOf(time)[0] ?? 0, grain)}`;
  return spans.length ? { kind: 'WHEN', grain, spans, point: true, timex, ...eitherWeek(date) } : null;
}

export const timeOnDay = (date: DateNode, time: TimeNode | null, context: Context): WhenNode | null =>
  time && dateTime(date, time, context);

/** The last second of a day. */
export function endOfDay(date: DateNode, context: Context): WhenNode | null {
  return dateTime(date, { kind: 'TIME', hour: 23, minute: 59, second: 59, exact: true }, context);
}

/** A range of hours on a date. */
export function dateTimes(date: DateNode, times: TimesNode, context: Context): WhenNode | null {
  if (!isDay(date)) return null;
  const add = (day: number, offset: number | null) => (offset === null ? null : day + offset);
  const spans = times.options.flatMap(({ from, to }) =>
    onDays(date, context, (day) => [{ from: add(day, from), to: add(day, to) }]),
  );
  const timex = times.timex.replaceAll(/(?<!P)(?=T\d)/g, dateTimex(date, context));
  return spans.length
    ? { kind: 'WHEN', grain: 'hour', spans, point: false, timex, ...eitherWeek(date) }
    : null;
}

/** The hours of a part of the day, as offsets from midnight. */
function partHours(node: PartNode): { from: number; to: number } {
  const { from, to } = PARTS[node.part];
  const middle = Math.ceil((from + to) / 2);
  if (node.portion === 'early') return { from: from * HOUR, to: middle * HOUR };
  if (node.portion === 'late') return { from: middle * HOUR, to: to * HOUR };
  return { from: from * HOUR, to: to * HOUR };
}

/** 'tomorrow night', 水曜日の朝. */
export function datePart(date: DateNode, part: PartNode, context: Context): WhenNode | null {
  // 'The first night' is the first night of something, not the night of the first of a month.
  if (!isDay(date) || (date.weak && date.weekday === undefined)) return null;
  const { from, to } = partHours(part);
  const spans = onDays(date, context, (day) => [{ from: day + from, to: day + to }]);
  const timex = `${dateTimex(date, context)}${PARTS[part.part].code}`;
  return spans.length
    ? { kind: 'WHEN', grain: 'part-of-day', spans, point: false, timex, ...eitherWeek(date) }
    : null;
}

/** The slack of a weekday that may belong to either of two weeks: its hours may too. */
const eitherWeek = ({ otherMonday, slack }: DateNode): Pick<WhenNode, 'slack'> =>
  otherMonday === undefined || slack === undefined ? {} : { slack };

/** A time of day, placed in the half of the day in which the range starts: in 午後5時から6時 both are in the afternoon. */
export function inSameHalf(end: TimeNode, start: TimeNode): TimeNode {
  if (end.exact || !start.exact || start.hour < 12) return end;
  const hour = end.hour < 12 ? end.hour + 12 : end.hour;
  return hour * 60 + (end.minute ?? 0) > start.hour * 60 + (start.minute ?? 0)
    ? { ...end, hour, exact: true }
    : end;
}

/** Something that repeats, by its timex. */
export const set = (timex: string): SetNode => ({ kind: 'SET', timex, grain: 'day' });

const UNIT_CODES: Partial<Record<Unit, string>> = {
  second: 'S',
  minute: 'M',
  hour: 'H',
  week: 'W',
  month: 'M',
  year: 'Y',
};

/** Every unit, or every `count` units. */
export const everyUnit = (unit: Unit, count = 1): SetNode =>
  set(`P${/second|minute|hour/.test(unit) ? 'T' : ''}${count}${UNIT_CODES[unit] ?? 'D'}`);
