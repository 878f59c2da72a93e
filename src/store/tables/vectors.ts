import type { Unit } from '../../model/model.ts';
import { quantize } from '../../vectors/vectors.ts';
import { mismatch } from '../rows/rows.ts';
import type { VectorModel } from '../store.ts';
import type { Centroids } from './centroids.ts';
import { forEachPageById } from './pageById.ts';
import type { RowRecorder } from './rowImages.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import type { VectorSet, VectorSets } from './vectorSets.ts';

type Entries = readonly { readonly unitId: number; readonly vector: Float32Array }[];

/** A unit without a vector of the next model; `isStale`: its text changed since it was last asked for. */
interface Missing {
  readonly id: number;
  readonly isStale: number;
}

/** Writes the vectors of units; searching them is each store's own. Writers must hold the transaction. */
export class VectorRows {
  readonly sets: VectorSets;
  readonly #tx: Sql;
  readonly #recorder: RowRecorder;
  /** Updated with the serving vectors. */
  readonly #centroids: Centroids;

  constructor(sets: VectorSets, { recorder, centroids }: { recorder: RowRecorder; centroids: Centroids }) {
    this.sets = sets;
    this.#tx = sets.tx;
    this.#recorder = recorder;
    this.#centroids = centroids;
  }

  *model(): Steps<VectorModel | null> {
    return modelOf(yield* this.sets.filled());
  }

  *nextModel(): Steps<VectorModel | null> {
    return modelOf(yield* this.sets.open('next'));
  }

  /** Of the given units, those that have a serving vector. */
  *servedAmong(unitIds: readonly number[]): Steps<Set<number>> {
    const set = yield* this.sets.open('serving');
    return new Set(set ? (yield* set.stored(unitIds)).keys() : []);
  }

  *upsert(modelId: string, entries: Entries): Steps<void> {
    const set = yield* this.#settle(modelId, dimensionsOf(entries));
    checkDimensions(set, modelId, entries);
    yield* this.#serve(set, new Map(entries.map(({ unitId, vector }) => [unitId, quantize(vector)])));
    yield* set.save();
  }

