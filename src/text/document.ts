import { DAY_MS, localDate, unitText, wallClockToInstant, type Instant, type Unit } from '../model/model.ts';
import { findTimes } from './dates/dates.ts';
import { terms } from './terms.ts';

/**
 * Grows by one whenever the same unit would give other terms than before. A memory whose text index was made by
 * another version is indexed anew when it is opened.
 */
export const ANALYSIS_VERSION = 1;

/**
 * The terms by which a unit is found, in order, with repeats: who spoke, what was said, and the date in words.
 * @param timeZone IANA zone whose calendar dates the unit
 */
export function documentTerms(unit: Unit, timeZone: string): string[] {
  return terms(documentText(unit, timeZone));
}

function documentText(unit: Unit, timeZone: string): string {
  if (unit.kind !== 'episode') return unitText(unit);
  return `${unit.payload.speaker} ${unitText(unit)} ${dateWords(localDate(unit.occurredAt, timeZone))}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function dateWords(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  return `${day} ${MONTHS[(month ?? 1) - 1]} ${year} ${month}月${day}日`;
}

/** A span of time that a unit talks about; `to` is exclusive. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** Longer spans (“this year”) are about too much to find anything by. */
export const LONGEST_SPAN_MS = 32 * DAY_MS;
/** Times named after the first of them in one unit are lists, not topics. */
const MOST_SPANS = 8;

/**
 * The days that a unit talks about, other than the day it is from: resolved against its own time, the nearest reading
 * where there are several.
 */
export function documentTimes(unit: Unit, timeZone: string): Span[] {
  const spans: Span[] = [];
  const options = { reference: new Date(unit.occurredAt), timeZone, prefer: 'nearest' } as const;
  for (const { timex, window } of findTimes(unitText(unit), options)) {
    const { from, to } = window ?? { from: null, to: null };
    if (timex === 'PRESENT_REF' || from === null || to === null) continue;
    const span = { from: instantOf(from, timeZone), to: instantOf(to, timeZone) };
    const isOwnDay = span.from - DAY_MS < unit.occurredAt && unit.occurredAt < span.to + DAY_MS;
    const isKnown = spans.some((other) => other.from === span.from && other.to === span.to);
    if (isOwnDay || isKnown || !(span.to - span.from <= LONGEST_SPAN_MS)) continue;
    spans.push(span);
    if (spans.length === MOST_SPANS) break;
  }
  return spans;
}

function instantOf(wallClock: string, timeZone: string): Instant {
  return wallClockToInstant(Date.parse(`${wallClock}Z`), timeZone);
}
