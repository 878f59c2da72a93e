/**
 * Decides whether a statement says the same as an earlier one. Treating different statements as the same would lose
 * one; treating equal ones as different only repeats one. So statements are different if a negation, number, date
 * or tense differs, or if either has a content word that the other lacks.
 */
import { wallClockToInstant, type Instant } from '../../model/model.ts';
import { diceWith, findTimes } from '../../text/text.ts';
import { isSameWord, readWords, type ContentWord, type Words } from './words.ts';

/** A statement, and when it was made, to which its “tomorrow” is relative. */
export interface Statement {
  readonly text: string;
  /** Null: unknown. */
  readonly at: Instant | null;
}

/** `more`: it says the same and something in addition. */
export type Comparison = 'same' | 'more' | 'other';

/** Minimum similarity of two texts when one contains all content words of the other: by character n-grams, or by cosine. */
const SAME_DICE = 0.75;
const SAME_COSINE = 0.9;
const MORE_DICE = 0.5;
const MORE_COSINE = 0.85;
/** The largest share of the earlier content words that may be missing when a statement is repeated. */
const MAX_MISSING_SHARE = 0.25;

/** Compares a new statement, prepared once, with earlier ones. */
export class Comparer {
  readonly #statement: Prepared;
  readonly #timeZone: string;
  readonly #alike: (text: string) => number;

  /** @param timeZone of the memory’s wall clock */
  constructor(statement: Statement, timeZone: string) {
    this.#timeZone = timeZone;
    this.#statement = prepare(statement, timeZone);
    this.#alike = diceWith(statement.text);
  }

  /**
   * The relation of the new statement to the earlier one.
   * @param cosine of their vectors; null when there are none
   */
  compare(earlier: Statement, cosine: number | null): Comparison {
    const now = this.#statement;
    const then = prepare(earlier, this.#timeZone);
    if (!mayBeSame(now.words, then.words) || isExchange(now.words.all, then.words.all)) return 'other';
    const missingWords = missing(then.words.content, now.words.content);
    const added = missing(now.words.content, then.words.content);
    const isAlike = (dice: number, angle: number) =>
      this.#alike(earlier.text) >= dice || (cosine ?? 0) >= angle;
    if (added === 0 && isEqual(now.facts, then.facts)) {
      if (missingWords === 0) return 'same';
      const share = missingWords / then.words.content.length;
      return share <= MAX_MISSING_SHARE && isAlike(SAME_DICE, SAME_COSINE) ? 'same' : 'other';
    }
    const holdsAll = missingWords === 0 && then.facts.every((fact) => now.facts.includes(fact));
    return holdsAll && isAlike(MORE_DICE, MORE_COSINE) ? 'more' : 'other';
  }
}

interface Prepared {
  readonly words: Words;
  /** Numbers and times, which must be equal. Sorted. */
  readonly facts: readonly string[];
}

function prepare({ text, at }: Statement, timeZone: string): Prepared {
  const words = readWords(text);
  return { words, facts: [...words.numbers, ...timesIn(text, at, timeZone)].toSorted() };
}

function mayBeSame(a: Words, b: Words): boolean {
  return a.content.length > 0 && b.content.length > 0 && a.negations === b.negations && a.isPast === b.isPast;
}

/** How many of the words have no equal among the others. */
function missing(words: readonly ContentWord[], among: readonly ContentWord[]): number {
  return words.filter((word) => !among.some((other) => isSameWord(word, other))).length;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/**
 * Whether two words, or runs of words, are exchanged around the same middle: Mia owes Ken, Ken owes Mia. `start X
 * middle Y end` becomes `start Y middle X end`.
 */
function isExchange(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  let [start, end] = [0, a.length];
  while (start < end && a[start] === b[start]) start++;
  while (end > start && a[end - 1] === b[end - 1]) end--;
  const [one, other] = [a.slice(start, end), b.slice(start, end)];
  for (let first = 1; first < one.length - 1; first++) {
    for (let last = 1; first + last < one.length; last++) {
      const swapped = [...one.slice(-last), ...one.slice(first, -last), ...one.slice(0, first)];
      if (isEqual(swapped, other)) return true;
    }
  }
  return false;
}

/** Two instants that differ in day of the week, month, and year. */
const SOME_DAYS = ['2021-02-03T12:00', '2024-11-15T12:00'];

/** The times in a text as calendar days; times that depend on an unknown day never equal another. */
function timesIn(text: string, at: Instant | null, timeZone: string): string[] {
  if (at !== null) return namedTimes(text, at, timeZone);
  const [one = [], other = []] = SOME_DAYS.map((day) =>
    namedTimes(text, wallClockToInstant(day, timeZone), timeZone),
  );
  return one.map((time, i) => (time === other[i] ? time : `unknown ${text}`));
}

function namedTimes(text: string, at: Instant, timeZone: string): string[] {
  return findTimes(text, { reference: new Date(at), timeZone }).flatMap(({ type, timex }) =>
    /^(?:PRESENT|PAST|FUTURE)_REF$/.test(timex) ? [] : [`${type} ${timex}`],
  );
}
