import { hash } from 'node:crypto';
import { MemoryError } from '../../model/model.ts';
import { checkDimensionCount, recallWeight } from '../rows/rows.ts';
import { norm, quantize, addScaled } from '../../vectors/vectors.ts';
import type { RowRecorder } from './rowImages.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import { settled } from './steps.ts';
import type { OwnParts } from './ownParts.ts';

interface Membership {
  topicId: number;
  weight: number;
  accessCount: number;
}

/**
 * For each topic the sum of its members' vectors, each at unit length as stored (in integers) and times its weight;
 * updated with the vectors of the serving set. A member's weight is 0 while it has no vector. Callers hold the
 * transaction.
 */
export class Centroids {
  readonly #tx: Sql;
  readonly #recorder: RowRecorder;
  readonly #own: OwnParts;

  constructor(tx: Sql, recorder: RowRecorder, own: OwnParts) {
    this.#tx = tx;
    this.#recorder = recorder;
    this.#own = own;
  }

  *get(topicId: number): Steps<Float32Array | null> {
    return (yield* this.getMany([topicId])).get(topicId) ?? null;
  }

  *getMany(topicIds: readonly number[]): Steps<Map<number, Float32Array>> {
    const rows = yield* this.#tx.all<{ id: number; sum: Uint8Array }>(
      'SELECT topic_id AS id, sum FROM topic_centroid WHERE memory_id = $1 AND topic_id = ANY (?::bigint[])',
      topicIds,
    );
    return new Map(rows.map(({ id, sum }) => [id, readSum(sum)]));
  }

  /** Of the active topics. */
  *ofActive(): Steps<Map<number, Float32Array>> {
    const rows = yield* this.#tx.all<{ id: number; sum: Uint8Array }>(
      `SELECT c.topic_id AS id, c.sum FROM topic_centroid c
         JOIN topic t ON t.memory_id = $1 AND t.id = c.topic_id AND t.state = 'active'
       WHERE c.memory_id = $1 ORDER BY c.topic_id`,
    );
    return new Map(rows.map(({ id, sum }) => [id, readSum(sum)]));
  }

  /**
   * Adds the vector of a new member: the stored one or, if there is none yet, the given one.
   * @returns its weight
   */
  *add(topicId: number, unitId: number, given: Float32Array | null, accessCount: number): Steps<number> {
    if (given) yield* this.checkDimensions(given);
    const stored = yield* settled(this.#own.servingVectors([unitId]));
    const vector = stored.get(unitId) ?? (given && quantize(given));
    if (!vector?.some((value) => value !== 0)) return 0;
    const weight = recallWeight(accessCount);
    const sum = (yield* this.get(topicId)) ?? new Float32Array(vector.length);
    addTo(sum, vector, weight);
    yield* this.#write(topicId, sum);
    return weight;
  }

  /** Replaces the sum with a given one; later changes of members are applied to it. Null: no member counts. */
  *replace(topicId: number, sum: Float32Array | null): Steps<void> {
    if (sum) yield* this.checkDimensions(sum);
    const kept = sum?.some((value) => value !== 0) ? sum : null;
    if (!kept) yield* this.#weighNone(topicId);
    yield* this.#write(topicId, kept);
  }

  /** Recomputes the sum from the stored vectors. */
  *rebuild(topicId: number): Steps<void> {
    const members = yield* this.#tx.all<{ unitId: number; weight: number; accessCount: number }>(
      `SELECT m.unit_id AS "unitId", m.weight, u.access_count AS "accessCount"
       FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    const vectors = yield* settled(this.#own.servingVectors(members.map(({ unitId }) => unitId)));
    let sum: Float32Array | null = null;
    for (const { unitId, weight, accessCount } of members) {
      const vector = vectors.get(unitId);
      const now = vector ? recallWeight(accessCount) : 0;
      if (vector) addTo((sum ??= new Float32Array(vector.length)), vector, now);
      if (now !== weight) yield* this.weigh(topicId, unitId, now);
    }
    yield* this.#write(topicId, sum);
  }

  /** Recomputes all sums, for example when another model's vectors become the serving ones. */
  *remakeAll(): Steps<void> {
    yield* this.clear();
    const topics = yield* this.#tx.all<{ id: number }>(
      'SELECT DISTINCT topic_id AS id FROM topic_member WHERE memory_id = $1 ORDER BY 1',
    );
    for (const { id } of topics) yield* this.rebuild(id);
  }

  /** All topics count as changed: their centroids in the journal are of another model. */
  *clear(): Steps<void> {
    yield* this.noteChange(null);
    yield* this.#tx.run('UPDATE topic SET changes = changes + 1 WHERE memory_id = $1');
    yield* this.#tx.run('DELETE FROM topic_centroid WHERE memory_id = $1');
    yield* this.#tx.run('UPDATE topic_member SET weight = 0 WHERE memory_id = $1 AND weight <> 0');
  }

  /** The units that belong to a topic, in order. */
  *membersAmong(unitIds: readonly number[]): Steps<number[]> {
    if (unitIds.length === 0) return [];
    const rows = yield* this.#tx.all<{ id: number }>(
      `SELECT DISTINCT unit_id AS id FROM topic_member
       WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])`,
      unitIds,
    );
    const members = new Set(rows.map((row) => row.id));
    return unitIds.filter((unitId) => members.has(unitId));
  }

  /**
   * Updates centroids when the serving vector of a unit changes; undefined: none.
   * @param follows selects the topics to update
   */
  *follow(
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
    follows: (topicId: number) => boolean = () => true,
  ): Steps<void> {
    const memberships = yield* this.#tx.all<Membership>(
      `SELECT m.topic_id AS "topicId", m.weight, u.access_count AS "accessCount"
       FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.unit_id = ? ORDER BY m.topic_id`,
      unitId,
    );
    for (const membership of memberships) {
      if (follows(membership.topicId)) yield* this.#followIn(membership, unitId, before, after);
    }
  }

  *#followIn(
    { topicId, weight, accessCount }: Membership,
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
  ): Steps<void> {
    // A vector that counts without being stored came with the assignment and is stored now: it is the same.
    if (weight > 0 && !before) return;
    const vector = after ?? before;
    if (!vector) return;
    const sum = (yield* this.get(topicId)) ?? new Float32Array(vector.length);
    if (sum.length !== vector.length) return yield* this.rebuild(topicId);
    const now = after ? weight || recallWeight(accessCount) : 0;
    if (before) addTo(sum, before, -weight);
    if (after) addTo(sum, after, now);
    if (now !== weight) yield* this.weigh(topicId, unitId, now);
    yield* this.#write(topicId, (yield* this.#isEmpty(topicId)) ? null : sum);
  }

  /** @throws MemoryError MODEL_MISMATCH when a vector's dimensions differ from the stored ones, INVALID_INPUT */
  *checkDimensions(vector: Float32Array): Steps<void> {
    checkDimensionCount(vector.length);
    const dimensions = yield* this.#dimensions();
    if (dimensions === undefined || dimensions === vector.length) return;
    throw new MemoryError(
      'MODEL_MISMATCH',
      `The memory's topics are compared in ${dimensions} dimensions; the vector has ${vector.length}.`,
    );
  }

  /** Tells copies in memory that a topic's centroid or state has changed; null: all of them. */
  *noteChange(topicId: number | null): Steps<void> {
    yield* settled(this.#own.noteCentroid(topicId));
  }

  *#dimensions(): Steps<number | undefined> {
    const row = yield* this.#tx.get<{ dimensions: number | null }>(
      `SELECT coalesce(
         (SELECT dimensions FROM vector_set WHERE memory_id = $1 AND role = 'serving' AND count > 0),
         (SELECT length(sum) / 4 FROM topic_centroid WHERE memory_id = $1 LIMIT 1)) AS dimensions`,
    );
    return row?.dimensions ?? undefined;
  }

  *#isEmpty(topicId: number): Steps<boolean> {
    const sql = 'SELECT 1 FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND weight > 0 LIMIT 1';
    return (yield* this.#tx.get(sql, topicId)) === undefined;
  }

  /** Sets the weight of a member. */
  *weigh(topicId: number, unitId: number, weight: number): Steps<void> {
    yield* this.#recorder.touch('topic_member', topicId, unitId);
    const sql = 'UPDATE topic_member SET weight = ? WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    yield* this.#tx.run(sql, weight, topicId, unitId);
  }

  *#weighNone(topicId: number): Steps<void> {
    const rows = yield* this.#tx.all<{ id: number }>(
      'SELECT unit_id AS id FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND weight > 0 ORDER BY 1',
      topicId,
    );
    for (const { id } of rows) yield* this.weigh(topicId, id, 0);
  }

  *#write(topicId: number, sum: Float32Array | null): Steps<void> {
    yield* this.#recorder.touch('topic_centroid', topicId);
    yield* this.#recorder.touch('topic', topicId);
    if (sum) {
      yield* this.#tx.run(
        `INSERT INTO topic_centroid VALUES ($1, ?, ?)
         ON CONFLICT (memory_id, topic_id) DO UPDATE SET sum = excluded.sum`,
        topicId,
        formatSum(sum),
      );
    } else yield* this.#tx.run('DELETE FROM topic_centroid WHERE memory_id = $1 AND topic_id = ?', topicId);
    yield* this.#tx.run('UPDATE topic SET changes = changes + 1 WHERE memory_id = $1 AND id = ?', topicId);
    yield* this.noteChange(topicId);
  }
}

/** Bytes of the SHA-256 checksum. With it the length is no multiple of 4; older sums have no checksum. */
const CHECK_BYTES = 3;

/** The numbers, then the first bytes of their hash, which detects damage. */
function formatSum(sum: Float32Array): Uint8Array {
  const numbers = new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength);
  return Buffer.concat([numbers, checkOf(numbers)]);
}

/** Parses a stored sum. */
export function readSum(kept: Uint8Array): Float32Array {
  return new Float32Array(kept.slice(0, kept.length - (kept.length % 4)).buffer);
}

/** Whether the checksum of a stored sum is correct. */
export function isWholeSum(kept: Uint8Array): boolean {
  const end = kept.length - (kept.length % 4);
  return end === kept.length || checkOf(kept.subarray(0, end)).equals(kept.subarray(end));
}

function checkOf(numbers: Uint8Array): Buffer {
  return hash('sha256', numbers, 'buffer').subarray(0, CHECK_BYTES);
}

/** Adds the vector's direction, multiplied by the weight. */
function addTo(sum: Float32Array, vector: Int8Array, weight: number): void {
  addScaled(sum, vector, weight / (norm(vector) || 1));
}
