import { KINDS, type Kind, type Unit } from '../../model/model.ts';
import { ARCHIVED, mismatch, type Row } from '../rows/rows.ts';
import { dot, quantize } from '../../vectors/vectors.ts';
import type { ScoredId, UnitFilter } from '../store.ts';
import { filterSql } from './filter.ts';
import { perform, type Centroids, type RowRecorder, type SharedTables } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { parseVector, vectorText } from './statement.ts';
import { bytesOf, meanOf, VectorSet, type VectorRole } from './vectorSet.ts';

export type Entries = readonly { unitId: number; vector: Float32Array }[];

/** Up to this many vectors all are compared, which is exact and as fast; above, the index is used. */
const EXACT_UP_TO = 2_000;
/** Limit of the index. */
const MAX_INDEXED_DIMENSIONS = 4_000;

/** The set that is searched, as it was seen last: statements that use it check that it still serves. */
export interface ServingSet {
  seen: Pick<VectorSet, 'id' | 'model' | 'dimensions' | 'count'> | null;
}

/** The vectors of a memory's units. Writers must hold the transaction. */
export class VectorRows {
  readonly #tx: Session;
  readonly #recorder: RowRecorder;
  /** Updated with the serving vectors. */
  readonly #centroids: Centroids;
  readonly #serving: ServingSet;

  constructor(tx: Session, { recorder, centroids }: SharedTables, serving: ServingSet) {
    this.#tx = tx;
    this.#recorder = recorder;
    this.#centroids = centroids;
    this.#serving = serving;
  }

