import type { Unit } from '../../model/model.ts';
import { documentTimes, type DocumentTerms } from '../../text/text.ts';
import {
  affordableTerms,
  averageLengthOf,
  BM25,
  hashedDocument,
  idfOf,
  isNarrow,
  POSTINGS_PER_RESULT,
  Tally,
  Totals,
  type TermDocuments,
  type TextTotals,
} from '../rows/rows.ts';
import type { ScoredId, SpeakerHabits, TextStatistics, UnitFilter } from '../store.ts';
import { filterSql, type TextIndexFilling } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { TermCounts } from './termCounts.ts';

/** A term of the memory. */
export interface Term extends TermDocuments {
  readonly id: number;
}

/** Number of additional hits read, to replace hits that do not pass the filter. */
const SPARE_HITS = 20;
const MAX_TIMES = 255;
const MAX_LENGTH = 65_535;

/** Posting lists with the statistics for ranking by BM25. */
export class TextIndex {
  readonly #tx: Session;
  readonly #timeZone: string;

  constructor(tx: Session, timeZone: string) {
    this.#tx = tx;
    this.#timeZone = timeZone;
  }

  async add(units: readonly Unit[]): Promise<void> {
    if (units.length === 0) return;
    const tally = new Tally();
    const documents = this.#documentsOf(units, tally);
    await this.#insert(documents, await this.#book(tally, 1));
  }

