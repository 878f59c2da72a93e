/** Matches the current sections of a file with the sections that were there before, so that they keep their units. */
import { diceWith } from '../../text/text.ts';

export interface Known {
  readonly section: string;
  readonly text: string;
}

export interface Matching<Old, New> {
  readonly pairs: readonly (readonly [before: Old, now: New])[];
  readonly gone: readonly Old[];
  readonly added: readonly New[];
}

/** Sections at least this similar are the same section, moved or renamed and edited. */
const MIN_SIMILARITY = 0.6;
/** Chunks of one long section at least this similar are the same chunk, edited. */
const MIN_SIMILARITY_IN_SECTION = 0.3;
/** The most comparisons in one matching; more are needed only when a file was written from scratch. */
const MAX_COMPARISONS = 20_000;

/**
 * Pairs old and new sections: first the same text in the same section, then the same text elsewhere, then the only
 * section of a name, then by similarity, within a section before across sections.
 */
export function matchWithinFile<Old extends Known, New extends Known>(
  before: readonly Old[],
  now: readonly New[],
): Matching<Old, New> {
  const matcher = new Matcher(before, now);
  matcher.matchEqual((one) => JSON.stringify([one.section, one.text]));
  matcher.matchEqual((one) => one.text);
  matcher.matchInSections();
  matcher.matchSimilar(MIN_SIMILARITY);
  return matcher.result();
}

/** Pairs sections removed from one file with sections added to another: by the same text, or by similarity. */
export function matchAcrossFiles<Old extends Known, New extends Known>(
  before: readonly Old[],
  now: readonly New[],
): Matching<Old, New> {
  const matcher = new Matcher(before, now);
  matcher.matchEqual((one) => JSON.stringify([one.section, one.text]));
  matcher.matchEqual((one) => one.text);
  matcher.matchSimilar(MIN_SIMILARITY);
  return matcher.result();
}

class Matcher<Old extends Known, New extends Known> {
  readonly #pairs: [Old, New][] = [];
  readonly #before: Set<Old>;
  readonly #now: Set<New>;
  #comparisonsLeft = MAX_COMPARISONS;

  constructor(before: readonly Old[], now: readonly New[]) {
    this.#before = new Set(before);
    this.#now = new Set(now);
  }

  result(): Matching<Old, New> {
    return { pairs: this.#pairs, gone: [...this.#before], added: [...this.#now] };
  }

  /** Pairs sections with equal keys, in their order. */
  matchEqual(key: (one: Known) => string): void {
    const waiting = Map.groupBy(this.#before, key);
    for (const now of this.#now) {
      const before = waiting.get(key(now))?.shift();
      if (before) this.#pair(before, now);
    }
  }

  matchInSections(): void {
    const waiting = Map.groupBy(this.#before, (one) => one.section);
    for (const [section, now] of Map.groupBy(this.#now, (one) => one.section)) {
      const before = waiting.get(section) ?? [];
      const [onlyBefore, onlyNow] = [before[0], now[0]];
      if (before.length === 1 && now.length === 1 && onlyBefore && onlyNow) this.#pair(onlyBefore, onlyNow);
      else this.#matchSimilar(before, now, MIN_SIMILARITY_IN_SECTION);
    }
  }

  matchSimilar(minSimilarity: number): void {
    this.#matchSimilar([...this.#before], [...this.#now], minSimilarity);
  }

  /** Pairs the most similar first. */
  #matchSimilar(before: readonly Old[], now: readonly New[], minSimilarity: number): void {
    const candidates: { before: Old; now: New; likeness: number }[] = [];
    for (const one of now) {
      if (this.#comparisonsLeft <= 0) break;
      const alike = diceWith(one.text);
      for (const other of before) {
        if (!canBeSimilar(one.text, other.text, minSimilarity) || this.#comparisonsLeft <= 0) continue;
        this.#comparisonsLeft--;
        const likeness = alike(other.text);
        if (likeness >= minSimilarity) candidates.push({ before: other, now: one, likeness });
      }
    }
    candidates.sort((a, b) => b.likeness - a.likeness);
    for (const { before, now } of candidates) {
      if (this.#before.has(before) && this.#now.has(now)) this.#pair(before, now);
    }
  }

  #pair(before: Old, now: New): void {
    this.#before.delete(before);
    this.#now.delete(now);
    this.#pairs.push([before, now]);
  }
}

/** A quick upper bound: the Dice coefficient of bags of n-grams cannot reach `least` when one text is that much longer. */
function canBeSimilar(one: string, other: string, minSimilarity: number): boolean {
  const [shorter, longer] =
    one.length < other.length ? [one.length, other.length] : [other.length, one.length];
  return shorter * 1.5 >= (longer * minSimilarity) / (2 - minSimilarity);
}
