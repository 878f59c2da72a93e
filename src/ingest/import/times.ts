import { MemoryError, parseInstant, type Instant } from '../../model/model.ts';

/** Smaller numbers are seconds since 1970, others milliseconds: it is the year 5138 in seconds, 1973 in milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:$|[T ]\d{2}:\d{2})/;
const NAMES_ITS_ZONE = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const SECONDS = String.raw`(?:[:m分]\s*(?:(?<s>\d{1,2})[s秒]?(?:\.(?<fraction>\d{1,3})|\s*(?<ms>\d{1,3})ms)?)?)?`;
const CLOCK = String.raw`(?<before>午前|午後|上午|下午)?\s*(?<h>\d{1,2})[:h時时点]\s*(?<min>\d{1,2})${SECONDS}\s*(?<after>[ap]\.?m\.?)?`;
const DAY = String.raw`(?<d>\d{1,2})(?:st|nd|rd|th)?`;
const WEEKDAY = String.raw`(?:[(（][^)）]*[)）]|(?:星期|周)[日天一二三四五六]|[月火水木金土日]曜日?)?`;

/** Forms of wall-clock times in chat programs and data sets. */
const WRITTEN_FORMS = [
  // 2023/05/20 (Sat) 02:21 · 2024-1-5 @22h 03m 11s 123ms · 2024年1月5日 22時03分 · 2024.1.5 下午 3:05
  String.raw`(?<y>\d{4})\s*[-/.年]\s*(?<mon>\d{1,2})\s*[-/.月]\s*(?<d>\d{1,2})日?\s*${WEEKDAY}(?:[@,T\s]*${CLOCK})?`,
  // January 5, 2024 10:03pm
  String.raw`(?<month>[A-Za-z]{3,9})\.?\s+${DAY},?\s+(?<y>\d{4})(?:,?\s+(?:at\s+)?${CLOCK})?`,
  // 1:56 pm on 8 May, 2023
  String.raw`${CLOCK}\s+on\s+${DAY}\s+(?<month>[A-Za-z]{3,9}),?\s+(?<y>\d{4})`,
  // 8 May 2023, 13:56
  String.raw`${DAY}\s+(?<month>[A-Za-z]{3,9}),?\s+(?<y>\d{4})(?:,?\s+(?:at\s+)?${CLOCK})?`,
].map((form) => new RegExp(`^${form}$`, 'i'));

/**
 * Reads a time as written in an imported file: seconds or milliseconds since 1970, as a number or in digits; ISO
 * 8601; or a date as chat programs write it (`January 5, 2024 10:03pm`, `2024-1-5 @22h 03m 11s`, `2023/05/20 (Sat)
 * 02:21`, `1:56 pm on 8 May, 2023`, `2024年1月5日 22:03`). Without a zone it is the wall clock of `timeZone`. Dates
 * with an ambiguous order of day and month (`5/1/2024`) are rejected.
 * @throws MemoryError INVALID_TIME
 */
export function parseSourceTime(value: unknown, timeZone: string): Instant {
  if (typeof value === 'number') return fromEpoch(value, timeZone);
  if (typeof value !== 'string') throw unreadable(value);
  const text = value.trim();
  if (/^-?\d{9,}(?:\.\d+)?$/.test(text)) return fromEpoch(Number(text), timeZone);
  if (ISO_8601.test(text)) return parseInstant(text, timeZone);
  const wall = toIsoWallClock(text);
  if (wall !== null) return parseInstant(wall, timeZone);
  // Without this, any other time without a zone would be read in the machine's zone, whatever `timeZone` is.
  if (!NAMES_ITS_ZONE.test(text)) throw unreadable(value);
  return parseInstant(Date.parse(text), timeZone);
}

function fromEpoch(value: number, timeZone: string): Instant {
  return parseInstant(Math.round(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value), timeZone);
}

function toIsoWallClock(text: string): string | null {
  for (const form of WRITTEN_FORMS) {
    const found = form.exec(text)?.groups;
    if (!found) continue;
    const month = found['mon'] ?? MONTHS.indexOf((found['month'] ?? '').slice(0, 3).toLowerCase()) + 1;
    const date = `${found['y']}-${twoDigits(month)}-${twoDigits(found['d'])}`;
    if (!isInCalendar(date)) throw unreadable(text);
    const hour = hourOfDay(Number(found['h'] ?? 0), found['before'] ?? found['after']);
    const clock = [hour, found['min'], found['s']].map(twoDigits).join(':');
    return `${date}T${clock}.${found['fraction']?.padEnd(3, '0') ?? (found['ms'] ?? '').padStart(3, '0')}`;
  }
  return null;
}

function hourOfDay(hour: number, half: string | undefined): number {
  if (half === undefined || hour > 12) return hour;
  return (hour % 12) + (/^(?:p|午後|下午)/i.test(half) ? 12 : 0);
}

function twoDigits(value: string | number | undefined): string {
  return String(value ?? 0).padStart(2, '0');
}

function isInCalendar(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

function unreadable(value: unknown): MemoryError {
  return new MemoryError('INVALID_TIME', `This time cannot be read: ${JSON.stringify(value)?.slice(0, 80)}`);
}