  /** Empties the index, to be filled with all units. Totals are written at the end. */
  async clear(): Promise<TextIndexFilling> {
    for (const table of ['posting', 'unit_text', 'unit_time', 'term', 'indexed', 'speaker']) {
      await this.#tx.run(`DELETE FROM ${table} WHERE memory_id = $1`);
    }
    const totals = new Totals();
    const counts = new TermCounts(this.#tx);
    return {
      add: async (units) => {
        const documents = this.#documentsOf(units, totals);
        const ids = await counts.count(documents.map(({ document }) => new Set(document.terms)));
        await this.#insert(documents, ids);
      },
      finish: async () => {
        await counts.write();
        await this.#bookTotals(totals, 1);
      },
    };
  }

  #documentsOf(units: readonly Unit[], tally: Totals): IndexedDocument[] {
    return units.map((unit) => {
      const document = hashedDocument(unit, this.#timeZone, this.#tx.keys);
      tally.count(unit, document);
      return { unit, document };
    });
  }

  /** @param ids of the terms */
  async #insert(documents: readonly IndexedDocument[], ids: ReadonlyMap<string, number>): Promise<void> {
    const postings: number[][] = [];
    for (const { unit, document } of documents) {
      const length = Math.min(document.terms.length, MAX_LENGTH);
      for (const [term, times] of countOf(document.terms)) {
        postings.push([ids.get(term) ?? 0, unit.id, Math.min(times, MAX_TIMES), length]);
      }
    }
    await this.#tx.insert(
      'posting',
      { term_id: 'bigint', unit_id: 'bigint', times: 'smallint', length: 'integer' },
      postings,
    );
    await this.#tx.insert(
      'unit_text',
      { unit_id: 'bigint', length: 'integer' },
      documents.map(({ unit, document }) => [unit.id, Math.min(document.terms.length, MAX_LENGTH)]),
    );
    await this.#tx.insert(
      'unit_time',
      { unit_id: 'bigint', from_at: 'bigint', to_at: 'bigint' },
      documents.flatMap(({ unit }) =>
        documentTimes(unit, this.#timeZone).map(({ from, to }) => [unit.id, from, to]),
      ),
    );
  }

  async remove(units: readonly Unit[]): Promise<void> {
    const tally = new Tally();
    this.#documentsOf(units, tally);
    for (const table of ['posting', 'unit_text', 'unit_time']) {
      await this.#tx.run(
        `DELETE FROM ${table} WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])`,
        units.map((unit) => unit.id),
      );
    }
    await this.#book(tally, -1);
  }

  async search(terms: readonly string[], filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    if (limit <= 0 || terms.length === 0) return [];
    const { totals, wanted } = await this.wanted(terms, limit);
    if (wanted.length === 0) return [];
    const find = (among: number | null) => this.#ranked(wanted, totals, filter, { limit, among });
    // With a filter that few units pass, it is unknown how many hits must be read.
    if (isNarrow(filter)) return (await find(null)).hits;
    for (let among = limit + SPARE_HITS; ; among *= 4) {
      const { hits, looked } = await find(among);
      if (hits.length >= limit || looked < among) return hits;
    }
  }

  /** The terms whose lists a search reads, with the statistics that it scores by. */
  async wanted(terms: readonly string[], limit: number): Promise<{ totals: TextTotals; wanted: Term[] }> {
    const { totals, known } = await this.#lookUp(terms);
    return { totals, wanted: affordableTerms(known, POSTINGS_PER_RESULT * limit) };
  }

  async statistics(about: {
    terms: readonly string[];
    speakers: readonly string[];
  }): Promise<TextStatistics> {
    const clear = new Map(about.terms.map((term) => [this.#tx.keys.hashTerm(term), term]));
    const rows = await this.#tx.all<StatisticsRow>(
      STATISTICS,
      [...clear.keys()],
      [...new Set(about.speakers)].map((name) => this.#tx.keys.seal(name)),
    );
    const of = (what: StatisticsRow['of']) => rows.filter((row) => row.of === what);
    const [totals] = of('totals');
    const [everyone] = of('everyone');
    return {
      documents: totals?.a ?? 0,
      averageLength: totals && totals.a > 0 ? totals.b / totals.a : 0,
      documentFrequency: new Map(of('term').map(({ name, a }) => [clear.get(name) ?? '', a])),
      speakers: new Map(of('speaker').map((row) => [this.#tx.keys.open(row.name), habitsOf(row)])),
      everyone: habitsOf(everyone),
    };
  }

  async #lookUp(terms: readonly string[]): Promise<{ totals: TextTotals; known: Term[] }> {
    const clear = new Map(terms.map((term) => [this.#tx.keys.hashTerm(term), term]));
    const rows = await this.#tx.all<Term & { all: number; length: number }>(
      `SELECT i.documents AS all, i.terms AS length, t.term, t.id, t.documents
       FROM (SELECT coalesce(sum(documents), 0)::bigint AS documents, coalesce(sum(terms), 0)::bigint AS terms
         FROM indexed WHERE memory_id = $1) i
       LEFT JOIN term t ON t.memory_id = $1 AND t.term = ANY (?::text[])`,
      [...clear.keys()],
    );
    const totals = { documents: rows[0]?.all ?? 0, terms: rows[0]?.length ?? 0 };
    const byTerm = new Map(
      rows.map((row) => [clear.get(row.term), { ...row, term: clear.get(row.term) ?? '' }]),
    );
    return { totals, known: [...new Set(terms)].flatMap((term) => byTerm.get(term) ?? []) };
  }

  /**
   * The best of the units that pass.
   * @param bounds `among`: number of best hits read before filtering; null: all
   */
  async #ranked(
    wanted: readonly Term[],
    totals: TextTotals,
    filter: UnitFilter,
    bounds: { limit: number; among: number | null },
  ): Promise<{ hits: ScoredId[]; looked: number }> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    const idf = wanted.map(({ documents }) => idfOf(documents, totals));
    // Lists are read in the order of the terms, so that sums are always rounded the same way.
    const rows = await this.#tx.all<{ unitId: number | null; score: number; looked: number }>(
      `WITH ranked AS (
         SELECT p.unit_id, sum((w.idf * p.times * (${BM25.k1} + 1)) / (p.times + ${BM25.k1} * (1 - ${BM25.b} + (${BM25.b} * p.length) / ?::float8))) AS score
         FROM unnest(?::bigint[], ?::float8[]) w (id, idf)
         CROSS JOIN LATERAL (SELECT x.unit_id, x.times::float8 AS times, x.length::float8 AS length
           FROM posting x WHERE x.memory_id = $1 AND x.term_id = w.id OFFSET 0) p
         GROUP BY p.unit_id ORDER BY score DESC, p.unit_id LIMIT ?::bigint)
       SELECT l.looked, h.id AS "unitId", h.score FROM (SELECT count(*) AS looked FROM ranked) l
       LEFT JOIN (SELECT u.id, r.score FROM ranked r JOIN unit u ON u.memory_id = $1 AND u.id = r.unit_id
         WHERE ${where} ORDER BY r.score DESC, u.id LIMIT ?::bigint) h ON TRUE
       ORDER BY h.score DESC, h.id`,
      averageLengthOf(totals),
      wanted.map((term) => term.id),
      idf,
      bounds.among,
      ...values,
      Number.isFinite(bounds.limit) ? bounds.limit : null,
    );
    const hits = rows.flatMap(({ unitId, score }) => (unitId === null ? [] : { unitId, score }));
    return { hits, looked: rows[0]?.looked ?? 0 };
  }

  /** Adds counts to the statistics, or subtracts them. Returns the terms' ids. */
  async #book(tally: Tally, sign: 1 | -1): Promise<Map<string, number>> {
    const ids = await this.#bookTerms(tally, sign);
    await this.#bookTotals(tally, sign);
    return ids;
  }

  async #bookTotals(tally: Totals, sign: 1 | -1): Promise<void> {
    await this.#tx.insert(
      'indexed AS i',
      { kind: 'smallint', documents: 'bigint', terms: 'bigint' },
      [...tally.kinds].map(([kind, { units, terms }]) => [kind, sign * units, sign * terms]),
      `ON CONFLICT (memory_id, kind) DO UPDATE
         SET documents = i.documents + excluded.documents, terms = i.terms + excluded.terms`,
    );
    await this.#tx.insert(
      'speaker AS s',
      { name: 'text', turns: 'bigint', terms: 'bigint', questions: 'bigint' },
      [...tally.speakers].map(([name, { turns, terms, questions }]) => [
        this.#tx.keys.seal(name),
        sign * turns,
        sign * terms,
        sign * questions,
      ]),
      `ON CONFLICT (memory_id, name) DO UPDATE SET turns = s.turns + excluded.turns,
         terms = s.terms + excluded.terms, questions = s.questions + excluded.questions`,
    );
    if (sign < 0) await this.#tx.run('DELETE FROM speaker WHERE memory_id = $1 AND turns = 0');
  }

  async #bookTerms(tally: Tally, sign: 1 | -1): Promise<Map<string, number>> {
    const counts = tally.documents;
    const terms = [...counts.keys()];
    const known = await this.#tx.all<{ term: string; id: number }>(
      `UPDATE term SET documents = term.documents + n.documents FROM unnest(?::text[], ?::bigint[]) n (term, documents)
       WHERE memory_id = $1 AND term.term = n.term RETURNING term.term, term.id`,
      terms,
      [...counts.values()].map((count) => sign * count),
    );
    const ids = new Map(known.map(({ term, id }) => [term, id]));
    if (sign < 0) {
      const sql = 'DELETE FROM term WHERE memory_id = $1 AND term = ANY (?::text[]) AND documents = 0';
      await this.#tx.run(sql, terms);
      return ids;
    }
    const fresh = terms.filter((term) => !ids.has(term));
    if (fresh.length === 0) return ids;
    const firstId = await this.#tx.nextIds('term', fresh.length);
    const given = fresh.map((term, i) => [term, firstId + i] as const);
    await this.#insertTerms(given, tally);
    return new Map([...ids, ...given]);
  }

  async #insertTerms(terms: readonly (readonly [string, number])[], tally: Tally): Promise<void> {
    const rows = terms.map(([term, id]) => [term, id, tally.documents.get(term) ?? 0]);
    await this.#tx.insert('term', { term: 'text', id: 'bigint', documents: 'bigint' }, rows);
  }
}

