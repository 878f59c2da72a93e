import type { WordKeys } from '../../../keys/keys.ts';
import type { Unit } from '../../../model/model.ts';
import { affordableTerms, bm25, POSTINGS_PER_RESULT } from '../../rows/rows.ts';
import type { ScoredId, SpeakerHabits, TextStatistics } from '../../store.ts';

/** Of the hash of a term, in hexadecimal digits. */
const TERM_HASH_LENGTH = 16;
/** Of the hash of a term: as many hexadecimal digits as a number holds exactly. */
const KEY_DIGITS = 13;
/** In place of the place of a term. */
const UNKNOWN = -1;

/** The text index of a memory as its tables have it. */
export interface StoredText {
  /** The hashes of all terms, one after another, and for each its id and the number of units. */
  readonly terms: string;
  readonly termIds: Float64Array;
  readonly documents: Float64Array;
  /** In the same order: term, unit, how often it occurs there, and the number of terms of the unit. */
  readonly postings: {
    readonly termIds: Float64Array;
    readonly unitIds: Float64Array;
    readonly times: Float64Array;
    readonly lengths: Float64Array;
  };
  readonly totals: { readonly documents: number; readonly terms: number };
  readonly speakers: ReadonlyMap<string, SpeakerHabits>;
}

interface Found {
  readonly term: string;
  /** Its place in the arrays. */
  readonly id: number;
  readonly documents: number;
}

/**
 * The text index of a small memory in arrays, searched as `TextIndex` searches the tables. The postings of the term at
 * place i are those from `starts[i]` to before `starts[i + 1]`.
 */
export class CopiedText {
  readonly #keys: WordKeys;
  readonly #totals: StoredText['totals'];
  readonly #speakers: StoredText['speakers'];
  readonly #everyone: SpeakerHabits;
  /** In ascending order, with the number of units of each. */
  readonly #termKeys: Float64Array;
  readonly #documents: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #places: Uint32Array;
  readonly #times: Uint8Array;
  readonly #lengths: Uint16Array;
  readonly #units: readonly Unit[];
  readonly #scores: Float64Array;

  /** @param units to whose places in this list the postings refer */
  constructor(stored: StoredText, units: readonly Unit[], keys: WordKeys) {
    const { termIds, documents, postings } = stored;
    this.#keys = keys;
    this.#totals = stored.totals;
    this.#speakers = stored.speakers;
    this.#everyone = sumOf([...stored.speakers.values()]);
    this.#units = units;
    this.#scores = new Float64Array(units.length);
    this.#lengths = new Uint16Array(units.length);
    const termKeys = Float64Array.from(termIds, (_, i) => keyOfHash(stored.terms, i * TERM_HASH_LENGTH));
    this.#termKeys = termKeys.toSorted();
    this.#documents = new Uint32Array(termIds.length);
    const placeOfTerm = new Map<number, number>();
    for (const [i, key] of termKeys.entries()) {
      const place = this.#placeOf(key)!;
      placeOfTerm.set(termIds[i]!, place);
      this.#documents[place] = documents[i]!;
    }
    const placeOfUnit = new Map(units.map(({ id }, place) => [id, place]));
    const count = postings.unitIds.length;
    const terms = new Int32Array(count);
    this.#starts = new Uint32Array(termIds.length + 1);
    for (let i = 0; i < count; i += 1) {
      const term = placeOfTerm.get(postings.termIds[i]!);
      // What was written between two of the statements that read it is left out: the next recall reads all again.
      const isKnown = term !== undefined && placeOfUnit.has(postings.unitIds[i]!);
      terms[i] = isKnown ? term : UNKNOWN;
      if (isKnown) this.#starts[term + 1]! += 1;
    }
    for (let term = 0; term < termIds.length; term += 1) this.#starts[term + 1]! += this.#starts[term]!;
    const next = this.#starts.slice();
    this.#places = new Uint32Array(this.#starts.at(-1)!);
    this.#times = new Uint8Array(this.#places.length);
    for (let i = 0; i < count; i += 1) {
      const term = terms[i]!;
      if (term === UNKNOWN) continue;
      const at = next[term]!++;
      const unit = placeOfUnit.get(postings.unitIds[i]!)!;
      this.#places[at] = unit;
      this.#times[at] = postings.times[i]!;
      this.#lengths[unit] = postings.lengths[i]!;
    }
  }

  get bytes(): number {
    return 12 * this.#termKeys.length + 5 * this.#places.length + 10 * this.#units.length;
  }

  search(terms: readonly string[], passes: (unit: Unit) => boolean, limit: number): ScoredId[] {
    if (limit <= 0) return [];
    const wanted = affordableTerms(this.#find(terms), POSTINGS_PER_RESULT * limit);
    const weigh = bm25(this.#totals);
    const touched: number[] = [];
    for (const { id, documents } of wanted) {
      const weightOf = weigh(documents);
      for (let at = this.#starts[id]!; at < this.#starts[id + 1]!; at += 1) {
        const place = this.#places[at]!;
        if (this.#scores[place] === 0) touched.push(place);
        this.#scores[place]! += weightOf(this.#times[at]!, this.#lengths[place]!);
      }
    }
    const hits: ScoredId[] = [];
    for (const place of touched) {
      const unit = this.#units[place]!;
      if (passes(unit)) hits.push({ unitId: unit.id, score: this.#scores[place]! });
      this.#scores[place] = 0;
    }
    return hits.sort((a, b) => b.score - a.score || a.unitId - b.unitId).slice(0, limit);
  }

  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): TextStatistics {
    const { documents, terms } = this.#totals;
    return {
      documents,
      averageLength: documents > 0 ? terms / documents : 0,
      documentFrequency: new Map(this.#find(about.terms).map(({ term, documents: count }) => [term, count])),
      speakers: new Map(
        [...new Set(about.speakers)].flatMap((name): [string, SpeakerHabits][] => {
          const habits = this.#speakers.get(name);
          return habits ? [[name, habits]] : [];
        }),
      ),
      everyone: this.#everyone,
    };
  }

  /** Those of the terms that occur. */
  #find(terms: readonly string[]): Found[] {
    return [...new Set(terms)].flatMap((term) => {
      const id = this.#placeOf(keyOfHash(this.#keys.hashTerm(term)));
      return id === null ? [] : { term, id, documents: this.#documents[id]! };
    });
  }

  #placeOf(key: number): number | null {
    const keys = this.#termKeys;
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return keys[low] === key ? low : null;
  }
}

/** @param at where the hash begins in the text */
function keyOfHash(text: string, at = 0): number {
  return Number.parseInt(text.slice(at, at + KEY_DIGITS), 16);
}

function sumOf(habits: readonly SpeakerHabits[]): SpeakerHabits {
  const sum = (of: keyof SpeakerHabits) => habits.reduce((total, one) => total + one[of], 0);
  return { turns: sum('turns'), terms: sum('terms'), questions: sum('questions') };
}
