/**
 * Calendar arithmetic on wall-clock instants.
 *
 * An instant is a number of milliseconds since 1970-01-01T00:00 of the local wall clock, with no zone: every day
 * has exactly 24 hours, so that adding days is not affected by summer time.
 */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** Units of time. `businessday` counts Monday to Friday. */
export type Unit =
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'businessday'
  | 'week'
  | 'fortnight'
  | 'weekend'
  | 'month'
  | 'quarter'
  | 'halfyear'
  | 'year'
  | 'decade'
  | 'century';

/** Units that are a whole number of months, and how many. */
export const MONTHS_IN: Partial<Record<Unit, number>> = {
  month: 1,
  quarter: 3,
  halfyear: 6,
  year: 12,
  decade: 120,
  century: 1200,
};

const MILLISECONDS_IN: Partial<Record<Unit, number>> = {
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: WEEK,
  weekend: WEEK,
  fortnight: 2 * WEEK,
};

/** Approximate length of a unit in milliseconds (a month is 30 days, a year 365). */
export function lengthOf(unit: Unit): number {
  const months = MONTHS_IN[unit];
  if (months !== undefined) return months % 12 === 0 ? (months / 12) * 365 * DAY : months * 30 * DAY;
  return MILLISECONDS_IN[unit] ?? DAY;
}

/** The instant of a date; months count from 1; fields outside their range carry over. */
export function dateAt(year: number, month = 1, day = 1): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

/** The instant of a date, or null if the date does not exist, such as 30 February. */
export function validDate(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const instant = dateAt(year, month, day);
  return new Date(instant).getUTCDate() === day ? instant : null;
}

export const yearOf = (instant: number): number => new Date(instant).getUTCFullYear();
export const monthOf = (instant: number): number => new Date(instant).getUTCMonth() + 1;
export const dayOfMonth = (instant: number): number => new Date(instant).getUTCDate();
export const startOfDay = (instant: number): number => Math.floor(instant / DAY) * DAY;

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (instant: number): number => ((((Math.floor(instant / DAY) + 3) % 7) + 7) % 7) + 1;

/** The Monday of the week that contains an instant. */
export const mondayOf = (instant: number): number => startOfDay(instant) - (weekdayOf(instant) - 1) * DAY;

/** The n-th week of a period, by its Monday. The first has its Thursday in the period (ISO 8601; here also for months). */
export function weekInPeriod(from: number, to: number, n: number): number | null {
  const monday = n > 0 ? mondayOf(from + 3 * DAY) + (n - 1) * WEEK : mondayOf(to - 4 * DAY) + (n + 1) * WEEK;
  const thursday = monday + 3 * DAY;
  return thursday >= from && thursday < to ? monday : null;
}

/** `2018-W11`: ISO 8601 week of the week that begins on this Monday. */
export function isoWeek(monday: number): string {
  const year = yearOf(monday + 3 * DAY);
  const week = Math.round((monday - mondayOf(dateAt(year, 1, 4))) / WEEK) + 1;
  return `${pad(year, 4)}-W${pad(week)}`;
}

/** Moves an instant by n months. Keeps the day of the month, or takes the month's last day if that is earlier. */
export function addMonths(instant: number, n: number): number {
  const day = dayOfMonth(instant);
  const first = dateAt(yearOf(instant), monthOf(instant) + n, 1);
  const days = Math.round((addMonthsToFirst(first, 1) - first) / DAY);
  return first + (Math.min(day, days) - 1) * DAY + (instant - startOfDay(instant));
}

const addMonthsToFirst = (first: number, n: number): number => dateAt(yearOf(first), monthOf(first) + n, 1);

/** Moves an instant by n units. Fractions: of a year in months, of a month in days, of others in exact time. */
export function addUnits(instant: number, unit: Unit, n: number): number {
  if (unit === 'businessday') return addBusinessDays(instant, n);
  const months = MONTHS_IN[unit];
  if (months === undefined) return instant + n * (MILLISECONDS_IN[unit] ?? DAY);
  const whole = Math.trunc(n * months);
  return addMonths(instant, whole) + Math.round((n * months - whole) * 30) * DAY;
}

function addBusinessDays(instant: number, n: number): number {
  const step = Math.sign(n) * DAY;
  let current = instant;
  for (let left = Math.min(Math.abs(n), 1000); left > 0;) {
    current += step;
    if (weekdayOf(current) <= 5) left--;
  }
  return current;
}

