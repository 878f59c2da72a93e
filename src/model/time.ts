import { MemoryError } from './error.ts';

/** An instant: milliseconds since 1970-01-01T00:00Z, a whole number. */
export type Instant = number;

export const DAY_MS = 86_400_000;
const EARLIEST: Instant = Date.parse('0001-01-01T00:00:00Z');
const LATEST: Instant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** ISO 8601: a date, a time of day, and the zone; the last two are optional. */
const ISO = /^(\d{4}-\d{2}-(\d{2}))(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Reads an instant from a Date, milliseconds, or an ISO 8601 string. A string without a zone is the wall clock of
 * `timeZone` (an IANA name).
 * @throws MemoryError INVALID_TIME when it is none of these, or outside the years 1 to 9999.
 */
export function parseInstant(value: Date | string | number, timeZone: string): Instant {
  const instant = Math.trunc(readInstant(value, timeZone));
  if (!(instant >= EARLIEST && instant <= LATEST)) {
    throw new MemoryError('INVALID_TIME', `Not a time between the years 1 and 9999: ${String(value)}`);
  }
  return instant;
}

function readInstant(value: Date | string | number, timeZone: string): number {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  const [, date, day, time = '00:00', zone] = ISO.exec(value.trim()) ?? [];
  if (date === undefined) return NaN;
  // `Date.parse` reads 30 February as 1 March.
  if (new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return NaN;
  if (zone !== undefined) return Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return wallClockToInstant(`${date}T${time}`, timeZone);
}

/**
 * The instant at which clocks in `timeZone` show a date and time in ISO 8601 without zone; NaN when it is invalid.
 * For a time skipped by a clock change, the later instant.
 */
export function wallClockToInstant(wallClock: string, timeZone: string): Instant {
  const wall = Date.parse(`${wallClock}Z`);
  if (Number.isNaN(wall)) return NaN;
  const guess = wall - zoneOffsetMs(wall, timeZone);
  return wall - zoneOffsetMs(guess, timeZone);
}

/** The wall-clock time in `timeZone` at `instant`, encoded as if it were UTC, so that UTC getters read the local date. */
export function instantToWallClock(instant: Instant, timeZone: string): number {
  return instant + zoneOffsetMs(instant, timeZone);
}

/** The local date of `instant` as `YYYY-MM-DD`. */
export function localDate(instant: Instant, timeZone: string): string {
  const date = new Date(instantToWallClock(instant, timeZone)).toISOString();
  return date.slice(0, date.indexOf('T'));
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>();
const offsetsByQuarter = new Map<string, number>();

/** Offset of the zone from UTC at an instant. Zones change only at quarter hours, so offsets are cached by quarter hour. */
function zoneOffsetMs(instant: Instant, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const quarter = Math.floor(instant / 900_000);
  const key = `${timeZone}/${quarter}`;
  let offset = offsetsByQuarter.get(key);
  if (offset === undefined) {
    if (offsetsByQuarter.size > 20_000) offsetsByQuarter.clear();
    offset = computeOffsetMs(quarter * 900_000, timeZone);
    offsetsByQuarter.set(key, offset);
  }
  return offset;
}

function computeOffsetMs(instant: Instant, timeZone: string): number {
  const parts = Object.fromEntries(
    offsetFormat(timeZone)
      .formatToParts(instant)
      .map((p) => [p.type, p.value]),
  );
  const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year']);
  const wall = new Date(0);
  wall.setUTCFullYear(year, Number(parts['month']) - 1, Number(parts['day']));
  wall.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']));
  return wall.getTime() - instant;
}

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  let format = offsetFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    offsetFormats.set(timeZone, format);
  }
  return format;
}

/** The zone of the machine, an IANA name. */
export function systemTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** @throws MemoryError INVALID_INPUT when `timeZone` is not an IANA zone. */
export function checkTimeZone(timeZone: string): string {
  try {
    offsetFormat(timeZone);
    return timeZone;
  } catch (cause) {
    throw new MemoryError('INVALID_INPUT', `Unknown time zone: ${timeZone}`, { cause });
  }
}
