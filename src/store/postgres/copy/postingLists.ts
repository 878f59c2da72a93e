import { Best, bm25, POSTINGS_PER_RESULT, type TextTotals } from '../../rows/rows.ts';
import type { ScoredId } from '../../store.ts';
import type { Session } from '../session.ts';
import type { Term } from '../textIndex.ts';
import { numbersOf, unsignedOf } from './numbers.ts';
import { grown } from './unitColumns.ts';

/** The most postings in memory, 5 bytes each. */
const MAX_KEPT = 4_000_000;
/** Before the first search, the lists of this many terms are read. */
const READ_AHEAD = 1_000;
const READ_AT_ONCE = 10;
/** Terms that more units contain are not read by a search for a hundred results, unless there are few others. */
const MAX_SEARCHED = 100 * POSTINGS_PER_RESULT;

/** Which units contain a term, in ascending order, and how often, at most 255 times. */
interface PostingList {
  unitIds: Uint32Array;
  times: Uint8Array;
  size: number;
}

/**
 * Lists of the text index, read when their terms are first searched for, since the same terms are often searched again.
 * New units are appended to them.
 */
export class PostingLists {
  /** In order of last use, the oldest first. */
  readonly #lists = new Map<number, PostingList>();
  #kept = 0;
  /** How often the lists were changed. */
  #changes = 0;
  /** By unit id: 1 if the unit is in the index; its number of terms; and the score during a search. */
  #isIndexed = new Uint8Array(0);
  #lengths = new Uint16Array(0);
  #scores = new Float64Array(0);

  /** Number of units in the index. */
  #documents = 0;

  get documents(): number {
    return this.#documents;
  }

  get bytes(): number {
    return 5 * this.#kept + 11 * this.#lengths.length;
  }

  /** @param length number of terms; null: the unit is not in the index */
  setLength(unitId: number, length: number | null): void {
    if (unitId >= this.#lengths.length) {
      const size = Math.max(1_024, Math.ceil(unitId * 1.25));
      this.#isIndexed = grown(Uint8Array, this.#isIndexed, size);
      this.#lengths = grown(Uint16Array, this.#lengths, size);
      this.#scores = new Float64Array(size);
    }
    const isIndexed = length === null ? 0 : 1;
    this.#documents += isIndexed - this.#isIndexed[unitId]!;
    this.#isIndexed[unitId] = isIndexed;
    this.#lengths[unitId] = length ?? 0;
  }

  clear(): void {
    this.#changes += 1;
    this.#lists.clear();
    this.#kept = 0;
  }

  /** Reads the lists of the terms that most units contain, of those that searches read, and calls `pause` now and then. */
  async readAhead(session: Session, pause: () => Promise<unknown>): Promise<void> {
    const terms = await session.all<Term>(
      `SELECT term, id, documents FROM term WHERE memory_id = $1 AND documents <= ${MAX_SEARCHED}
       ORDER BY documents DESC, id LIMIT ${READ_AHEAD}`,
    );
    for (let at = 0; at < terms.length; at += READ_AT_ONCE) {
      await this.#read(session, terms.slice(at, at + READ_AT_ONCE));
      await pause();
    }
  }

  /** Adds units that are newer than all in the lists, the oldest first. */
  async append(session: Session, unitIds: readonly number[]): Promise<void> {
    if (unitIds.length === 0) return;
    this.#changes += 1;
    if (this.#lists.size === 0) return;
    const rows = await session.all<{ unitId: number; terms: string; times: string }>(
      `SELECT unit_id AS "unitId", array_agg(term_id)::text AS terms, array_agg(times)::text AS times
       FROM posting WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) GROUP BY unit_id ORDER BY unit_id`,
      unitIds,
    );
    for (const { unitId, terms, times } of rows) {
      const timesOf = numbersOf(times);
      for (const [i, term] of numbersOf(terms).entries()) {
        const list = this.#lists.get(term);
        if (list) this.#kept += append(list, unitId, timesOf[i]!);
      }
    }
  }

  /** The best of the units that pass and contain any of the terms, by BM25. */
  async search(
    session: Session,
    terms: readonly Term[],
    totals: TextTotals,
    { passes, limit }: { readonly passes: (unitId: number) => boolean; readonly limit: number },
  ): Promise<ScoredId[]> {
    const lists = await this.#read(session, terms);
    const [scores, lengths] = [this.#scores, this.#lengths];
    const scorerOf = bm25(totals);
    const touched: number[] = [];
    for (const { id, documents } of terms) {
      const scoreOf = scorerOf(documents);
      const { unitIds, times, size } = lists.get(id)!;
      for (let i = 0; i < size; i += 1) {
        const unitId = unitIds[i]!;
        if (scores[unitId] === 0) touched.push(unitId);
        scores[unitId]! += scoreOf(times[i]!, lengths[unitId]!);
      }
    }
    const best = new Best(limit);
    for (const unitId of touched) {
      const score = scores[unitId]!;
      if (score >= best.threshold && passes(unitId)) best.add(unitId, score);
      scores[unitId] = 0;
    }
    return best.take();
  }

  async #read(session: Session, terms: readonly Term[]): Promise<Map<number, PostingList>> {
    const lists = new Map<number, PostingList>();
    const missing: number[] = [];
    for (const { id } of terms) {
      const kept = this.#lists.get(id);
      if (!kept) missing.push(id);
      else {
        lists.set(id, kept);
        this.#lists.delete(id);
        this.#lists.set(id, kept);
      }
    }
    if (missing.length === 0) return lists;
    const changes = this.#changes;
    const rows = await session.all<{ id: number; units: Uint8Array | null; times: Uint8Array | null }>(
      `SELECT w.id, p.units, p.times FROM unnest(?::bigint[]) w (id) CROSS JOIN LATERAL (
         SELECT string_agg(int4send(x.unit_id::integer), '') AS units, string_agg(int2send(x.times), '') AS times FROM (
           SELECT y.unit_id, y.times FROM posting y WHERE y.memory_id = $1 AND y.term_id = w.id ORDER BY y.unit_id) x) p`,
      missing,
    );
    for (const { id, units, times } of rows) {
      const unitIds = unsignedOf(units);
      // Of two bytes the second: no number is above 255.
      const list = {
        unitIds,
        times: Uint8Array.from(unitIds, (_, i) => times![2 * i + 1]!),
        size: unitIds.length,
      };
      lists.set(id, list);
      // A list that was read before others were changed may lack the change.
      if (changes === this.#changes) this.#keep(id, list);
    }
    return lists;
  }

  #keep(term: number, list: PostingList): void {
    // Two searches at once may have read the same list.
    this.#kept += list.unitIds.length - (this.#lists.get(term)?.unitIds.length ?? 0);
    this.#lists.set(term, list);
    for (const [oldest, { unitIds }] of this.#lists) {
      if (this.#kept <= MAX_KEPT || oldest === term) break;
      this.#lists.delete(oldest);
      this.#kept -= unitIds.length;
    }
  }
}

/** Returns for how many more units the list now has room. A list that was read after the unit was added contains it. */
function append(list: PostingList, unitId: number, times: number): number {
  if (list.size > 0 && list.unitIds[list.size - 1]! >= unitId) return 0;
  const before = list.unitIds.length;
  if (list.size === before) {
    const size = Math.max(8, Math.ceil(before * 1.25));
    list.unitIds = grown(Uint32Array, list.unitIds, size);
    list.times = grown(Uint8Array, list.times, size);
  }
  list.unitIds[list.size] = unitId;
  list.times[list.size] = times;
  list.size += 1;
  return list.unitIds.length - before;
}
