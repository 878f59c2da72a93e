import { MemoryError, parseInput, type Emotion, type Instant, type Topic } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import type { RowRecorder } from '../rowImages.ts';
import {
  addFeeling,
  feelingOf,
  figuresOf,
  grownStrength,
  type MemberRow,
  openTopic,
  readEmotion,
  readTopic,
  readTopicSet,
  recallWeight,
  topicFiguresSchema,
  type TopicRow,
  type TopicSet,
  topicSetSchema,
  topicWordsSchema,
  writeEmotion,
} from '../../rows/rows.ts';
import type { Centroids } from './centroids.ts';
import type { TopicText } from './topicText.ts';

const SELECT_MANY = `SELECT t.*,
    (SELECT json_group_array(p.parent_id ORDER BY p.parent_id) FROM topic_parent p WHERE p.topic_id = t.id) AS parents,
    (SELECT json_group_array(p.topic_id ORDER BY p.topic_id) FROM topic_parent p WHERE p.parent_id = t.id) AS children
  FROM`;

/** The tables of topics; each change updates everything that depends on it. Callers hold the transaction. */
export class TopicRows {
  readonly centroids: Centroids;
  readonly #db: Database;
  readonly #recorder: RowRecorder;
  readonly #text: TopicText;

  constructor(db: Database, recorder: RowRecorder, centroids: Centroids, text: TopicText) {
    this.#db = db;
    this.#recorder = recorder;
    this.centroids = centroids;
    this.#text = text;
  }

