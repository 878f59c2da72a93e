import type { Unit } from '../../model/model.ts';
import { Best, bm25, parseColumn, type TermDocuments, type TextTotals } from '../rows/rows.ts';
import type { ScoredId } from '../store.ts';
import type { Database } from './database.ts';

/** In `text_change`: all units were rebuilt. */
const ALL_UNITS = 0;
/** The most fresh units before they are merged into the lists; more at once are not read one by one. */
const MAX_FRESH = 400;
/** The most postings in memory, 5 bytes each. */
const MAX_KEPT = 2_000_000;

/** The units that contain a term, and how often, at most 255 times. */
interface PostingList {
  readonly unitIds: Uint32Array;
  readonly counts: Uint8Array;
}

/**
 * A cache of the text index: lists of postings are read when their terms are first searched for, since the same
 * terms are often searched again. Units that were added or reworded since, in this process or another, are *fresh*:
 * they are kept separately, and merged into the lists when there are many. Callers hold the transaction.
 */
export class Postings {
  readonly #db: Database;
  readonly #termsOf: (unit: Unit) => readonly string[];
  readonly #readUnits: (ids: readonly number[]) => readonly Unit[];
  /** In order of last use, the oldest first. */
  readonly #lists = new Map<string, PostingList>();
  #kept = 0;
  /** The last unit and the last entry of `text_change` that were read; null before the first search. */
  #known: { readonly unitId: number; readonly change: number } | null = null;
  readonly #fresh = new Map<number, ReadonlyMap<string, number>>();
  /** Fresh units by term, with the number of occurrences. */
  readonly #freshLists = new Map<string, Map<number, number>>();
  /** By unit id: number of terms; 1 if fresh; and the score during a search. */
  #lengths = new Uint16Array(0);
  #isFresh = new Uint8Array(0);
  #scores = new Float64Array(0);

  constructor(
    db: Database,
    readUnits: (ids: readonly number[]) => readonly Unit[],
    termsOf: (unit: Unit) => readonly string[],
  ) {
    this.#db = db;
    this.#termsOf = termsOf;
    this.#readUnits = readUnits;
  }

