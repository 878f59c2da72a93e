import { KINDS } from '../../model/model.ts';
import { ARCHIVED, mismatch } from '../rows/rows.ts';
import { dot, quantize } from '../../vectors/vectors.ts';
import type { ScoredId, UnitFilter, VectorIndex } from '../store.ts';
import { filterSql, perform, type CountedSet, type VectorSets } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { parseArray, parseVector, vectorText } from './statement.ts';

/** Up to this many vectors all are compared, which is exact and as fast; above, the index is used. */
const EXACT_UP_TO = 2_000;
/** Limit of the index. */
const MAX_INDEXED_DIMENSIONS = 4_000;

/** The set that is searched, as it was seen last: statements that use it check that it still serves. */
export interface ServingSet {
  seen: CountedSet | null;
}

/** Searches the vectors of a memory's units. */
export class VectorSearch {
  readonly #tx: Session;
  readonly #sets: () => VectorSets;
  readonly #serving: ServingSet;

  constructor(tx: Session, sets: () => VectorSets, serving: ServingSet) {
    this.#tx = tx;
    this.#sets = sets;
    this.#serving = serving;
  }

  async search(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    if (limit <= 0) return [];
    return this.#ofServing(vector, async (set, query) => {
      const isIndexed = set.count > EXACT_UP_TO && set.dimensions <= MAX_INDEXED_DIMENSIONS;
      const found = isIndexed ? await this.#nearestByIndex(set, query, filter, limit) : [];
      // The index stops after a number of rows that do not pass: with a selective filter all vectors are compared.
      return found.length >= limit ? found : this.#nearest(set, query, filter, limit);
    });
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    if (unitIds.length === 0) return new Map();
    const found = await this.#ofServing(vector, async (set, query) => {
      // Two arrays are read faster than rows, and made faster than JSON: a recall asks for hundreds.
      const row = await this.#tx.get<{ ids: string | null; cosines: string | null }>(
        `SELECT array_agg(j.id)::text AS ids, array_agg(${COSINE})::text AS cosines FROM unnest(?::bigint[]) j (id)
           JOIN unit_vector v ON v.memory_id = $1 AND v.set_id = ? AND v.unit_id = j.id
         WHERE ${SERVES}`,
        vectorText(query),
        dot(query, query) || 1,
        unitIds,
        set.id,
        set.id,
      );
      const cosines = parseArray(row?.cosines ?? '{}');
      return parseArray(row?.ids ?? '{}').map((id, i): [number, number] => [id, cosines[i]!]);
    });
    return new Map(found);
  }

  /** The vectors of these units that serve. */
  async vectors(unitIds: readonly number[]): Promise<Map<number, Int8Array>> {
    if (unitIds.length === 0) return new Map();
    const rows = await this.#tx.all<{ id: number; embedding: string }>(
      `SELECT v.unit_id AS id, v.embedding::text FROM vector_set s
         JOIN unit_vector v ON v.memory_id = $1 AND v.set_id = s.id AND v.unit_id = ANY (?::bigint[])
       WHERE s.memory_id = $1 AND s.role = 'serving'`,
      unitIds,
    );
    return new Map(rows.map(({ id, embedding }) => [id, parseVector(embedding)]));
  }

  async newestWithout(
    modelId: string,
    { kinds, limit }: Parameters<VectorIndex['newestWithout']>[1],
  ): Promise<number[]> {
    const ofKinds = kinds ? `AND kind IN (${kinds.map((kind) => KINDS.indexOf(kind)).join(', ')})` : '';
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT n.id FROM (SELECT id, occurred_at FROM unit WHERE memory_id = $1 AND state <> ${ARCHIVED} ${ofKinds}
           ORDER BY occurred_at DESC, id DESC LIMIT ?) n
         LEFT JOIN vector_set s ON s.memory_id = $1 AND s.role = 'serving' AND s.count > 0
       WHERE coalesce(s.model = ?, TRUE)
         AND (SELECT v.unit_id FROM unit_vector v WHERE v.memory_id = $1 AND v.set_id = s.id AND v.unit_id = n.id) IS NULL
       ORDER BY n.occurred_at DESC, n.id DESC`,
      limit,
      modelId,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Searches the set that serves: that which was seen last and, where nothing is found in it, that which is found now.
   * @throws MemoryError MODEL_MISMATCH for a vector of other dimensions
   */
  async #ofServing<Found>(
    vector: Float32Array,
    search: (set: SeenSet, query: Int8Array) => Promise<Found[]>,
  ): Promise<Found[]> {
    const query = quantize(vector);
    const { seen } = this.#serving;
    const found = seen?.dimensions === vector.length ? await search(seen, query) : [];
    if (found.length > 0) return found;
    const set = await perform(this.#sets().filled());
    if (!set) return [];
    if (vector.length !== set.dimensions) throw mismatch(set, 'the query', vector.length);
    return seen?.id === set.id ? [] : search(set, query);
  }

  /** Compares all vectors of the units that pass. */
  async #nearest(set: SeenSet, query: Int8Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    return this.#tx.all<ScoredId>(
      `SELECT v.unit_id AS "unitId", ${COSINE} AS score
       FROM unit_vector v JOIN unit u ON u.memory_id = $1 AND u.id = v.unit_id
       WHERE v.memory_id = $1 AND v.set_id = ? AND ${SERVES} AND ${where} ORDER BY score DESC, v.unit_id LIMIT ?::bigint`,
      vectorText(query),
      dot(query, query) || 1,
      set.id,
      set.id,
      ...values,
      Number.isFinite(limit) ? limit : null,
    );
  }

  /** Approximate search by the index, with exact scores. */
  async #nearestByIndex(
    set: SeenSet,
    query: Int8Array,
    filter: UnitFilter,
    limit: number,
  ): Promise<ScoredId[]> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    const near = `v.embedding::halfvec(${set.dimensions}) <=> ?::halfvec(${set.dimensions})`;
    const rows = await this.#tx.all<ScoredId>(
      `SELECT v.unit_id AS "unitId", ${COSINE} AS score
       FROM unit_vector v JOIN unit u ON u.memory_id = $1 AND u.id = v.unit_id
       WHERE v.memory_id = $1 AND v.set_id = ? AND ${SERVES} AND v.dimensions = ${set.dimensions} AND ${where}
       ORDER BY ${near} LIMIT ?::bigint`,
      vectorText(query),
      dot(query, query) || 1,
      set.id,
      set.id,
      ...values,
      vectorText(query),
      Number.isFinite(limit) ? limit : null,
    );
    return rows.sort((a, b) => b.score - a.score || a.unitId - b.unitId);
  }
}

type SeenSet = NonNullable<ServingSet['seen']>;

/** Whether a set still serves; asked once for a statement. */
const SERVES =
  "EXISTS (SELECT 1 FROM vector_set s WHERE s.memory_id = $1 AND s.id = ? AND s.role = 'serving')";

/** Of `unit_vector v` with a vector and its squared length: an integer divided by a square root, the same on every machine. */
const COSINE = '-(v.embedding <#> ?::halfvec) / sqrt(v.squared_length * ?::float8)';
