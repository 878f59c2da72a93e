/** Formats numbers and times in a language. */
const LOCALES = { ja: 'ja-JP', zh: 'zh-CN', en: 'en-GB' } as const;
const KIB = 1_024;
const DAY_MS = 86_400_000;

export interface Format {
  number(value: number): string;
  percent(share: number): string;
  bytes(value: number): string;
  ms(value: number): string;
  score(value: number): string;
  /** `3 Mar 2026` */
  day(at: Date | number): string;
  /** `Tuesday 3 March 2026` */
  longDay(at: Date | number): string;
  /** `3 Mar` */
  shortDay(at: Date | number): string;
  month(at: Date | number): string;
  year(at: Date | number): string;
  weekday(at: Date | number): string;
  time(at: Date | number): string;
  dateTime(at: Date | number): string;
  /** `3 days ago`, `in 2 hours` */
  relative(at: number, now?: number): string;
  /** `2026-03-03`, in the memory's time zone. */
  isoDay(at: Date | number): string;
  /** `2026-03-03T14:05`, in the memory's time zone. */
  isoMinute(at: Date | number): string;
}

export function createFormat(language: keyof typeof LOCALES, timeZone: string | null): Format {
  const locale = LOCALES[language];
  const zone = timeZone === null ? {} : { timeZone };
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone });
  const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', ...zone });
  const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full', ...zone });
  const year = new Intl.DateTimeFormat(locale, { year: 'numeric', ...zone });
  const shortDay = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', ...zone });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', ...zone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...zone });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...zone });
  const iso = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', ...zone });
  const isoTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', ...zone });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    bytes: (value) => formatBytes(value, locale),
    ms: (value) => `${value < 10 ? value.toFixed(1) : number.format(Math.round(value))} ms`,
    score: (value) => value.toFixed(2),
    day: (at) => day.format(at),
    longDay: (at) => longDay.format(at),
    year: (at) => year.format(at),
    shortDay: (at) => shortDay.format(at),
    month: (at) => month.format(at),
    weekday: (at) => weekday.format(at),
    time: (at) => time.format(at),
    dateTime: (at) => dateTime.format(at),
    relative: (at, now = Date.now()) => formatRelative(relative, at - now),
    isoDay: (at) => iso.format(at),
    isoMinute: (at) => `${iso.format(at)}T${isoTime.format(at)}`,
  };
}

function formatBytes(value: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(value) / Math.log(KIB)));
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  });
  return format.format(value / KIB ** power);
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function formatRelative(format: Intl.RelativeTimeFormat, differenceMs: number): string {
  const step = STEPS.find(([, length]) => Math.abs(differenceMs) >= length);
  if (!step) return format.format(Math.round(differenceMs / 1_000), 'second');
  return format.format(Math.round(differenceMs / step[1]), step[0]);
}
