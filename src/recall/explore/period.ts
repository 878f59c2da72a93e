/** The period of a question, from dates or from words. */
import { DAY_MS, MemoryError, wallClockToInstant, type Instant } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { findTimes, type TimeMention } from '../../text/text.ts';

export interface Period {
  /** Null: open. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly to: Instant | null;
}

/** A period named in words. */
export interface SpokenPeriod extends Period {
  readonly words: string;
  /** UTF-16 offsets of the words. */
  readonly start: number;
  readonly end: number;
}

/** A named time longer than this, such as a whole year, is too general. */
const MAX_MENTIONED_MS = 100 * DAY_MS;

interface Clock {
  readonly now: Instant;
  readonly timeZone: string;
}

/**
 * Only the first part of a text is read: questions name their times early, and a text of twenty thousand characters
 * full of time expressions takes 15 s.
 */
const MAX_READ_CHARS = 1_000;

/** Tells whether anything happened in a period. */
type Holds = (period: Period) => Promise<boolean>;

/**
 * The period that the words name.
 * @throws MemoryError INVALID_INPUT when they name none
 */
export async function readPeriod(words: string, clock: Clock, holds: Holds): Promise<SpokenPeriod> {
  const periods = await choose(mentionsIn(words, clock), clock, holds, { must: true });
  const [first, ...others] = periods;
  if (!first) throw new MemoryError('INVALID_INPUT', `“${words}” does not name a time.`);
  return others.reduce(both, first);
}

/**
 * The period that a sentence names, or null. A time without a year for which the memory contains nothing (“a spring
 * roll”), or a vague one (“recently”), is treated as ordinary words.
 */
export async function findPeriod(text: string, clock: Clock, holds: Holds): Promise<SpokenPeriod | null> {
  const mentions = mentionsIn(text.slice(0, MAX_READ_CHARS), clock).filter((mention) => !mention.vague);
  const [first, ...others] = await choose(mentions, clock, holds);
  return first ? others.reduce(both, first) : null;
}

export function narrowTo(filter: UnitFilter, { from, to }: Period): UnitFilter {
  const latest = Math.max(from ?? -Infinity, filter.from ?? -Infinity);
  const earliest = Math.min(to ?? Infinity, filter.to ?? Infinity);
  return {
    ...filter,
    ...(latest > -Infinity && { from: latest }),
    ...(earliest < Infinity && { to: earliest }),
  };
}

export function isWithin(at: Instant, { from, to }: Period): boolean {
  return at >= (from ?? -Infinity) && at < (to ?? Infinity);
}

/** Whether a text names a time within a period or around it that is no longer than a season. */
export function mentionsPeriod(
  said: { readonly text: string; readonly occurredAt: Instant },
  { from, to }: Period,
  timeZone: string,
): boolean {
  const options = { reference: new Date(said.occurredAt), timeZone, prefer: 'nearest' } as const;
  return findTimes(said.text, options).some(({ window, timex }) => {
    if (timex === 'PRESENT_REF' || window.from === null || window.to === null) return false;
    const start = wallClockToInstant(window.from, timeZone);
    const end = wallClockToInstant(window.to, timeZone);
    return end - start <= MAX_MENTIONED_MS && start < (to ?? Infinity) && end > (from ?? -Infinity);
  });
}

/** Tells whether anything that passes the filter occurred in a period. */
export function holdsIn(store: Store, filter: UnitFilter): Holds {
  return async (period) => (await store.units.list(narrowTo(filter, period), { limit: 1 })).length > 0;
}

function mentionsIn(words: string, { now, timeZone }: Clock): TimeMention[] {
  const mentions = findTimes(words, { reference: new Date(now), timeZone, prefer: 'past' });
  return mentions.filter(({ from, to, timex }) => (from !== null || to !== null) && timex !== 'PRESENT_REF');
}

/** For each expression, the first reading in which anything occurred; with `must`, else the first reading. */
async function choose(
  mentions: readonly TimeMention[],
  { timeZone }: Clock,
  holds: Holds,
  { must = false }: { readonly must?: boolean } = {},
): Promise<SpokenPeriod[]> {
  const instantOf = (at: string | null) => (at === null ? null : wallClockToInstant(at, timeZone));
  const chosen: SpokenPeriod[] = [];
  for (const { window, alternatives, text: words, start, end, timex } of mentions) {
    const readings = [window, ...alternatives].map(({ from, to }): SpokenPeriod => {
      return { from: instantOf(from), to: instantOf(to), words, start, end };
    });
    const told = await firstOf(readings, holds);
    const isDefinite = must || /^\d{4}|^\(\d{4}/.test(timex);
    const reading = told ?? (isDefinite ? readings[0] : undefined);
    if (reading) chosen.push(reading);
  }
  return chosen;
}

async function firstOf<P extends Period>(periods: readonly P[], holds: Holds): Promise<P | undefined> {
  for (const period of periods) if (await holds(period)) return period;
  return undefined;
}

/** For two overlapping periods the overlap (“last year, in May”), else from the earlier to the later (“spring or autumn”). */
function both(a: SpokenPeriod, b: SpokenPeriod): SpokenPeriod {
  const from = [a.from ?? -Infinity, b.from ?? -Infinity] as const;
  const to = [a.to ?? Infinity, b.to ?? Infinity] as const;
  const shared = [Math.max(...from), Math.min(...to)] as const;
  const [first, last] = shared[0] < shared[1] ? shared : [Math.min(...from), Math.max(...to)];
  return {
    from: first === -Infinity ? null : first,
    to: last === Infinity ? null : last,
    words: `${a.words} … ${b.words}`,
    start: Math.min(a.start, b.start),
    end: Math.max(a.end, b.end),
  };
}
