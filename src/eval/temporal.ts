/**
 * Measures how exactly expressions of time are read, on cases in the format of Microsoft's Recognizers tests
 * (`recognizers_<language>.jsonl`, one case per line).
 *
 * Scored are all labelled expressions with a value that name a date, an instant, or a range of either. An
 * expression is exact when one of the mentions found has, in its first reading, the value, or the start and end, of
 * one of the accepted values; or their timex, if that is unambiguous. Offsets are not compared.
 *
 * Different conventions are not errors: the cases exclude the last unit of a range ('March to May' ends before
 * May), so mentions are requested in that form; and the cases define their own hours for parts of the day (evening:
 * 16–20), so 'tomorrow evening' is compared by day and part.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findTimes, type TimeMention } from '../text/text.ts';

/** `Mod` narrows or opens the range of the timex ('before', 'start', 'approx'). */
export interface TemporalValue {
  timex?: string;
  type?: string;
  value?: string;
  start?: string;
  end?: string;
  Mod?: string;
}

interface TemporalExpression {
  text: string;
  type: string;
  values: TemporalValue[] | null;
}

export interface TemporalCase {
  id: string;
  lang: 'ja' | 'zh' | 'en';
  text: string;
  /** The reference time, wall clock. */
  ref: string | null;
  results: TemporalExpression[];
}

interface TemporalFailure {
  id: string;
  text: string;
  expected: string;
  accepted: string[];
  found: string[];
}

export interface TemporalScore {
  /** Expressions scored: of the four types, with a value, not disputed. */
  total: number;
  exact: number;
  byType: Record<string, { total: number; exact: number }>;
  /** Mentions of the four types without a label, in undisputed cases. */
  unlabelled: number;
  failures: TemporalFailure[];
}

const SCORED = new Set(['date', 'datetime', 'daterange', 'datetimerange']);
const UNRESOLVED = 'not resolved';
/** For the few cases without a reference time, whose label does not depend on one. */
const NO_REFERENCE = '2016-11-07T00:00:00';

/** Scores cases, except those with an id in `disputed`. */
export function evaluateTimes(
  cases: Iterable<TemporalCase>,
  disputed: ReadonlySet<string> = new Set(),
): TemporalScore {
  const score: TemporalScore = { total: 0, exact: 0, byType: {}, unlabelled: 0, failures: [] };
  for (const one of cases) if (!disputed.has(one.id)) scoreCase(one, score);
  return score;
}

function scoreCase(one: TemporalCase, score: TemporalScore): void {
  const reference = one.ref ?? NO_REFERENCE;
  const mentions = findTimes(one.text, { reference, language: one.lang, rangeEnd: 'excluded' });
  const free = mentions.filter((mention) => SCORED.has(mention.type));
  for (const expression of one.results) {
    const type = expression.type.replace(/^datetimeV2\./, '');
    const values = (expression.values ?? []).filter(hasValue);
    if (!SCORED.has(type)) continue;
    const index = free.findIndex((mention) => values.some((value) => isSame(mention, value)));
    if (index >= 0) free.splice(index, 1);
    if (values.length === 0) continue;
    const tally = (score.byType[type] ??= { total: 0, exact: 0 });
    score.total++;
    tally.total++;
    if (index >= 0) {
      score.exact++;
      tally.exact++;
    } else {
      score.failures.push(failure(one, expression, values, mentions));
    }
  }
  const labelled = one.results.filter(({ type }) => SCORED.has(type.replace(/^datetimeV2\./, ''))).length;
  score.unlabelled += Math.max(0, mentions.filter((mention) => SCORED.has(mention.type)).length - labelled);
}

function failure(
  one: TemporalCase,
  expression: TemporalExpression,
  values: TemporalValue[],
  mentions: TimeMention[],
): TemporalFailure {
  return {
    id: one.id,
    text: one.text,
    expected: expression.text,
    accepted: values.map(
      (value) => `${value.timex ?? ''} ${value.value ?? `${value.start ?? ''}~${value.end ?? ''}`}`,
    ),
    found: mentions.map(({ text, timex, from, to }) => `${text} ${timex} ${from ?? ''}~${to ?? ''}`),
  };
}