  async open(role: VectorRole): Promise<VectorSet | undefined> {
    return VectorSet.open(this.#tx, role);
  }

  /** The serving set, if it contains vectors. */
  async filled(): Promise<VectorSet | undefined> {
    const set = await this.open('serving');
    this.#serving.seen = set && set.count > 0 ? set : null;
    return this.#serving.seen ? set : undefined;
  }

  /** The row of a vector in the journal's form. */
  async row(key: readonly number[]): Promise<Row | null> {
    const sql = 'SELECT embedding::text FROM unit_vector WHERE memory_id = $1 AND set_id = ? AND unit_id = ?';
    const row = await this.#tx.get<{ embedding: string }>(sql, ...key);
    return row ? { embedding: bytesOf(parseVector(row.embedding)) } : null;
  }

  async upsert(modelId: string, entries: Entries, dimensions: number): Promise<void> {
    const set = await this.#settle(modelId, dimensions);
    for (const { vector } of entries) {
      if (vector.length !== set.dimensions) throw mismatch(set, modelId, vector.length);
    }
    await this.#serve(set, new Map(entries.map(({ unitId, vector }) => [unitId, quantize(vector)])));
    await set.save();
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    const sets = await VectorSet.all(this.#tx);
    for (const set of sets) {
      for (const unitId of unitIds) await perform(this.#recorder.touch('unit_vector', set.id, unitId));
      if (set.role === 'serving') await this.#serve(set, new Map(), unitIds);
      else {
        await set.take(unitIds);
        await this.#tx.run(
          `INSERT INTO vector_pending SELECT $1, id, 1 FROM unit WHERE memory_id = $1 AND id = ANY (?::bigint[])
           ON CONFLICT (memory_id, unit_id) DO UPDATE SET is_stale = 1`,
          unitIds,
        );
      }
      await set.save();
    }
  }

  /**
   * Restores a vector of one of the sets, if the set still exists.
   * @param follows topics whose centroids are updated
   */
  async restore(
    { setId, unitId }: { readonly setId: number; readonly unitId: number },
    vector: Int8Array,
    follows: (topicId: number) => boolean,
  ): Promise<void> {
    const set = (await VectorSet.all(this.#tx)).find((set) => set.id === setId);
    if (!set) return;
    const vectors = new Map([[unitId, vector]]);
    if (set.role === 'serving') await this.#serve(set, vectors, [], follows);
    else {
      await set.put(vectors);
      await this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1 AND unit_id = ?', unitId);
    }
    await set.save();
  }

  /** Deletes all vectors and models. */
  async drop(): Promise<void> {
    await this.dropNext();
    await this.#dropServing();
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
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
    const rows = await this.#ofServing(vector, (set, query) =>
      this.#tx.all<ScoredId>(
        `SELECT j.id AS "unitId", ${COSINE} AS score FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
           JOIN unit_vector v ON v.memory_id = $1 AND v.set_id = ? AND v.unit_id = j.id
         WHERE ${SERVES} ORDER BY j.place`,
        vectorText(query),
        dot(query, query) || 1,
        unitIds,
        set.id,
        set.id,
      ),
    );
    return new Map(rows.map(({ unitId, score }) => [unitId, score]));
  }

  /** The vectors of these units that serve. */
  async serving(unitIds: readonly number[]): Promise<Map<number, Int8Array>> {
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
    { kinds, limit }: { readonly kinds?: readonly Kind[] | undefined; readonly limit: number },
  ): Promise<number[]> {
    const ofKinds = kinds ? `AND kind IN (${kinds.map((kind) => KINDS.indexOf(kind)).join(', ')})` : '';
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT n.id FROM (SELECT id, occurred_at FROM unit WHERE memory_id = $1 AND state <> ${ARCHIVED} ${ofKinds}
           ORDER BY occurred_at DESC, id DESC LIMIT ?) n
         LEFT JOIN vector_set s ON s.memory_id = $1 AND s.role = 'serving' AND s.count > 0
       WHERE coalesce(s.model = ?, TRUE) AND NOT EXISTS (
         SELECT 1 FROM unit_vector v WHERE v.memory_id = $1 AND v.set_id = s.id AND v.unit_id = n.id)
       ORDER BY n.occurred_at DESC, n.id DESC`,
      limit,
      modelId,
    );
    return rows.map(({ id }) => id);
  }

  async mean(): Promise<Float32Array | null> {
    const row = await this.#tx.get<{ count: number; sum: Uint8Array }>(
      "SELECT count, sum FROM vector_set WHERE memory_id = $1 AND role = 'serving' AND count > 0",
    );
    return row ? meanOf(new Float64Array(row.sum.slice().buffer), row.count) : null;
  }

  async missingFromNext(modelId: string, limit: number): Promise<{ id: number; isStale: number }[]> {
    return (await this.open('next'))?.model === modelId
      ? this.#stillMissing(limit)
      : this.#tx.all<{ id: number; isStale: number }>(
          'SELECT id, 0 AS "isStale" FROM unit WHERE memory_id = $1 ORDER BY id LIMIT ?',
          limit,
        );
  }

  /** Clears the stale mark of pending units: the caller reads their current text next. */
  async noteAsked(unitIds: readonly number[]): Promise<void> {
    const sql = 'UPDATE vector_pending SET is_stale = 0 WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])';
    await this.#tx.run(sql, unitIds);
  }

  async upsertNext(modelId: string, entries: Entries, dimensions: number): Promise<void> {
    const set = await this.#settleNext(modelId, dimensions);
    for (const { vector } of entries) {
      if (vector.length !== set.dimensions) throw mismatch(set, modelId, vector.length);
    }
    const unitIds = entries.map((entry) => entry.unitId);
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT unit_id AS id FROM vector_pending
       WHERE memory_id = $1 AND is_stale = 1 AND unit_id = ANY (?::bigint[])`,
      unitIds,
    );
    const stale = new Set(rows.map((row) => row.id));
    const fresh = entries.filter((entry) => !stale.has(entry.unitId));
    await set.put(new Map(fresh.map(({ unitId, vector }) => [unitId, quantize(vector)])));
    await this.#tx.run(
      'DELETE FROM vector_pending WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])',
      fresh.map((entry) => entry.unitId),
    );
    await set.save();
  }