  *remove(unitIds: readonly number[]): Steps<void> {
    for (const set of yield* this.sets.all()) {
      for (const unitId of unitIds) yield* this.#recorder.touch('unit_vector', set.id, unitId);
      if (set.role === 'serving') yield* this.#serve(set, new Map(), { gone: unitIds });
      else {
        yield* set.take(unitIds);
        yield* this.#tx.run(
          `INSERT INTO vector_pending SELECT $1, id, 1 FROM unit WHERE memory_id = $1 AND id = ANY (?::bigint[])
           ON CONFLICT (memory_id, unit_id) DO UPDATE SET is_stale = 1`,
          unitIds,
        );
      }
      yield* set.save();
    }
  }

  /**
   * Restores a vector of one of the sets, if the set still exists.
   * @param follows topics whose centroids are updated
   */
  *restore(
    { setId, unitId }: { readonly setId: number; readonly unitId: number },
    vector: Int8Array,
    follows: (topicId: number) => boolean,
  ): Steps<void> {
    const set = (yield* this.sets.all()).find((set) => set.id === setId);
    if (!set) return;
    const vectors = new Map([[unitId, vector]]);
    if (set.role === 'serving') yield* this.#serve(set, vectors, { follows });
    else {
      yield* set.put(vectors);
      yield* this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1 AND unit_id = ?', unitId);
    }
    yield* set.save();
  }

  /** Deletes all vectors and models. */
  *drop(): Steps<void> {
    yield* this.dropNext();
    yield* this.#dropServing();
  }

  *missingFromNext(modelId: string, limit: number): Steps<readonly Missing[]> {
    return (yield* this.sets.open('next'))?.model === modelId
      ? yield* this.#stillMissing(limit)
      : yield* this.#tx.all<Missing>(
          'SELECT id, 0 AS "isStale" FROM unit WHERE memory_id = $1 ORDER BY id LIMIT ?',
          limit,
        );
  }

  /** Clears the stale mark of pending units: the caller reads their current text next. */
  *noteAsked(unitIds: readonly number[]): Steps<void> {
    const sql = 'UPDATE vector_pending SET is_stale = 0 WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])';
    yield* this.#tx.run(sql, unitIds);
  }

  *upsertNext(modelId: string, entries: Entries): Steps<void> {
    const set = yield* this.#settleNext(modelId, dimensionsOf(entries));
    checkDimensions(set, modelId, entries);
    const rows = yield* this.#tx.all<{ id: number }>(
      `SELECT unit_id AS id FROM vector_pending
       WHERE memory_id = $1 AND is_stale = 1 AND unit_id = ANY (?::bigint[])`,
      entries.map((entry) => entry.unitId),
    );
    const stale = new Set(rows.map((row) => row.id));
    const fresh = entries.filter((entry) => !stale.has(entry.unitId));
    yield* set.put(new Map(fresh.map(({ unitId, vector }) => [unitId, quantize(vector)])));
    yield* this.#tx.run(
      'DELETE FROM vector_pending WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])',
      fresh.map((entry) => entry.unitId),
    );
    yield* set.save();
  }

  *switchToNext(modelId: string): Steps<boolean> {
    const next = yield* this.sets.open('next');
    const isComplete = next
      ? next.model === modelId && (yield* this.#stillMissing(1)).length === 0
      : (yield* this.#tx.get('SELECT 1 FROM unit WHERE memory_id = $1 LIMIT 1')) === undefined;
    if (!isComplete) return false;
    yield* this.#dropServing();
    yield* this.#tx.run("UPDATE vector_set SET role = 'serving' WHERE memory_id = $1 AND role = 'next'");
    yield* this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
    yield* this.#centroids.remakeAll();
    return true;
  }

  *dropNext(): Steps<void> {
    const next = yield* this.sets.open('next');
    if (next) yield* next.drop();
    yield* this.#tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
  }

  /** Updates the filter columns next to the vectors from the unit. */
  *refresh(unit: Unit): Steps<void> {
    for (const set of yield* this.sets.all()) yield* set.refresh(unit);
  }

  /** Problems of the vectors, serving and prepared. */
  *problems(): Steps<string[]> {
    const problems: string[] = [];
    for (const set of yield* this.sets.all()) problems.push(...(yield* set.problems()));
    return problems;
  }

  /** Repairs what can be repaired, and requests the rest again. */
  *reconcile(): Steps<void> {
    const sets = yield* this.sets.all();
    for (const set of sets) yield* set.reconcile();
    const next = sets.find((set) => set.role === 'next');
    if (!next) return;
    const tx = this.#tx;
    yield* tx.run('DELETE FROM vector_pending WHERE memory_id = $1');
    const units = 'SELECT id FROM unit WHERE memory_id = $1';
    yield* forEachPageById<{ id: number }>(tx, units, function* (rows) {
      const prepared = yield* next.stored(rows.map(({ id }) => id));
      const pending = rows.filter(({ id }) => !prepared.has(id)).map(({ id }) => [id, 0]);
      yield* tx.insert('vector_pending', { unit_id: 'bigint', is_stale: 'smallint' }, pending);
    });
  }

  /**
   * Replaces serving vectors, deletes those of units that are `gone`, and updates the centroids.
   * @param options `follows`: topics whose centroids are updated; default: all
   */
  *#serve(
    set: VectorSet,
    vectors: ReadonlyMap<number, Int8Array>,
    {
      gone = [],
      follows,
    }: { readonly gone?: readonly number[]; readonly follows?: (topicId: number) => boolean } = {},
  ): Steps<void> {
    const counted = yield* this.#centroids.membersAmong([...vectors.keys(), ...gone]);
    const before = yield* set.stored(counted);
    yield* set.take(gone);
    if (vectors.size > 0) yield* set.put(vectors);
    if (counted.length === 0) return;
    const after = yield* set.stored(counted);
    for (const unitId of counted) {
      yield* this.#centroids.follow(unitId, before.get(unitId), after.get(unitId), follows);
    }
  }

  *#stillMissing(limit: number): Steps<Missing[]> {
    return yield* this.#tx.all<Missing>(
      `SELECT p.unit_id AS id, p.is_stale AS "isStale" FROM vector_pending p
         JOIN unit u ON u.memory_id = $1 AND u.id = p.unit_id
       WHERE p.memory_id = $1 ORDER BY p.unit_id LIMIT ?`,
      limit,
    );
  }

  *#settle(modelId: string, dimensions: number): Steps<VectorSet> {
    const set = yield* this.sets.open('serving');
    if (set?.model === modelId && set.dimensions === dimensions) return set;
    if (set && set.count > 0) throw mismatch(set, modelId, dimensions);
    yield* this.#dropServing();
    return yield* this.sets.create('serving', modelId, dimensions);
  }

  *#settleNext(modelId: string, dimensions: number): Steps<VectorSet> {
    const set = yield* this.sets.open('next');
    if (set?.model === modelId) return set;
    yield* this.dropNext();
    yield* this.#tx.run('INSERT INTO vector_pending SELECT $1, id, 0 FROM unit WHERE memory_id = $1');
    return yield* this.sets.create('next', modelId, dimensions);
  }

  *#dropServing(): Steps<void> {
    const set = yield* this.sets.open('serving');
    if (set && set.count > 0) yield* this.#centroids.clear();
    if (set) yield* set.drop();
  }
}

function modelOf(set: VectorSet | undefined): VectorModel | null {
  return set ? { id: set.model, dimensions: set.dimensions, count: set.count } : null;
}

function dimensionsOf(entries: Entries): number {
  return entries[0]?.vector.length ?? 0;
}

/** @throws MemoryError MODEL_MISMATCH */
function checkDimensions(set: VectorSet, modelId: string, entries: Entries): void {
  for (const { vector } of entries) {
    if (vector.length !== set.dimensions) throw mismatch(set, modelId, vector.length);
  }
}