/** A value, or a season of a known year, which is exact although the cases do not resolve it. */
function hasValue({ value, start, end, timex }: TemporalValue): boolean {
  if (value === UNRESOLVED) return /^\d{4}-(?:SP|SU|FA|WI)$/.test(timex ?? '');
  return value !== undefined || start !== undefined || end !== undefined;
}

function isSame(mention: TimeMention, expected: TemporalValue): boolean {
  const { value, start, end, timex } = expected;
  if (expected.Mod === undefined && timex !== undefined && isDefinite(timex) && timex === mention.timex)
    return true;
  if (value === UNRESOLVED) return false;
  if (value !== undefined) return value.includes(':') ? isInstant(mention, value) : isDay(mention, value);
  if (isSamePart(mention, expected)) return true;
  return edge(mention.from) === edge(start ?? null) && edge(mention.to) === edge(end ?? null);
}

const isDefinite = (timex: string): boolean => /^\(?\d{4}/.test(timex) && !timex.includes('X');

const isInstant = (mention: TimeMention, value: string): boolean =>
  mention.type === 'datetime' && edge(mention.from) === edge(value);

const isDay = (mention: TimeMention, value: string): boolean =>
  edge(mention.from) === edge(value) && edge(mention.to) === edge(dayAfter(value));

/** The same part of the same day. */
function isSamePart(mention: TimeMention, { timex, start, Mod }: TemporalValue): boolean {
  const [part] = /T(?:MO|MI|AF|EV|NI|DT)$/.exec(timex ?? '') ?? [];
  if (part === undefined || (Mod !== undefined && Mod !== 'approx') || !mention.timex.endsWith(part))
    return false;
  return mention.from?.slice(0, 10) === start?.slice(0, 10);
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? day
    : new Date(date.getTime() + 86_400_000).toISOString().slice(0, 10);
}

/** Converts a day, an instant, and the last second of a day to one form. */
function edge(instant: string | null): string {
  if (instant === null || instant === '') return '';
  const day = instant.slice(0, 10);
  const clock = instant.slice(11);
  if (clock === '23:59:59') return dayAfter(day);
  return clock === '' || clock === '00:00:00' ? day : `${day} ${clock}`;
}

/** The cases of a directory's `recognizers_*.jsonl` files, by language. */
export function readTemporalCases(directory: string): Map<string, TemporalCase[]> {
  const files = readdirSync(directory).filter((name) => /^recognizers_\w+\.jsonl$/.test(name));
  const parse = (name: string) => {
    const lines = readFileSync(join(directory, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim());
    return lines.map((line) => JSON.parse(line) as TemporalCase);
  };
  return new Map(files.toSorted().map((name) => [name.replace(/^recognizers_|\.jsonl$/g, ''), parse(name)]));
}

/** The case ids listed as disputed in a Markdown file: every `en12` in backquotes. */
export function readDisputed(markdown: string): Set<string> {
  return new Set(Array.from(markdown.matchAll(/`((?:ja|zh|en)\d+)`/g), (match) => match[1] ?? ''));
}

/** One line for a language: how many are exact, overall and by type, and how many mentions have no label. */
export function formatTemporalScore(language: string, score: TemporalScore): string {
  const share = (exact: number, total: number) =>
    `${exact}/${total} ${(exact / Math.max(1, total)).toFixed(3)}`;
  const types = Object.entries(score.byType).map(
    ([type, { exact, total }]) => `${type} ${share(exact, total)}`,
  );
  return `${language}: ${share(score.exact, score.total)} (${types.join(', ')}); unlabelled ${score.unlabelled}`;
}

/** `node src/eval/temporal.ts <directory> [<Markdown with disputed ids>]` */
function main([directory, disputedFile]: string[]): void {
  if (directory === undefined) throw new Error('Name the directory of the recognizers_*.jsonl files.');
  const disputed =
    disputedFile === undefined ? new Set<string>() : readDisputed(readFileSync(disputedFile, 'utf8'));
  for (const [language, cases] of readTemporalCases(directory)) {
    console.log(formatTemporalScore(language, evaluateTimes(cases, disputed)));
  }
}

if (import.meta.main) main(process.argv.slice(2));