  async switchToNext(modelId: string): Promise<boolean> {
    const next = await this.open('next');
    const isComplete = next
      ? next.model === modelId && (await this.#stillMissing(1)).length === 0
      : (await this.#tx.get('SELECT 1 FROM unit WHERE memory_id = $1 LIMIT 1')) === undefined;
    if (!isComplete) return false;
    await this.#dropServing();
    await this.#tx.run("UPDATE vector_set SET role = 'serving' WHERE memory_id = $1 AND role = 'next'");
    await this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
    await perform(this.#centroids.remakeAll());
    return true;
  }

  async dropNext(): Promise<void> {
    await (await this.open('next'))?.drop();
    await this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
  }

  /** Updates the filter columns next to the vector from the unit. */
  async refreshMetadata(unit: Unit): Promise<void> {
    for (const set of await VectorSet.all(this.#tx)) await set.refreshMetadata(unit);
  }

  /** Problems of the vectors, serving and prepared. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    for (const set of await VectorSet.all(this.#tx)) problems.push(...(await set.problems()));
    return problems;
  }

  /** Repairs what can be repaired, and requests the rest again. */
  async reconcile(): Promise<void> {
    const sets = await VectorSet.all(this.#tx);
    for (const set of sets) await set.reconcile();
    const next = sets.find((set) => set.role === 'next');
    if (!next) return;
    await this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
    await this.#tx.run(
      `INSERT INTO vector_pending SELECT $1, u.id, 0 FROM unit u WHERE u.memory_id = $1 AND NOT EXISTS (
         SELECT 1 FROM unit_vector v WHERE v.memory_id = $1 AND v.set_id = ? AND v.unit_id = u.id)`,
      next.id,
    );
  }

  /** Replaces or deletes serving vectors and updates the centroids. */
  async #serve(
    set: VectorSet,
    vectors: ReadonlyMap<number, Int8Array>,
    gone: readonly number[] = [],
    follows?: (topicId: number) => boolean,
  ): Promise<void> {
    const counted = await perform(this.#centroids.membersAmong([...vectors.keys(), ...gone]));
    const before = await set.stored(counted);
    await set.take(gone);
    if (vectors.size > 0) await set.put(vectors);
    if (counted.length === 0) return;
    const after = await set.stored(counted);
    for (const unitId of counted) {
      await perform(this.#centroids.follow(unitId, before.get(unitId), after.get(unitId), follows));
    }
  }

  async #stillMissing(limit: number): Promise<{ id: number; isStale: number }[]> {
    return this.#tx.all<{ id: number; isStale: number }>(
      `SELECT p.unit_id AS id, p.is_stale AS "isStale" FROM vector_pending p
         JOIN unit u ON u.memory_id = $1 AND u.id = p.unit_id
       WHERE p.memory_id = $1 ORDER BY p.unit_id LIMIT ?`,
      limit,
    );
  }

  async #settle(modelId: string, dimensions: number): Promise<VectorSet> {
    const set = await this.open('serving');
    if (set?.model === modelId && set.dimensions === dimensions) return set;
    if (set && set.count > 0) throw mismatch(set, modelId, dimensions);
    await this.#dropServing();
    return VectorSet.create(this.#tx, 'serving', modelId, dimensions);
  }

  async #settleNext(modelId: string, dimensions: number): Promise<VectorSet> {
    const set = await this.open('next');
    if (set?.model === modelId) return set;
    await this.dropNext();
    await this.#tx.run('INSERT INTO vector_pending SELECT $1, id, 0 FROM unit WHERE memory_id = $1');
    return VectorSet.create(this.#tx, 'next', modelId, dimensions);
  }

  async #dropServing(): Promise<void> {
    const set = await this.open('serving');
    if (set && set.count > 0) await perform(this.#centroids.clear());
    await set?.drop();
  }

  /**
   * Searches the set that serves: that which was seen last and, where nothing is found in it, that which is found now.
   * @throws MemoryError MODEL_MISMATCH for a vector of other dimensions
   */
  async #ofServing(
    vector: Float32Array,
    search: (set: SeenSet, query: Int8Array) => Promise<ScoredId[]>,
  ): Promise<ScoredId[]> {
    const query = quantize(vector);
    const { seen } = this.#serving;
    const found = seen?.dimensions === vector.length ? await search(seen, query) : [];
    if (found.length > 0) return found;
    const set = await this.filled();
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