/** The calendar unit that contains an instant, moved by `offset` units. Weeks start on Monday. */
export function unitAround(instant: number, unit: Unit, offset = 0): { from: number; to: number } {
  const months = MONTHS_IN[unit];
  if (months !== undefined) {
    const index = Math.floor((yearOf(instant) * 12 + monthOf(instant) - 1) / months) + offset;
    return { from: dateAt(0, index * months + 1, 1), to: dateAt(0, (index + 1) * months + 1, 1) };
  }
  const length = MILLISECONDS_IN[unit] ?? DAY;
  if (unit === 'week' || unit === 'fortnight') {
    const from = mondayOf(instant) + offset * length;
    return { from, to: from + length };
  }
  if (unit === 'weekend') {
    const from = mondayOf(instant) + offset * WEEK + 5 * DAY;
    return { from, to: from + 2 * DAY };
  }
  const from = (Math.floor(instant / length) + offset) * length;
  return { from, to: from + length };
}

/** The n-th given weekday of a period; a negative n counts from its end. */
export function nthWeekday(from: number, to: number, weekday: number, n: number): number | null {
  const first = from + ((weekday - weekdayOf(from) + 7) % 7) * DAY;
  const last = to - DAY - ((weekdayOf(to - DAY) - weekday + 7) % 7) * DAY;
  const day = n > 0 ? first + (n - 1) * WEEK : last + (n + 1) * WEEK;
  return day >= from && day < to ? day : null;
}

/** Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher). */
export function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return dateAt(year, Math.floor(n / 31), (n % 31) + 1);
}

let chinese: Intl.DateTimeFormat | undefined;
const lunarMonths = new Map<number, (number | null)[]>();

/** Month and day of an instant in the Chinese calendar; the month is null in a leap month. */
function lunarParts(instant: number): { month: number | null; day: number } {
  chinese ??= new Intl.DateTimeFormat('en-u-ca-chinese', {
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const parts = chinese.formatToParts(instant + 12 * HOUR);
  const month = parts.find((part) => part.type === 'month')?.value ?? '';
  const day = Number(parts.find((part) => part.type === 'day')?.value ?? 1);
  return { month: /^\d+$/.test(month) ? Number(month) : null, day };
}

function startsOfLunarMonths(year: number): (number | null)[] {
  const known = lunarMonths.get(year);
  if (known) return known;
  const starts: (number | null)[] = Array.from({ length: 14 }, () => null);
  let current = dateAt(year, 1, 20);
  for (let i = 0; i < 36 && !(lunarParts(current).month === 1 && lunarParts(current).day === 1); i++)
    current += DAY;
  for (let i = 0; i < 13; i++) {
    const { month } = lunarParts(current);
    if (i > 0 && month === 1) break;
    if (month !== null) starts[month] ??= current;
    current += 29 * DAY;
    if (lunarParts(current).day !== 1) current += DAY;
  }
  if (lunarMonths.size > 300) lunarMonths.clear();
  lunarMonths.set(year, starts);
  return starts;
}

/** A day of the traditional Chinese calendar. `year` is the Gregorian year in which its first month begins. */
export function lunarDate(year: number, month: number, day: number): number | null {
  if (year < 1600 || year > 2200 || day < 1 || day > 30) return null;
  const start = startsOfLunarMonths(year)[month];
  return start === null || start === undefined ? null : start + (day - 1) * DAY;
}

/** Digits with leading zeros. */
export const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

export const formatDay = (instant: number): string =>
  `${pad(yearOf(instant), 4)}-${pad(monthOf(instant))}-${pad(dayOfMonth(instant))}`;

/** `2019-01-04T00:00:00`: a wall-clock instant without zone. */
export function formatInstant(instant: number): string {
  const rest = instant - startOfDay(instant);
  const clock = [rest / HOUR, (rest % HOUR) / MINUTE, (rest % MINUTE) / SECOND].map((n) =>
    pad(Math.floor(n)),
  );
  return `${formatDay(instant)}T${clock.join(':')}`;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The wall clock of an IANA zone; Swedish writes it as `2019-01-04 00:00:00`. */
function wallClockIn(timeZone: string, utc: number): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, clock);
  }
  return Date.parse(`${clock.format(utc).replace(' ', 'T')}Z`) + (utc - Math.floor(utc / SECOND) * SECOND);
}

const WALL = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The wall-clock instant of a reference. A string without zone is taken as it is. A `Date`, or a string with a
 * zone, is converted to the wall clock of `timeZone`; without `timeZone` a string keeps its own clock and a `Date`
 * is read on this machine's clock. Null when it is not a date.
 */
export function wallClock(reference: Date | string, timeZone?: string): number | null {
  if (typeof reference !== 'string') {
    const utc = reference.getTime();
    if (Number.isNaN(utc)) return null;
    return timeZone ? wallClockIn(timeZone, utc) : utc - reference.getTimezoneOffset() * MINUTE;
  }
  const match = WALL.exec(reference);
  if (!match) return null;
  if (match[7] !== undefined && timeZone) return wallClock(new Date(reference.replace(' ', 'T')), timeZone);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((field) => Number(field ?? 0));
  const start = validDate(year ?? 0, month ?? 0, day ?? 0);
  return start === null ? null : start + (hour ?? 0) * HOUR + (minute ?? 0) * MINUTE + (second ?? 0) * SECOND;
}
