/**
 * Whether a statement says what another one said before. To take two for one that are not would lose what was said, to
 * take one for two only repeats it: so a negation, number, date or tense that differs, and any word of meaning that one
 * has and the other has not in its place, make two.
 */
import { wallClockToInstant, type Instant } from '../../model/model.ts';
import { diceWith, findTimes } from '../../text/text.ts';
import { isSameWord, readWords, type ContentWord, type Words } from './words.ts';

/** Something stated, and when: what “tomorrow” in it means. */
export interface Statement {
  readonly text: string;
  /** Null: nobody noted when. */
  readonly at: Instant | null;
}

/** `more`: it says the same and something beside it. */
export type Comparison = 'same' | 'more' | 'other';

/** How alike two texts are whose words of meaning one of them has all: by character n-grams, or by the angle of their vectors. */
const SAME_DICE = 0.75;
const SAME_COSINE = 0.9;
const MORE_DICE = 0.5;
const MORE_COSINE = 0.85;
/** Of what was stated before, the share of words of meaning that may go unsaid when it is stated again. */
const MAX_UNSAID = 0.25;

/** Compares a new statement, prepared once, with those made before. */
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
   * What the new statement is to the earlier one.
   * @param cosine of their vectors; null when there are none
   */
  compare(earlier: Statement, cosine: number | null): Comparison {
    const now = this.#statement;
    const then = prepare(earlier, this.#timeZone);
    if (!mayBeSame(now.words, then.words) || isExchange(now.words.all, then.words.all)) return 'other';
    const unsaid = missing(then.words.content, now.words.content);
    const added = missing(now.words.content, then.words.content);
    const isAlike = (dice: number, angle: number) =>
      this.#alike(earlier.text) >= dice || (cosine ?? 0) >= angle;
    if (added === 0 && isEqual(now.facts, then.facts)) {
      if (unsaid === 0) return 'same';
      const share = unsaid / then.words.content.length;
      return share <= MAX_UNSAID && isAlike(SAME_DICE, SAME_COSINE) ? 'same' : 'other';
    }
    const holdsAll = unsaid === 0 && then.facts.every((fact) => now.facts.includes(fact));
    return holdsAll && isAlike(MORE_DICE, MORE_COSINE) ? 'more' : 'other';
  }
}

interface Prepared {
  readonly words: Words;
  /** Numbers and times, which must agree. Sorted. */
  readonly facts: readonly string[];
}

function prepare({ text, at }: Statement, timeZone: string): Prepared {
  const words = readWords(text);
  return { words, facts: [...words.numbers, ...timesIn(text, at, timeZone)].toSorted() };
}

function mayBeSame(a: Words, b: Words): boolean {
  return a.content.length > 0 && b.content.length > 0 && a.negations === b.negations && a.isPast === b.isPast;
}

/** How many of the words have no partner among the others. */
function missing(words: readonly ContentWord[], among: readonly ContentWord[]): number {
  return words.filter((word) => !among.some((other) => isSameWord(word, other))).length;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/**
 * Whether two words, or runs of words, changed places about the same middle: Mia owes Ken, Ken owes Mia. Of
 * `start X middle Y end` the other is `start Y middle X end`.
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

/** Any two instants that are neither on the same day of the week, month, or year. */
const SOME_DAYS = ['2021-02-03T12:00', '2024-11-15T12:00'];

/** The times that a text names, as days of the calendar; those that depend on an unknown day are like no other. */
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
