import { MemoryError } from '../../../model/model.ts';
import type { DateInNumbers, WrittenDate } from './grammar.ts';

/** The order of year, month and day in a date. */
export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const SPOKEN: Record<DateOrder, string> = {
  ymd: 'year, month, day',
  dmy: 'day, month, year',
  mdy: 'month, day, year',
};
/** Chat programs that write purely numeric dates are not older. */
const FIRST_YEAR = 2009;
const DAY_MS = 86_400_000;
/** The shorter of two readings is chosen if it has at least this many days and the other spans this many times as long. */
const MIN_DAYS = 4;
const MIN_SPAN_RATIO = 8;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const NUMBERS = /^(\d{1,4})\s?([./-])\s?(\d{1,2})\s?[./-]\s?(\d{1,4})\.?$/;
const HAN = /^(\d{4})年\s?(\d{1,2})月\s?(\d{1,2})日$/;
const MONTH_FIRST = /^([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})$/;

/** A date as chat programs write it; null when it is not a date. */
export function parseWrittenDate(written: string): WrittenDate | null {
  const numbers = NUMBERS.exec(written);
  if (numbers) {
    const [, first = '', separator = '', second = '', third = ''] = numbers;
    if (first.length === 4) return isoDate(first, second, third);
    return first.length > 2 || third.length === 3 ? null : { numbers: [first, second, third], separator };
  }
  const han = HAN.exec(written);
  if (han) return isoDate(han[1] ?? '', han[2] ?? '', han[3] ?? '');
  const [, name = '', day = '', year = ''] = MONTH_FIRST.exec(written) ?? [];
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  return month > 0 ? isoDate(year, String(month), day) : null;
}

/** The date in ISO 8601; null when the date does not exist in that order. */
export function toIsoDate(date: WrittenDate, order: DateOrder): string | null {
  if ('iso' in date) return date.iso;
  const [a, b, c] = date.numbers;
  const [year, month, day] = order === 'ymd' ? [a, b, c] : order === 'dmy' ? [c, b, a] : [c, a, b];
  return isoDate(year, month, day)?.iso ?? null;
}

function isoDate(year: string, month: string, day: string): { iso: string } | null {
  const full = year.length === 2 ? `20${year}` : year;
  const iso = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? { iso } : null;
}

export interface SettledOrder {
  readonly order: DateOrder;
  /** How the order was decided, to show to people; null when no date was ambiguous. */
  readonly remark: string | null;
}

/**
 * Finds the order of day, month and year in the dates of a file. An order is possible only if every date exists in
 * it, is not before the first chat programs and not after the file was written. Of several, the order is chosen in
 * which messages go forward in time; then the one in which they are much closer together.
 */
export class DateOrderEvidence {
  readonly #readings = DATE_ORDERS.map((order) => new Reading(order));
  readonly #latest: number;
  #count = 0;
  #example = '';

  /** @param writtenAt when the file was written; no message is later */
  constructor(writtenAt: number) {
    this.#latest = writtenAt + 2 * DAY_MS;
  }

  add(date: WrittenDate): void {
    if ('iso' in date) return;
    this.#count += 1;
    if (this.#example === '') this.#example = date.numbers.join(date.separator);
    for (const reading of this.#readings) reading.add(date, this.#latest);
  }

  /** @throws MemoryError INVALID_TIME when the file is ambiguous */
  settle(): SettledOrder {
    if (this.#count === 0) return { order: 'ymd', remark: null };
    const possible = this.#readings.filter((reading) => reading.isPossible);
    const best = possible.length > 1 ? nearest(forward(possible)) : possible;
    const [chosen, other] = best;
    if (chosen && !other) return { order: chosen.order, remark: describe(chosen, this.#readings) };
    const orders = (chosen ? best : this.#readings).map(({ order }) => order);
    throw new MemoryError(
      'INVALID_TIME',
      `Dates such as ${this.#example} are ambiguous, and the file does not show which order is meant. ` +
        `Give it with --date-order ${orders.join(' or --date-order ')} (dateOrder in a program).`,
    );
  }
}

class Reading {
  readonly order: DateOrder;
  isPossible = true;
  /** The date that excluded this order. */
  witness = '';
  stepsBack = 0;
  readonly #days = new Set<number>();
  #last = -Infinity;

  constructor(order: DateOrder) {
    this.order = order;
  }

  get lastDay(): number {
    return this.#last;
  }

  get days(): number {
    return this.#days.size;
  }

  /** Days from the first to the last. */
  get span(): number {
    const days = [...this.#days];
    return 1 + Math.max(...days) - Math.min(...days);
  }

  add(date: DateInNumbers, latest: number): void {
    if (!this.isPossible) return;
    // No country writes the month first with dots between.
    const iso = this.order === 'mdy' && date.separator === '.' ? null : toIsoDate(date, this.order);
    const time = iso === null ? Number.NaN : Date.parse(iso);
    if (Number.isNaN(time) || time > latest || new Date(time).getUTCFullYear() < FIRST_YEAR) {
      this.isPossible = false;
      this.witness = date.numbers.join(date.separator);
      return;
    }
    if (time < this.#last) this.stepsBack += 1;
    this.#last = time;
    this.#days.add(time / DAY_MS);
  }
}

function forward(readings: readonly Reading[]): readonly Reading[] {
  const fewest = Math.min(...readings.map(({ stepsBack }) => stepsBack));
  return readings.filter(({ stepsBack }) => stepsBack === fewest);
}

function nearest(readings: readonly Reading[]): readonly Reading[] {
  const [first, second] = readings.toSorted((a, b) => a.span - b.span);
  if (!first || !second) return readings;
  // Each date is the same in both orders, such as 5/5/24.
  if (readings.every(({ days }) => days === 1) && isSame(readings)) return [first];
  return first.days >= MIN_DAYS && second.span >= first.span * MIN_SPAN_RATIO ? [first] : readings;
}

function isSame(readings: readonly Reading[]): boolean {
  return new Set(readings.map((reading) => reading.lastDay)).size === 1;
}

function describe(chosen: Reading, all: readonly Reading[]): string {
  const excluded = all.filter(({ isPossible, order }) => !isPossible && order !== 'ymd');
  const witness = excluded.find(({ order }) => order !== chosen.order)?.witness;
  const why = witness ? `, because ${witness} allows no other order` : ', by the order of the messages';
  return `Dates are read as ${SPOKEN[chosen.order]}${why}.`;
}