  /**
   * The best of the units that contain any of the terms, by BM25.
   * @param terms as keyed hashes
   * @param within the units that may be found; default: all
   */
  search(
    terms: readonly TermDocuments[],
    totals: TextTotals,
    limit: number,
    within?: ReadonlySet<number>,
  ): ScoredId[] {
    this.#follow();
    const scorerOf = bm25(totals);
    const touched: number[] = [];
    const add = (unitId: number, score: number) => {
      if (this.#scores[unitId] === 0) touched.push(unitId);
      this.#scores[unitId]! += score;
    };
    for (const { term, documents } of terms) {
      const scoreOf = scorerOf(documents);
      const { unitIds, counts } = this.#list(term);
      for (let i = 0; i < unitIds.length; i++) {
        const unitId = unitIds[i]!;
        if (this.#isFresh[unitId] === 0) add(unitId, scoreOf(counts[i]!, this.#lengths[unitId]!));
      }
      for (const [unitId, count] of this.#freshLists.get(term) ?? NONE)
        add(unitId, scoreOf(count, this.#lengths[unitId]!));
    }
    const best = new Best(limit);
    for (const unitId of touched) {
      const total = this.#scores[unitId]!;
      if (total >= best.threshold && (!within || within.has(unitId))) best.add(unitId, total);
      this.#scores[unitId] = 0;
    }
    return best.take();
  }

  /** Reads what any process has added or reworded since the last search. */
  #follow(): void {
    const last = this.#db.get<{ unitId: number | null; change: number | null }>(
      'SELECT (SELECT max(id) FROM unit) AS unitId, (SELECT max(revision) FROM text_change) AS "change"',
    );
    const now = { unitId: last?.unitId ?? 0, change: last?.change ?? 0 };
    const known = this.#known;
    if (known?.unitId === now.unitId && known.change === now.change) return;
    this.#known = now;
    this.#ensureCapacity(now.unitId);
    // Smaller when what was read within a transaction was rolled back.
    if (!known || now.unitId < known.unitId || now.change < known.change) return this.#begin(0, []);
    const reworded = this.#db
      .all<{ id: number }>('SELECT unit_id AS id FROM text_change WHERE revision > ?', known.change)
      .map(({ id }) => id);
    if (reworded.includes(ALL_UNITS)) return this.#begin(0, []);
    if (reworded.length + now.unitId - known.unitId > MAX_FRESH) return this.#begin(known.unitId, reworded);
    const fresh = new Set(reworded);
    for (let id = known.unitId + 1; id <= now.unitId; id++) fresh.add(id);
    this.#refresh([...fresh]);
    if (this.#fresh.size > MAX_FRESH) this.#settle();
  }

  #refresh(unitIds: readonly number[]): void {
    for (const id of unitIds) {
      for (const term of this.#fresh.get(id)?.keys() ?? []) this.#freshLists.get(term)?.delete(id);
      this.#fresh.set(id, new Map());
      this.#isFresh[id] = 1;
    }
    for (const unit of this.#readUnits(unitIds)) {
      const terms = this.#termsOf(unit);
      const counts = new Map<string, number>();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      this.#fresh.set(unit.id, counts);
      for (const [term, count] of counts) {
        const list = this.#freshLists.get(term) ?? new Map<number, number>();
        this.#freshLists.set(term, list.set(unit.id, count));
      }
      this.#lengths[unit.id] = Math.min(terms.length, 65_535);
    }
  }

  /** Merges fresh units into the lists. A unit may already be in a list that was read after its last change. */
  #settle(): void {
    for (const [term, { unitIds, counts }] of this.#lists) {
      const fresh = this.#freshLists.get(term) ?? NONE;
      if (fresh.size === 0 && !unitIds.some((unitId) => this.#isFresh[unitId] === 1)) continue;
      const settled = new ListBuilder(unitIds.length + fresh.size);
      for (let i = 0; i < unitIds.length; i++)
        if (this.#isFresh[unitIds[i]!] === 0) settled.add(unitIds[i]!, counts[i]!);
      for (const [unitId, count] of fresh) settled.add(unitId, count);
      const list = settled.take();
      this.#kept += list.unitIds.length - unitIds.length;
      this.#lists.set(term, list);
    }
    this.#forgetFresh();
  }

  #forgetFresh(): void {
    for (const id of this.#fresh.keys()) this.#isFresh[id] = 0;
    this.#fresh.clear();
    this.#freshLists.clear();
  }

  /** Clears the lists and the fresh units, and reads the lengths of units after `knownUnitId` and of those reworded. */
  #begin(knownUnitId: number, reworded: readonly number[]): void {
    this.#lists.clear();
    this.#kept = 0;
    this.#forgetFresh();
    this.#readLengths('id > ?', knownUnitId);
    this.#readLengths('id IN (SELECT value FROM json_each(?))', JSON.stringify(reworded));
  }

  /** FTS5 stores the number of each document's terms as a variable-length integer. */
  #readLengths(where: string, value: number | string): void {
    const rows = this.#db.all<{ id: number; size: Uint8Array }>(
      `SELECT id, sz AS size FROM unit_text_docsize WHERE ${where}`,
      value,
    );
    for (const { id, size } of rows) {
      let length = 0;
      for (const byte of size) length = length * 128 + (byte & 127);
      this.#lengths[id] = Math.min(length, 65_535);
    }
  }

  #ensureCapacity(lastUnitId: number): void {
    if (lastUnitId < this.#lengths.length) return;
    // Larger, so that they need not grow with every new unit.
    const size = Math.max(1_024, Math.ceil(lastUnitId * 1.25));
    const [lengths, isFresh] = [new Uint16Array(size), new Uint8Array(size)];
    lengths.set(this.#lengths);
    isFresh.set(this.#isFresh);
    [this.#lengths, this.#isFresh, this.#scores] = [lengths, isFresh, new Float64Array(size)];
  }

  #list(term: string): PostingList {
    const kept = this.#lists.get(term);
    if (kept) {
      this.#lists.delete(term);
      this.#lists.set(term, kept);
      return kept;
    }
    const read = this.#readList(term);
    this.#kept += read.unitIds.length;
    this.#lists.set(term, read);
    for (const [oldest, { unitIds }] of this.#lists) {
      if (this.#kept <= MAX_KEPT || oldest === term) break;
      this.#lists.delete(oldest);
      this.#kept -= unitIds.length;
    }
    return read;
  }

  /** The vocabulary contains a unit once for each occurrence of the term. One JSON array is read faster than its rows. */
  #readList(term: string): PostingList {
    this.#db.exec(VOCABULARY);
    const row = this.#db.get<{ ids: string }>(
      'SELECT json_group_array(doc) AS ids FROM temp.text_instance WHERE term = ?',
      term,
    );
    const ids = parseColumn<'ids'>(row?.ids ?? '[]');
    const list = new ListBuilder(ids.length);
    for (const id of ids) list.add(id, 1);
    return list.take();
  }
}

class ListBuilder {
  readonly #unitIds: Uint32Array;
  readonly #counts: Uint8Array;
  #size = 0;

  /** @param max the most units that will be added */
  constructor(max: number) {
    this.#unitIds = new Uint32Array(max);
    this.#counts = new Uint8Array(max);
  }

  /** The unit added last may be added again, for another occurrence of the term. */
  add(unitId: number, count: number): void {
    const isSame = this.#size > 0 && this.#unitIds[this.#size - 1] === unitId;
    const at = isSame ? this.#size - 1 : this.#size++;
    this.#unitIds[at] = unitId;
    this.#counts[at] = Math.min(255, this.#counts[at]! + count);
  }

  take(): PostingList {
    return { unitIds: this.#unitIds.slice(0, this.#size), counts: this.#counts.slice(0, this.#size) };
  }
}

const NONE: ReadonlyMap<number, number> = new Map();
const VOCABULARY =
  'CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_instance USING fts5vocab (main, unit_text, instance)';

/** Tells the lists in memory, in all processes, that a unit was reworded or removed; null: all units were rebuilt. */
export function recordRewording(db: Database, unitId: number | null): void {
  db.run('INSERT OR REPLACE INTO text_change (unit_id) VALUES (?)', unitId ?? ALL_UNITS);
}
