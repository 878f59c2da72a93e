import { hash } from 'node:crypto';
import { MemoryError } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import type { RowRecorder } from '../rowImages.ts';
import { bytes, VectorSet } from '../vectorSet.ts';
import { checkDimensionCount, recallWeight } from '../../rows/rows.ts';
import { norm, quantize } from '../../../vectors/vectors.ts';

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
  readonly #db: Database;
  readonly #recorder: RowRecorder;

  constructor(db: Database, recorder: RowRecorder) {
    this.#db = db;
    this.#recorder = recorder;
  }

  get(topicId: number): Float32Array | null {
    const row = this.#db.get<{ sum: Uint8Array }>(
      'SELECT sum FROM topic_centroid WHERE topic_id = ?',
      topicId,
    );
    return row ? readSum(row.sum) : null;
  }

  /**
   * Adds the vector of a new member: the stored one or, if there is none yet, the given one.
   * @returns its weight
   */
  add(topicId: number, unitId: number, given: Float32Array | null, accessCount: number): number {
    if (given) this.checkDimensions(given);
    const vector = this.#serving()?.stored(unitId) ?? (given && quantize(given));
    if (!vector?.some((value) => value !== 0)) return 0;
    const weight = recallWeight(accessCount);
    const sum = this.get(topicId) ?? new Float32Array(vector.length);
    addTo(sum, vector, weight);
    this.#write(topicId, sum);
    return weight;
  }

  /** Sets a sum that was computed elsewhere; later changes of members are applied to it. Null: no member counts. */
  replace(topicId: number, sum: Float32Array | null): void {
    if (sum) this.checkDimensions(sum);
    const kept = sum?.some((value) => value !== 0) ? sum : null;
    if (!kept) this.#weighNone(topicId);
    this.#write(topicId, kept);
  }

  /** Computes the sum again from the stored vectors. */
  remake(topicId: number, set = this.#serving()): void {
    const members = this.#db.all<{ unitId: number; weight: number; accessCount: number }>(
      `SELECT m.unit_id AS unitId, m.weight, u.access_count AS accessCount
       FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id WHERE m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    let sum: Float32Array | null = null;
    for (const { unitId, weight, accessCount } of members) {
      const vector = set?.stored(unitId);
      const now = vector ? recallWeight(accessCount) : 0;
      if (vector) addTo((sum ??= new Float32Array(vector.length)), vector, now);
      if (now !== weight) this.#weigh(topicId, unitId, now);
    }
    this.#write(topicId, sum);
  }

  /** Computes all sums again, for example when another model's vectors become the serving ones. */
  remakeAll(): void {
    this.clear();
    const set = this.#serving();
    const topics = this.#db.all<{ id: number }>('SELECT DISTINCT topic_id AS id FROM topic_member');
    for (const { id } of topics) this.remake(id, set);
  }

  /** All topics count as changed: their centroids in the journal are of another model. */
  clear(): void {
    this.#db.exec(`INSERT OR REPLACE INTO topic_change (topic_id) SELECT topic_id FROM topic_centroid;
      UPDATE topic SET changes = changes + 1;
      DELETE FROM topic_centroid; UPDATE topic_member SET weight = 0 WHERE weight <> 0;`);
  }

  /** Whether the unit belongs to a topic. */
  areAbout(unitId: number): boolean {
    return this.#db.get('SELECT 1 FROM topic_member WHERE unit_id = ?', unitId) !== undefined;
  }

  /**
   * Updates centroids when the serving vector of a unit changes; undefined: none.
   * @param follows selects the topics to update
   */
  follow(
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
    follows: (topicId: number) => boolean = () => true,
  ): void {
    const memberships = this.#db.all<Membership>(
      `SELECT m.topic_id AS topicId, m.weight, u.access_count AS accessCount
       FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id WHERE m.unit_id = ?`,
      unitId,
    );
    for (const membership of memberships) {
      if (follows(membership.topicId)) this.#followIn(membership, unitId, before, after);
    }
  }

  #followIn(
    { topicId, weight, accessCount }: Membership,
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
  ): void {
    // The vector was given with the assignment, before it was stored: it is the same and already counted.
    if (weight > 0 && !before) return;
    const vector = after ?? before;
    if (!vector) return;
    const sum = this.get(topicId) ?? new Float32Array(vector.length);
    if (sum.length !== vector.length) return this.remake(topicId);
    const now = after ? weight || recallWeight(accessCount) : 0;
    if (before) addTo(sum, before, -weight);
    if (after) addTo(sum, after, now);
    if (now !== weight) this.#weigh(topicId, unitId, now);
    this.#write(topicId, this.#isEmpty(topicId) ? null : sum);
  }

  /** @throws MemoryError MODEL_MISMATCH when a vector has other dimensions than those kept, INVALID_INPUT */
  checkDimensions(vector: Float32Array): void {
    checkDimensionCount(vector.length);
    const dimensions = this.#dimensions();
    if (dimensions === undefined || dimensions === vector.length) return;
    throw new MemoryError(
      'MODEL_MISMATCH',
      `The memory's topics are compared in ${dimensions} dimensions; the vector has ${vector.length}.`,
    );
  }

  /** Tells the copies in memory that a topic's centroid or state has changed. */
  noteChange(topicId: number): void {
    this.#db.run('INSERT OR REPLACE INTO topic_change (topic_id) VALUES (?)', topicId);
  }

  #dimensions(): number | undefined {
    const serving = this.#db.get<{ dimensions: number }>(
      "SELECT dimensions FROM vector_set WHERE role = 'serving' AND count > 0",
    );
    if (serving) return serving.dimensions;
    return this.#db.get<{ dimensions: number }>(
      'SELECT length(sum) / 4 AS dimensions FROM topic_centroid LIMIT 1',
    )?.dimensions;
  }

  #serving(): VectorSet | undefined {
    return VectorSet.open(this.#db, 'serving');
  }

  #isEmpty(topicId: number): boolean {
    const sql = 'SELECT 1 FROM topic_member WHERE topic_id = ? AND weight > 0 LIMIT 1';
    return this.#db.get(sql, topicId) === undefined;
  }

  #weigh(topicId: number, unitId: number, weight: number): void {
    this.#recorder.touch('topic_member', topicId, unitId);
    const sql = 'UPDATE topic_member SET weight = ? WHERE topic_id = ? AND unit_id = ?';
    this.#db.run(sql, weight, topicId, unitId);
  }

  #weighNone(topicId: number): void {
    const sql = 'SELECT unit_id AS id FROM topic_member WHERE topic_id = ? AND weight > 0';
    for (const { id } of this.#db.all<{ id: number }>(sql, topicId)) this.#weigh(topicId, id, 0);
  }

  #write(topicId: number, sum: Float32Array | null): void {
    this.#recorder.touch('topic_centroid', topicId);
    this.#recorder.touch('topic', topicId);
    if (sum) this.#db.run('INSERT OR REPLACE INTO topic_centroid VALUES (?, ?)', topicId, formatSum(sum));
    else this.#db.run('DELETE FROM topic_centroid WHERE topic_id = ?', topicId);
    this.#db.run('UPDATE topic SET changes = changes + 1 WHERE id = ?', topicId);
    this.noteChange(topicId);
  }
}

/** Of SHA-256. With them the length is no multiple of 4; a sum of before there were any has none. */
const CHECK_BYTES = 3;

/** The numbers, then the first bytes of their hash, by which a damaged sum is told. */
function formatSum(sum: Float32Array): Uint8Array {
  const numbers = bytes(sum);
  return Buffer.concat([numbers, checkOf(numbers)]);
}

/** A sum as it is kept. */
export function readSum(kept: Uint8Array): Float32Array {
  return new Float32Array(kept.slice(0, kept.length - (kept.length % 4)).buffer);
}

/** Whether a sum is as it was written. */
export function isWholeSum(kept: Uint8Array): boolean {
  const end = kept.length - (kept.length % 4);
  return end === kept.length || checkOf(kept.subarray(0, end)).equals(kept.subarray(end));
}

function checkOf(numbers: Uint8Array): Buffer {
  return hash('sha256', numbers, 'buffer').subarray(0, CHECK_BYTES);
}

/** Adds the vector's direction, multiplied by the weight. */
function addTo(sum: Float32Array, vector: Int8Array, weight: number): void {
  const scale = weight / (norm(vector) || 1);
  for (let i = 0; i < vector.length; i++) sum[i] = sum[i]! + vector[i]! * scale;
}
