import { wordCache, type Unit } from '../../model/model.ts';
import { documentTimes, type DocumentTerms } from '../../text/text.ts';
import type { ScoredId, SpeakerHabits, TextStatistics, UnitFilter } from '../store.ts';
import {
  affordableTerms,
  hashedDocument,
  isNarrow,
  POSTINGS_PER_RESULT,
  type SpeakerRow,
  Tally,
  type TermDocuments,
} from '../rows/rows.ts';
import type { Database } from './database.ts';
import { firstMatching, filterHits, type FilterUnits } from './filter.ts';
import { recordRewording, Postings } from './postings.ts';

/** Of the cache of speakers' names. */
const MAX_NAMES = 1_000;

/** In a time with at most so many units, these are found first; otherwise what the search finds is filtered. */
const MAX_IN_TIME = 2_000;

/** FTS5 over our terms, with statistics that FTS5 does not provide. Callers hold the transaction. */
export class TextIndex {
  readonly #db: Database;
  readonly #timeZone: string;
  readonly #filterUnits: FilterUnits;
  readonly #unitsPassing: (filter: UnitFilter, limit: number) => readonly number[];
  readonly #postings: Postings;
  readonly #sealedNames = wordCache(new Map<string, string>());

  constructor(
    db: Database,
    {
      timeZone,
      filterUnits,
      unitsPassing,
      readUnits,
    }: {
      readonly timeZone: string;
      readonly filterUnits: FilterUnits;
      /** The ids of at most so many units that pass. */
      readonly unitsPassing: (filter: UnitFilter, limit: number) => readonly number[];
      readonly readUnits: (ids: readonly number[]) => readonly Unit[];
    },
  ) {
    this.#db = db;
    this.#timeZone = timeZone;
    this.#filterUnits = filterUnits;
    this.#unitsPassing = unitsPassing;
    this.#postings = new Postings(db, readUnits, (unit) => this.#documentOf(unit).terms);
  }