  /** @param tail of the statement: from `topic t` on, including the order */
  select(tail: string, ...values: (string | number)[]): Topic[] {
    return this.#db
      .all<TopicRow & { parents: string; children: string }>(`${SELECT_MANY} ${tail}`, ...values)
      .map((row) => readTopic(openTopic(this.#db.keys, row)));
  }

  getMany(ids: readonly number[]): Topic[] {
    return this.select(
      'json_each(?) j CROSS JOIN topic t ON t.id = j.value ORDER BY j.key',
      JSON.stringify(ids),
    );
  }

  get(id: number): TopicRow | undefined {
    const row = this.#db.get<TopicRow>('SELECT * FROM topic WHERE id = ?', id);
    return row && openTopic(this.#db.keys, row);
  }

  /** @throws MemoryError NOT_FOUND */
  mustGet(id: number): TopicRow {
    const row = this.get(id);
    if (!row) throw new MemoryError('NOT_FOUND', `There is no topic ${id}.`);
    return row;
  }

  /** @throws MemoryError NOT_FOUND, VERSION_CONFLICT */
  mustBeActive(id: number): TopicRow {
    const row = this.mustGet(id);
    if (row.state === 'active') return row;
    throw new MemoryError('VERSION_CONFLICT', `Topic ${id} is archived.`, {
      topicId: id,
      successorId: row.successor_id,
    });
  }

  /** @throws MemoryError INVALID_INPUT */
  add(words: Pick<Topic, 'title' | 'summary' | 'source'>, now: Instant): number {
    const topic = parseInput(topicWordsSchema, words, 'a topic');
    const { id } = this.#db.run(
      `INSERT INTO topic (title, summary, source, created_at, updated_at, state, strength, members, emotion_weight,
         version, changes) VALUES (?, ?, ?, ?, ?, 'active', 0, 0, 0, 1, 1)`,
      this.#db.keys.seal(topic.title),
      this.#sealed(topic.summary),
      topic.source,
      now,
      now,
    );
    this.#recorder.touchNew('topic', id);
    this.#text.put(id, topic);
    return id;
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  update(id: number, set: TopicSet, now: Instant): void {
    const row = this.mustGet(id);
    this.#recorder.touch('topic', id);
    const next = parseInput(topicSetSchema, { ...readTopicSet(row), ...set }, 'a change of a topic');
    this.#db.run(
      `UPDATE topic SET title = ?, summary = ?, source = ?, strength = ?, state = ?, successor_id = ?, updated_at = ?,
         version = version + 1, changes = changes + 1 WHERE id = ?`,
      this.#db.keys.seal(next.title),
      this.#sealed(next.summary),
      next.source,
      next.strength,
      next.state,
      next.successorId,
      now,
      id,
    );
    this.reindex(id);
    if (next.state !== row.state) this.centroids.noteChange(id);
  }

  /** Updates the text index with the topic's texts and state. */
  reindex(id: number): void {
    const row = this.get(id);
    if (row?.state === 'active') this.#text.put(id, row);
    else this.#text.remove(id);
  }

  countActive(): number {
    return this.#db.get<{ n: number }>("SELECT count(*) AS n FROM topic WHERE state = 'active'")?.n ?? 0;
  }

  topicsOf(unitId: number): number[] {
    return this.#db
      .all<{ id: number }>(
        `SELECT m.topic_id AS id FROM topic_member m CROSS JOIN topic t ON t.id = m.topic_id
         WHERE m.unit_id = ? ORDER BY t.strength DESC, t.id`,
        unitId,
      )
      .map((row) => row.id);
  }

  isMember(topicId: number, unitId: number): boolean {
    const sql = 'SELECT 1 FROM topic_member WHERE topic_id = ? AND unit_id = ?';
    return this.#db.get(sql, topicId, unitId) !== undefined;
  }

  /** Adds an episode to a topic, and its figures to the topic's. */
  join(topicId: number, unitId: number, vector: Float32Array | null, now: Instant): void {
    const topic = this.mustGet(topicId);
    const episode = this.#episode(unitId);
    const member = { ...episode, emotion: readEmotion(episode.emotion) };
    this.#recorder.touch('topic_member', topicId, unitId);
    const weight = this.centroids.add(topicId, unitId, vector, member.accessCount);
    this.#db.run('INSERT INTO topic_member VALUES (?, ?, ?)', topicId, unitId, weight);
    const feeling = addFeeling(feelingOf(topic), member);
    const strength = grownStrength(topic.strength, member);
    this.#recorder.touch('topic', topicId);
    this.#db.run(
      `UPDATE topic SET strength = ?1, emotion = ?2, emotion_weight = ?3, members = members + 1,
         first_at = min(coalesce(first_at, ?4), ?4), last_at = max(coalesce(last_at, ?4), ?4), updated_at = ?5,
         changes = changes + 1 WHERE id = ?6`,
      strength,
      writeEmotion(feeling.emotion),
      feeling.weight,
      member.occurredAt,
      now,
      topicId,
    );
  }

  /** Adds an episode without updating the topic's figures; they must be computed again afterwards. */
  place(topicId: number, unitId: number, weight = 0): void {
    this.#recorder.touch('topic_member', topicId, unitId);
    this.#db.run('INSERT OR IGNORE INTO topic_member VALUES (?, ?, ?)', topicId, unitId, weight);
  }

  displace(topicId: number, unitId: number): void {
    this.#recorder.touch('topic_member', topicId, unitId);
    this.#db.run('DELETE FROM topic_member WHERE topic_id = ? AND unit_id = ?', topicId, unitId);
  }

  /** Computes the topic's figures, times and centroid from its current members. */
  recompute(topicId: number, now: Instant): void {
    const members = this.#db.all<MemberRow>(
      `SELECT u.occurred_at AS occurredAt, u.salience, u.access_count AS accessCount, u.emotion
       FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id WHERE m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    const { strength, feeling } = figuresOf(
      members.map((member) => ({ ...member, emotion: readEmotion(member.emotion) })),
    );
    this.centroids.remake(topicId);
    this.#recorder.touch('topic', topicId);
    this.#db.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, members = ?, first_at = ?, last_at = ?,
         updated_at = ?, changes = changes + 1 WHERE id = ?`,
      strength,
      writeEmotion(feeling.emotion),
      feeling.weight,
      members.length,
      members.reduce<number | null>(
        (first, { occurredAt }) => Math.min(first ?? occurredAt, occurredAt),
        null,
      ),
      members.reduce<number | null>((last, { occurredAt }) => Math.max(last ?? occurredAt, occurredAt), null),
      now,
      topicId,
    );
  }

  /** Sets figures that were computed elsewhere. @throws MemoryError INVALID_INPUT, MODEL_MISMATCH */
  refresh(
    topicId: number,
    figures: { strength: number; centroid: Float32Array | null; centroidEmotion: Emotion | null },
    now: Instant,
  ): void {
    const { strength, centroidEmotion } = parseInput(topicFiguresSchema, figures, 'figures of a topic');
    this.centroids.replace(topicId, figures.centroid);
    this.#recorder.touch('topic', topicId);
    this.#db.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, updated_at = ?, version = version + 1,
         changes = changes + 1 WHERE id = ?`,
      strength,
      writeEmotion(centroidEmotion),
      centroidEmotion ? this.#feelingWeight(topicId) : 0,
      now,
      topicId,
    );
  }

  /** Archives a topic whose last episode moved to another, its successor, unless it has children or a name given by hand. */
  archiveIfDeserted(topicId: number, successorId: number, now: Instant): void {
    const { members, source } = this.mustBeActive(topicId);
    if (members > 0 || source === 'user' || this.childrenOf(topicId).length > 0) return;
    for (const parentId of this.parentsOf(topicId)) this.unlink(topicId, parentId);
    this.update(topicId, { state: 'archived', successorId }, now);
  }

  parentsOf(topicId: number): number[] {
    return this.#db
      .all<{ id: number }>('SELECT parent_id AS id FROM topic_parent WHERE topic_id = ? ORDER BY 1', topicId)
      .map((row) => row.id);
  }

  childrenOf(topicId: number): number[] {
    return this.#db
      .all<{ id: number }>('SELECT topic_id AS id FROM topic_parent WHERE parent_id = ? ORDER BY 1', topicId)
      .map((row) => row.id);
  }

  /** Does not check for cycles. */
  setParents(topicId: number, parentIds: readonly number[], now: Instant): void {
    const before = this.parentsOf(topicId);
    for (const parentId of before) {
      if (!parentIds.includes(parentId)) this.unlink(topicId, parentId);
    }
    for (const parentId of parentIds) {
      if (!before.includes(parentId)) this.linkTo(topicId, parentId);
    }
    this.noteRevised(topicId, now);
  }

  linkTo(topicId: number, parentId: number): void {
    this.#recorder.touch('topic_parent', topicId, parentId);
    this.#db.run('INSERT OR IGNORE INTO topic_parent VALUES (?, ?)', topicId, parentId);
  }

  unlink(topicId: number, parentId: number): void {
    this.#recorder.touch('topic_parent', topicId, parentId);
    this.#db.run('DELETE FROM topic_parent WHERE topic_id = ? AND parent_id = ?', topicId, parentId);
  }

  /** Counts a version for a change in other tables. */
  noteRevised(topicId: number, now: Instant): void {
    this.#recorder.touch('topic', topicId);
    this.#db.run(
      'UPDATE topic SET updated_at = ?, version = version + 1, changes = changes + 1 WHERE id = ?',
      now,
      topicId,
    );
  }

  #sealed(words: string | null): string | null {
    return words === null ? null : this.#db.keys.seal(words);
  }

  #episode(unitId: number): MemberRow {
    const row = this.#db.get<MemberRow>(
      'SELECT occurred_at AS occurredAt, salience, access_count AS accessCount, emotion FROM unit WHERE id = ?',
      unitId,
    );
    if (!row) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    return row;
  }

  /** The total weight of the members with an emotion. */
  #feelingWeight(topicId: number): number {
    return this.#db
      .all<{ accessCount: number }>(
        `SELECT u.access_count AS accessCount FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id
         WHERE m.topic_id = ? AND u.emotion IS NOT NULL`,
        topicId,
      )
      .reduce((sum, { accessCount }) => sum + recallWeight(accessCount), 0);
  }
}
