import { MemoryError } from '../../../model/model.ts';
import { checkDimensionCount, recallWeight } from '../../rows/rows.ts';
import { norm, quantize } from '../../../vectors/vectors.ts';
import type { RowRecorder } from '../rowImages.ts';
import type { Session } from '../session.ts';
import { bytesOf, VectorSet } from '../vectorSet.ts';

interface Membership {
  topicId: number;
  weight: number;
  accessCount: number;
}

/**
 * For each topic the sum of its members' vectors, each at unit length as it is kept (in whole numbers) and times its
 * weight; it follows the vectors of the serving set. A member's weight is 0 while it has no vector.
 */
export class Centroids {
  readonly #tx: Session;
  readonly #recorder: RowRecorder;

  constructor(tx: Session, recorder: RowRecorder) {
    this.#tx = tx;
    this.#recorder = recorder;
  }

  async get(topicId: number): Promise<Float32Array | null> {
    return (await this.getMany([topicId])).get(topicId) ?? null;
  }

  async getMany(topicIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = await this.#tx.all<{ id: number; sum: Uint8Array }>(
      'SELECT topic_id AS id, sum FROM topic_centroid WHERE memory_id = $1 AND topic_id = ANY (?::bigint[])',
      topicIds,
    );
    return new Map(rows.map(({ id, sum }) => [id, new Float32Array(sum.slice().buffer)]));
  }

  /** Of the active topics. */
  async ofActive(): Promise<Map<number, Float32Array>> {
    const rows = await this.#tx.all<{ id: number; sum: Uint8Array }>(
      `SELECT c.topic_id AS id, c.sum FROM topic_centroid c
         JOIN topic t ON t.memory_id = $1 AND t.id = c.topic_id AND t.state = 'active'
       WHERE c.memory_id = $1 ORDER BY c.topic_id`,
    );
    return new Map(rows.map(({ id, sum }) => [id, new Float32Array(sum.slice().buffer)]));
  }

  /**
   * Counts the vector of a member that comes: the one that is kept or, before one is, that which is given.
   * @returns its weight
   */
  async add(
    topicId: number,
    unitId: number,
    given: Float32Array | null,
    accessCount: number,
  ): Promise<number> {
    if (given) await this.checkDimensions(given);
    const set = await VectorSet.open(this.#tx, 'serving');
    const vector = (await set?.stored([unitId]))?.get(unitId) ?? (given && quantize(given));
    if (!vector?.some((value) => value !== 0)) return 0;
    const weight = recallWeight(accessCount);
    const sum = (await this.get(topicId)) ?? new Float32Array(vector.length);
    addTo(sum, vector, weight);
    await this.#write(topicId, sum);
    return weight;
  }

  /**
   * Takes over a sum that somebody else made; it goes on from there as members come and go. Of none, no member counts.
   */
  async replace(topicId: number, sum: Float32Array | null): Promise<void> {
    if (sum) await this.checkDimensions(sum);
    const kept = sum?.some((value) => value !== 0) ? sum : null;
    if (!kept) await this.#weighNone(topicId);
    await this.#write(topicId, kept);
  }

  /** Makes the sum anew from the vectors that are kept. */
  async remake(topicId: number, given?: VectorSet): Promise<void> {
    const set = given ?? (await VectorSet.open(this.#tx, 'serving'));
    const members = await this.#tx.all<{ unitId: number; weight: number; accessCount: number }>(
      `SELECT m.unit_id AS "unitId", m.weight, u.access_count AS "accessCount"
       FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    const vectors = await set?.stored(members.map((member) => member.unitId));
    let sum: Float32Array | null = null;
    for (const { unitId, weight, accessCount } of members) {
      const vector = vectors?.get(unitId);
      const now = vector ? recallWeight(accessCount) : 0;
      if (vector) addTo((sum ??= new Float32Array(vector.length)), vector, now);
      if (now !== weight) await this.#weigh(topicId, unitId, now);
    }
    await this.#write(topicId, sum);
  }

  /** All of them, as when another model's vectors serve from now on. */
  async remakeAll(): Promise<void> {
    await this.clear();
    const set = await VectorSet.open(this.#tx, 'serving');
    const topics = await this.#tx.all<{ id: number }>(
      'SELECT DISTINCT topic_id AS id FROM topic_member WHERE memory_id = $1 ORDER BY 1',
    );
    for (const { id } of topics) await this.remake(id, set);
  }

  /** Every topic counts as changed: what the journal holds of its centroid is of another model. */
  async clear(): Promise<void> {
    await this.#tx.run('UPDATE topic SET changes = changes + 1 WHERE memory_id = $1');
    await this.#tx.run('DELETE FROM topic_centroid WHERE memory_id = $1');
    await this.#tx.run('UPDATE topic_member SET weight = 0 WHERE memory_id = $1 AND weight <> 0');
  }

  /** Those of the units that belong to a topic, in order. */
  async membersAmong(unitIds: readonly number[]): Promise<number[]> {
    if (unitIds.length === 0) return [];
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT DISTINCT unit_id AS id FROM topic_member
       WHERE memory_id = $1 AND unit_id = ANY (?::bigint[])`,
      unitIds,
    );
    const members = new Set(rows.map((row) => row.id));
    return unitIds.filter((unitId) => members.has(unitId));
  }

  /**
   * Follows the serving vector of a unit from what it was to what it is; undefined: none.
   * @param follows which topics do
   */
  async follow(
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
    follows: (topicId: number) => boolean = () => true,
  ): Promise<void> {
    const memberships = await this.#tx.all<Membership & object>(
      `SELECT m.topic_id AS "topicId", m.weight, u.access_count AS "accessCount"
       FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.unit_id = ? ORDER BY m.topic_id`,
      unitId,
    );
    for (const membership of memberships) {
      if (follows(membership.topicId)) await this.#followIn(membership, unitId, before, after);
    }
  }

  async #followIn(
    { topicId, weight, accessCount }: Membership,
    unitId: number,
    before: Int8Array | undefined,
    after: Int8Array | undefined,
  ): Promise<void> {
    // One that counts without being kept came with its assignment, before it was kept: it is the same.
    if (weight > 0 && !before) return;
    const vector = after ?? before;
    if (!vector) return;
    const sum = (await this.get(topicId)) ?? new Float32Array(vector.length);
    if (sum.length !== vector.length) return this.remake(topicId);
    const now = after ? weight || recallWeight(accessCount) : 0;
    if (before) addTo(sum, before, -weight);
    if (after) addTo(sum, after, now);
    if (now !== weight) await this.#weigh(topicId, unitId, now);
    await this.#write(topicId, (await this.#isEmpty(topicId)) ? null : sum);
  }

  /** @throws MemoryError MODEL_MISMATCH when a vector has other dimensions than those kept, INVALID_INPUT */
  async checkDimensions(vector: Float32Array): Promise<void> {
    checkDimensionCount(vector.length);
    const dimensions = await this.#dimensions();
    if (dimensions === undefined || dimensions === vector.length) return;
    throw new MemoryError(
      'MODEL_MISMATCH',
      `The memory's topics are compared in ${dimensions} dimensions; the vector has ${vector.length}.`,
    );
  }

  async #dimensions(): Promise<number | undefined> {
    const row = await this.#tx.get<{ dimensions: number | null }>(
      `SELECT coalesce(
         (SELECT dimensions FROM vector_set WHERE memory_id = $1 AND role = 'serving' AND count > 0),
         (SELECT length(sum) / 4 FROM topic_centroid WHERE memory_id = $1 LIMIT 1)) AS dimensions`,
    );
    return row?.dimensions ?? undefined;
  }

  async #isEmpty(topicId: number): Promise<boolean> {
    const sql = 'SELECT 1 FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND weight > 0 LIMIT 1';
    return (await this.#tx.get(sql, topicId)) === undefined;
  }

  async #weigh(topicId: number, unitId: number, weight: number): Promise<void> {
    await this.#recorder.touch('topic_member', topicId, unitId);
    const sql = 'UPDATE topic_member SET weight = ? WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    await this.#tx.run(sql, weight, topicId, unitId);
  }

  async #weighNone(topicId: number): Promise<void> {
    const rows = await this.#tx.all<{ id: number }>(
      'SELECT unit_id AS id FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND weight > 0 ORDER BY 1',
      topicId,
    );
    for (const { id } of rows) await this.#weigh(topicId, id, 0);
  }

  async #write(topicId: number, sum: Float32Array | null): Promise<void> {
    await this.#recorder.touch('topic_centroid', topicId);
    await this.#recorder.touch('topic', topicId);
    if (sum) {
      await this.#tx.run(
        `INSERT INTO topic_centroid VALUES ($1, ?, ?)
         ON CONFLICT (memory_id, topic_id) DO UPDATE SET sum = excluded.sum`,
        topicId,
        bytesOf(sum),
      );
    } else await this.#tx.run('DELETE FROM topic_centroid WHERE memory_id = $1 AND topic_id = ?', topicId);
    await this.#tx.run('UPDATE topic SET changes = changes + 1 WHERE memory_id = $1 AND id = ?', topicId);
  }
}

/** Adds the vector's direction, times the weight. */
function addTo(sum: Float32Array, vector: Int8Array, weight: number): void {
  const scale = weight / (norm(vector) || 1);
  for (let i = 0; i < vector.length; i++) sum[i] = sum[i]! + vector[i]! * scale;
}