  add(units: readonly Unit[]): void {
    const tally = new Tally();
    for (const unit of units) {
      const document = this.#documentOf(unit);
      this.#db.run('INSERT INTO unit_text (rowid, terms) VALUES (?, ?)', unit.id, document.terms.join(' '));
      tally.count(unit, document);
      for (const { from, to } of documentTimes(unit, this.#timeZone)) {
        this.#db.run('INSERT INTO unit_time VALUES (?, ?, ?)', unit.id, from, to);
      }
    }
    this.#book(tally, 1);
  }

  remove(units: readonly Unit[]): void {
    const tally = new Tally();
    for (const unit of units) {
      this.#db.run('DELETE FROM unit_text WHERE rowid = ?', unit.id);
      this.#db.run('DELETE FROM unit_time WHERE unit_id = ?', unit.id);
      recordRewording(this.#db, unit.id);
      tally.count(unit, this.#documentOf(unit));
    }
    this.#book(tally, -1);
  }

  clear(): void {
    this.#db.exec(`INSERT INTO unit_text (unit_text) VALUES ('delete-all');
      DELETE FROM term; DELETE FROM indexed; DELETE FROM speaker; DELETE FROM unit_time;`);
    recordRewording(this.#db, null);
  }

  search(terms: readonly string[], filter: UnitFilter, limit: number): ScoredId[] {
    const wanted = this.#wanted(terms, POSTINGS_PER_RESULT * limit);
    if (wanted.length === 0 || limit <= 0) return [];
    const totals = this.#totals();
    const within = this.#unitsInTime(filter);
    if (within) return this.#postings.search(wanted, totals, limit, within);
    const find = (max: number) => this.#postings.search(wanted, totals, max);
    // With a narrow filter it is unknown how many hits must be read.
    return isNarrow(filter)
      ? filterHits(this.#filterUnits, filter, find(Infinity)).slice(0, limit)
      : firstMatching(this.#filterUnits, filter, { limit, max: Infinity }, find);
  }

  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): TextStatistics {
    const { documents, terms } = this.#totals();
    return {
      documents,
      averageLength: documents === 0 ? 0 : terms / documents,
      documentFrequency: this.#frequencies(about.terms),
      speakers: this.#speakers(about.speakers),
      everyone: this.#everyone(),
    };
  }

  /** Its terms as keyed hashes, as they are stored. */
  #documentOf(unit: Unit): DocumentTerms {
    return hashedDocument(unit, this.#timeZone, this.#db.keys);
  }

  /** The units that pass a filter for a short time; else null. */
  #unitsInTime(filter: UnitFilter): ReadonlySet<number> | null {
    if (filter.from === undefined || filter.to === undefined) return null;
    const unitIds = this.#unitsPassing(filter, MAX_IN_TIME + 1);
    return unitIds.length > MAX_IN_TIME ? null : new Set(unitIds);
  }

  #totals(): { documents: number; terms: number } {
    const totals = this.#db.get<{ documents: number; terms: number }>(
      'SELECT coalesce(sum(documents), 0) AS documents, coalesce(sum(terms), 0) AS terms FROM indexed',
    );
    return totals ?? { documents: 0, terms: 0 };
  }

  #speakers(names: readonly string[]): Map<string, SpeakerHabits> {
    const clear = new Map(names.map((name) => [this.#sealedName(name), name]));
    const rows = this.#db.all<SpeakerRow & { name: string }>(
      'SELECT s.name, s.turns, s.terms, s.questions FROM json_each(?) j CROSS JOIN speaker s ON s.name = j.value',
      JSON.stringify([...clear.keys()]),
    );
    return new Map(rows.map(({ name, ...habits }) => [clear.get(name) ?? '', habits]));
  }

  /** Encrypted once, since every recall asks for the same few. */
  #sealedName(name: string): string {
    const known = this.#sealedNames.get(name);
    if (known !== undefined) return known;
    if (this.#sealedNames.size >= MAX_NAMES) this.#sealedNames.clear();
    const sealed = this.#db.keys.seal(name);
    this.#sealedNames.set(name, sealed);
    return sealed;
  }

  #everyone(): SpeakerHabits {
    const row = this.#db.get<SpeakerRow>(
      `SELECT coalesce(sum(turns), 0) AS turns, coalesce(sum(terms), 0) AS terms,
         coalesce(sum(questions), 0) AS questions FROM speaker`,
    );
    return { turns: row?.turns ?? 0, terms: row?.terms ?? 0, questions: row?.questions ?? 0 };
  }

  #frequencies(terms: readonly string[]): Map<string, number> {
    const clear = new Map(terms.map((term) => [this.#db.keys.hashTerm(term), term]));
    const rows = this.#db.all<{ term: string; documents: number }>(
      'SELECT t.term, t.documents FROM json_each(?) j CROSS JOIN term t ON t.term = j.value',
      JSON.stringify([...clear.keys()]),
    );
    return new Map(rows.map(({ term, documents }) => [clear.get(term) ?? term, documents]));
  }

  /** The terms to search for, as keyed hashes. */
  #wanted(terms: readonly string[], maxPostings: number): TermDocuments[] {
    const known = [...this.#frequencies(terms)].map(([term, documents]) => ({ term, documents }));
    return affordableTerms(known, maxPostings).map(({ term, documents }) => ({
      term: this.#db.keys.hashTerm(term),
      documents,
    }));
  }

  #book(tally: Tally, sign: 1 | -1): void {
    for (const [term, documents] of tally.documents) {
      this.#db.run(
        `INSERT INTO term VALUES (?, ?) ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
        term,
        sign * documents,
      );
      if (sign < 0) this.#db.run('DELETE FROM term WHERE term = ? AND documents = 0', term);
    }
    for (const [kind, { units, terms }] of tally.kinds) {
      this.#db.run(
        `INSERT INTO indexed VALUES (?, ?, ?) ON CONFLICT DO UPDATE
         SET documents = documents + excluded.documents, terms = terms + excluded.terms`,
        kind,
        sign * units,
        sign * terms,
      );
    }
    for (const [name, { turns, terms, questions }] of tally.speakers) {
      const kept = this.#db.keys.seal(name);
      this.#db.run(
        `INSERT INTO speaker VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
         SET turns = turns + excluded.turns, terms = terms + excluded.terms, questions = questions + excluded.questions`,
        kept,
        sign * turns,
        sign * terms,
        sign * questions,
      );
      if (sign < 0) this.#db.run('DELETE FROM speaker WHERE name = ? AND turns = 0', kept);
    }
  }
}
