import { DAY_MS, localDate, unitText, wallClockToInstant, type Instant, type Unit } from '../model/model.ts';
import { findTimes } from './dates/dates.ts';
import { wordsAskingFor } from './predicates.ts';
import { terms, visitTerms, type TermVisitor } from './terms.ts';

/**
 * Increase by one when the same unit would give other terms than before. A memory whose text index was made by
 * another version is indexed again when it is opened.
 */
export const ANALYSIS_VERSION = 2;

/** The terms of a unit for search. */
export interface DocumentTerms {
  /** In order, with repeats: the speaker, what was said, and the date in words; of a fact, also words that ask for it. */
  readonly terms: readonly string[];
  /** How many of them come from what was said. */
  readonly ownTerms: number;
  /** Whether the text asks a question. */
  readonly asks: boolean;
}

/** @param timeZone IANA zone whose calendar dates the unit */
export function documentTerms(unit: Unit, timeZone: string): DocumentTerms {
  const text = unitText(unit);
  const speaker = unit.kind === 'episode' ? unit.payload.speaker : null;
  const predicate = unit.kind === 'fact' ? unit.payload.predicate : null;
  const all: string[] = [];
  let ownTerms = 0;
  const add: TermVisitor = (source, from, to) => all.push(source.slice(from, to));
  const addOwn: TermVisitor = (...term) => {
    ownTerms++;
    add(...term);
  };
  visitPassageTerms({ text, speaker, occurredAt: unit.occurredAt, predicate }, timeZone, add, addOwn);
  return { terms: all, ownTerms, asks: speaker !== null && asks(text) };
}

/** The parts of a unit that are searched by words. */
interface SearchedParts {
  readonly text: string;
  /** Null unless it is an episode. */
  readonly speaker: string | null;
  readonly occurredAt: Instant;
  /** Null unless it is a fact. */
  readonly predicate: string | null;
}

/** Visits the terms of one passage of a unit, in the order of `documentTerms`. @param visitOwn called for those of the text */
export function visitPassageTerms(
  { text, speaker, occurredAt, predicate }: SearchedParts,
  timeZone: string,
  visit: TermVisitor,
  visitOwn: TermVisitor = visit,
): void {
  if (speaker !== null) visitTerms(speaker, visit);
  visitTerms(text, visitOwn);
  if (predicate !== null) visitTerms(wordsAskingFor(predicate), visit);
  if (speaker === null) return;
  const date = dateTerms(localDate(occurredAt, timeZone), CJK.test(text));
  for (const term of date) visit(term, 0, term.length);
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const MONTHS = 'January February March April May June July August September October November December'
  .split(' ')
  .flatMap((month) => terms(month));

/** The date as the unit's language says it: 2026 年 3 月 29 日, or 2026 march 29. */
function dateTerms(date: string, isCjk: boolean): string[] {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  if (isCjk) return [`${year}`, '年', `${month}`, '月', `${day}`, '日'];
  return [`${year}`, MONTHS[month - 1] ?? '', `${day}`];
}

const CLOSING_MARKS = /[」』"'）)\s・。…!！~～ー^]+$/u;
const ASKING_END = /(?:ですか|ますか|でしょうか|ませんか|のか|かな|[吗呢嘛])$/u;
/** A turn is a question if a question mark is within this many UTF-16 units of its end, since a word or two may follow. */
const ASKS_WITHIN = 30;

/** Whether a text ends in a question. */
export function asks(text: string): boolean {
  const words = text.slice(-200).replace(CLOSING_MARKS, '');
  return /[?？]/u.test(text.trimEnd().slice(-ASKS_WITHIN)) || ASKING_END.test(words);
}

/** A span of time that a unit talks about; `to` is exclusive. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** Longer spans (“this year”) are too wide to be useful for search. */
export const MAX_SPAN_MS = 32 * DAY_MS;
/** The most spans kept of one unit: a text that names more times is a list. */
const MAX_SPANS = 8;

/**
 * The days that a unit talks about, except the day it is from: resolved against its own time, taking the nearest
 * reading where there are several.
 */
export function documentTimes(unit: Unit, timeZone: string): Span[] {
  const spans: Span[] = [];
  const options = { reference: new Date(unit.occurredAt), timeZone, prefer: 'nearest' } as const;
  for (const {
    timex,
    window: { from, to },
  } of findTimes(unitText(unit), options)) {
    if (timex === 'PRESENT_REF' || from === null || to === null) continue;
    const span = { from: wallClockToInstant(from, timeZone), to: wallClockToInstant(to, timeZone) };
    const isOwnDay = span.from - DAY_MS < unit.occurredAt && unit.occurredAt < span.to + DAY_MS;
    const isKnown = spans.some((other) => other.from === span.from && other.to === span.to);
    if (isOwnDay || isKnown || !(span.to - span.from <= MAX_SPAN_MS)) continue;
    spans.push(span);
    if (spans.length === MAX_SPANS) break;
  }
  return spans;
}