interface IndexedDocument {
  readonly unit: Unit;
  /** Its terms as keyed hashes, as they are stored. */
  readonly document: DocumentTerms;
}

interface StatisticsRow {
  readonly of: 'totals' | 'everyone' | 'speaker' | 'term';
  readonly name: string;
  /** Of `totals`, documents and terms; of speakers, turns, terms and questions; of a term, documents. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** One round trip for what each recall asks. */
const STATISTICS = `SELECT 'term' AS of, term AS name, documents AS a, 0::bigint AS b, 0::bigint AS c
    FROM term WHERE memory_id = $1 AND term = ANY (?::text[])
  UNION ALL SELECT 'speaker', name, turns, terms, questions
    FROM speaker WHERE memory_id = $1 AND name = ANY (?::text[])
  UNION ALL SELECT 'everyone', '', coalesce(sum(turns), 0)::bigint, coalesce(sum(terms), 0)::bigint,
    coalesce(sum(questions), 0)::bigint FROM speaker WHERE memory_id = $1
  UNION ALL SELECT 'totals', '', coalesce(sum(documents), 0)::bigint, coalesce(sum(terms), 0)::bigint, 0
    FROM indexed WHERE memory_id = $1`;

function habitsOf(row: StatisticsRow | undefined): SpeakerHabits {
  return { turns: row?.a ?? 0, terms: row?.b ?? 0, questions: row?.c ?? 0 };
}

function countOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
