/** Numbers, dates and times written in digits: the same in all languages except for the order of day and month. */
import type { Edge } from './chart.ts';
import { date, fullDate, fullYear } from './compose.ts';
import { timeOf } from './clock.ts';
import type { DateNode, Node, TimeNode } from './value.ts';

export interface DigitOrder {
  /** 1/2 is 1 February. If the order gives no valid date, the other order is tried. */
  dayFirst: boolean;
  /** 12-11-10 begins with the year. */
  shortYearFirst: boolean;
}

type Read = (match: RegExpExecArray, order: DigitOrder) => Node | null;

function dayAndMonth(year: number | undefined, a: number, b: number, order: DigitOrder): DateNode | null {
  const [dayThenMonth, monthThenDay] = [fullDate(year, b, a), fullDate(year, a, b)];
  return order.dayFirst ? (dayThenMonth ?? monthThenDay) : (monthThenDay ?? dayThenMonth);
}

function monthOfYear(year: number, month: number): DateNode | null {
  return year >= 1900 && year < 2200 && month >= 1 && month <= 12 ? date('month', { year, month }) : null;
}

const group = (match: RegExpExecArray, index: number): number => Number(match[index]);

function shortDate(match: RegExpExecArray, order: DigitOrder): DateNode | null {
  const [a, b, c] = [group(match, 1), group(match, 3), group(match, 4)];
  const digits = match[4]?.length ?? 0;
  if (digits < 3 && match[2] === '.') return null;
  if (digits < 3 && order.shortYearFirst) return fullDate(fullYear(a, 2) ?? 0, b, c);
  const year = fullYear(c, digits);
  return year === null ? null : dayAndMonth(year, a, b, order);
}

function clock(match: RegExpExecArray, { weak }: { weak: boolean }): TimeNode | null {
  const time = timeOf(group(match, 1), group(match, 2), match[3] === undefined ? undefined : group(match, 3));
  if (!time) return null;
  const leadingZero = match[1]?.startsWith('0') === true && group(match, 1) === 0;
  return { ...time, exact: time.exact || leadingZero, ...(weak ? { weak: true as const } : {}) };
}

/** The patterns of digits, longest first. After a `whole` match no other pattern is tried. */
const PATTERNS: { pattern: RegExp; read: Read; whole?: true }[] = [
  {
    pattern: /((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)/y,
    read: (match) => fullDate(group(match, 1), group(match, 2), group(match, 3)),
    whole: true,
  },
  {
    pattern: /(\d{4}) ?([-/.]) ?(\d{1,2}) ?\2 ?(\d{1,2})(?!\d)/y,
    read: (match) => {
      const [year, a, b] = [group(match, 1), group(match, 3), group(match, 4)];
      return fullDate(year, a, b) ?? fullDate(year, b, a);
    },
    whole: true,
  },
  { pattern: /(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d|\.\d)/y, read: shortDate, whole: true },
  {
    pattern: /(\d{4})[-/](\d{1,2})(?![\d/]|-\d)/y,
    read: (match) => monthOfYear(group(match, 1), group(match, 2)),
  },
  {
    pattern: /(\d{1,2})[-/](\d{4})(?![\d/]|-\d)/y,
    read: (match) => monthOfYear(group(match, 2), group(match, 1)),
  },
  {
    pattern: /(?<!\d\/)(\d{1,2})\/(\d{1,2})(?![\d/%]|\.\d)/y,
    read: (match, order) => dayAndMonth(undefined, group(match, 1), group(match, 2), order),
  },
  { pattern: /(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])/y, read: (match) => clock(match, { weak: false }) },
  { pattern: /(\d{1,2})\.(\d{2})(?![\d.])/y, read: (match) => clock(match, { weak: true }) },
];

/** Text before the end of a longer code: 138-2010-2015, 1.2.3. */
const TAIL = /(?:\d[.:,]?|(?:^|[^\d/-])\d{3}-)$/;
/** A letter before digits makes them a code (v3/4) or the day of a month (Dec31); the T of an ISO time does not. */
const AFTER_LETTER = /(?:[a-su-z]|(?:^|\D)t)$/;

const NUMBER = /\d{1,15}(?:\.\d+)?/y;

/** Adds everything that the digits at a position can mean. Returns the end of the number there. */
export function lexDigits(text: string, start: number, order: DigitOrder, edges: Edge[]): number {
  NUMBER.lastIndex = start;
  const [number] = NUMBER.exec(text) ?? [''];
  const whole = number.includes('.') ? number.slice(0, number.indexOf('.')) : number;
  const add = (length: number, node: Node | null) => {
    if (node) edges.push({ start, end: start + length, name: node.kind, node });
  };
  const before = text.slice(Math.max(0, start - 5), start);
  if (TAIL.test(before)) return start + whole.length;
  for (const { pattern, read, whole: isWhole } of AFTER_LETTER.test(before) ? [] : PATTERNS) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    const node = match ? read(match, order) : null;
    if (match) add(match[0].length, node);
    if (match && node && isWhole) return start + match[0].length;
  }
  add(whole.length, { kind: 'NUM', value: Number(whole), digits: whole.length });
  if (whole !== number) add(number.length, { kind: 'NUM', value: Number(number), digits: 0 });
  return start + whole.length;
}
