import { MemoryError, parseInput, type Emotion, type Instant, type Topic } from '../../model/model.ts';
import {
  addFeeling,
  feelingOf,
  figuresOf,
  grownStrength,
  openTopic,
  readEmotion,
  readTopic,
  readTopicSet,
  recallWeight,
  topicFiguresSchema,
  topicSetSchema,
  topicWordsSchema,
  writeEmotion,
  type MemberRow,
  type TopicRow,
  type TopicSet,
} from '../rows/rows.ts';
import { rowHash } from './rowHashes.ts';
import type { RowRecorder } from './rowImages.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { Steps } from './steps.ts';
import type { Centroids } from './centroids.ts';
import type { TopicText } from './topicText.ts';

const SELECT_MANY = `SELECT t.*,
    (SELECT coalesce(json_agg(p.parent_id ORDER BY p.parent_id), '[]') FROM topic_parent p
      WHERE p.memory_id = $1 AND p.topic_id = t.id) AS parents,
    (SELECT coalesce(json_agg(p.topic_id ORDER BY p.topic_id), '[]') FROM topic_parent p
      WHERE p.memory_id = $1 AND p.parent_id = t.id) AS children
  FROM`;

const ADD_MEMBER = 'INSERT INTO topic_member VALUES ($1, ?, ?, ?, ?)';
const EPISODE_COLUMNS = `u.occurred_at AS "occurredAt", u.salience, u.access_count AS "accessCount", u.emotion`;

/** The tables of topics; each change updates everything that depends on it. Callers hold the transaction. */
export class TopicRows {
  readonly centroids: Centroids;
  readonly #tx: Sql;
  readonly #recorder: RowRecorder;
  readonly #text: TopicText;

  constructor(tx: Sql, recorder: RowRecorder, centroids: Centroids, text: TopicText) {
    this.#tx = tx;
    this.#recorder = recorder;
    this.centroids = centroids;
    this.#text = text;
  }

  /** @param tail the rest of the statement after `topic t`, including the order */
  *select(tail: string, ...values: SqlValue[]): Steps<Topic[]> {
    const rows = yield* this.#tx.all<TopicRow & { parents: string; children: string }>(
      `${SELECT_MANY} ${tail}`,
      ...values,
    );
    return rows.map((row) => readTopic(openTopic(this.#tx.keys, row)));
  }

  *getMany(ids: readonly number[]): Steps<Topic[]> {
    if (ids.length === 0) return [];
    const found = yield* this.select('topic t WHERE t.memory_id = $1 AND t.id = ANY (?::bigint[])', ids);
    const byId = new Map(found.map((topic) => [topic.id, topic]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  *get(id: number): Steps<TopicRow | undefined> {
    const row = yield* this.#tx.get<TopicRow>('SELECT * FROM topic WHERE memory_id = $1 AND id = ?', id);
    return row && openTopic(this.#tx.keys, row);
  }

  /** @throws MemoryError NOT_FOUND */
  *mustGet(id: number): Steps<TopicRow> {
    const row = yield* this.get(id);
    if (!row) throw new MemoryError('NOT_FOUND', `There is no topic ${id}.`);
    return row;
  }

  /** @throws MemoryError NOT_FOUND, VERSION_CONFLICT */
  *mustBeActive(id: number): Steps<TopicRow> {
    const row = yield* this.mustGet(id);
    if (row.state === 'active') return row;
    throw new MemoryError('VERSION_CONFLICT', `Topic ${id} is archived.`, {
      topicId: id,
      successorId: row.successor_id,
    });
  }

  /** @throws MemoryError INVALID_INPUT */
  *add(words: Pick<Topic, 'title' | 'summary' | 'source'>, now: Instant): Steps<number> {
    const topic = parseInput(topicWordsSchema, words, 'a topic');
    const id = yield* this.#tx.insertNew('topic', {
      title: this.#tx.keys.seal(topic.title),
      summary: this.#sealed(topic.summary),
      source: topic.source,
      created_at: now,
      updated_at: now,
      state: 'active',
      strength: 0,
      members: 0,
      emotion_weight: 0,
      version: 1,
      changes: 1,
    });
    this.#recorder.touchNew('topic', id);
    yield* this.#text.put(id, topic);
    return id;
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  *update(id: number, set: TopicSet, now: Instant): Steps<void> {
    const row = yield* this.mustGet(id);
    yield* this.#recorder.touch('topic', id);
    const next = parseInput(topicSetSchema, { ...readTopicSet(row), ...set }, 'a change of a topic');
    yield* this.#tx.run(
      `UPDATE topic SET title = ?, summary = ?, source = ?, strength = ?, state = ?, successor_id = ?, updated_at = ?,
         version = version + 1, changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      this.#tx.keys.seal(next.title),
      this.#sealed(next.summary),
      next.source,
      next.strength,
      next.state,
      next.successorId,
      now,
      id,
    );
    yield* this.reindex(id);
    if (next.state !== row.state) yield* this.centroids.noteChange(id);
  }

  /** Updates the text index with the topic's texts and state. */
  *reindex(id: number): Steps<void> {
    const row = yield* this.get(id);
    if (row?.state === 'active') yield* this.#text.put(id, row);
    else yield* this.#text.remove(id);
  }

  *countActive(): Steps<number> {
    const sql = "SELECT count(*) AS n FROM topic WHERE memory_id = $1 AND state = 'active'";
    return (yield* this.#tx.get<{ n: number }>(sql))?.n ?? 0;
  }

  *topicsOf(unitId: number): Steps<number[]> {
    return yield* this.#ids(
      `SELECT m.topic_id AS id FROM topic_member m JOIN topic t ON t.memory_id = $1 AND t.id = m.topic_id
       WHERE m.memory_id = $1 AND m.unit_id = ? ORDER BY t.strength DESC, t.id`,
      unitId,
    );
  }

  *isMember(topicId: number, unitId: number): Steps<boolean> {
    const sql = 'SELECT 1 FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    return (yield* this.#tx.get(sql, topicId, unitId)) !== undefined;
  }

  /** Adds an episode to a topic, and its figures to the topic's. */
  *join(topicId: number, unitId: number, vector: Float32Array | null, now: Instant): Steps<void> {
    const topic = yield* this.mustGet(topicId);
    const episode = yield* this.#episode(unitId);
    const member = { ...episode, emotion: readEmotion(episode.emotion) };
    yield* this.#recorder.touch('topic_member', topicId, unitId);
    const weight = yield* this.centroids.add(topicId, unitId, vector, member.accessCount);
    yield* this.#tx.run(ADD_MEMBER, topicId, unitId, weight, this.#memberHash(topicId, unitId));
    const feeling = addFeeling(feelingOf(topic), member);
    const strength = grownStrength(topic.strength, member);
    yield* this.#recorder.touch('topic', topicId);
    yield* this.#tx.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, members = members + 1,
         first_at = ?, last_at = ?, updated_at = ?,
         changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      strength,
      writeEmotion(feeling.emotion),
      feeling.weight,
      Math.min(topic.first_at ?? member.occurredAt, member.occurredAt),
      Math.max(topic.last_at ?? member.occurredAt, member.occurredAt),
      now,
      topicId,
    );
  }

  /** Adds an episode without updating the topic's figures; they must be computed again afterwards. */
  *place(topicId: number, unitId: number, weight = 0): Steps<void> {
    yield* this.#recorder.touch('topic_member', topicId, unitId);
    const hash = this.#memberHash(topicId, unitId);
    yield* this.#tx.run(`${ADD_MEMBER} ON CONFLICT DO NOTHING`, topicId, unitId, weight, hash);
  }

  #memberHash(topicId: number, unitId: number): string {
    return rowHash(this.#tx.keys, 'topic_member', { topic_id: topicId, unit_id: unitId });
  }

  *displace(topicId: number, unitId: number): Steps<void> {
    yield* this.#recorder.touch('topic_member', topicId, unitId);
    const sql = 'DELETE FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    yield* this.#tx.run(sql, topicId, unitId);
  }

  /** Computes the topic's figures, times and centroid from its current members. */
  *recompute(topicId: number, now: Instant): Steps<void> {
    const members = yield* this.#tx.all<MemberRow>(
      `SELECT ${EPISODE_COLUMNS} FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    const { strength, feeling } = figuresOf(
      members.map((member) => ({ ...member, emotion: readEmotion(member.emotion) })),
    );
    const times = members.map((member) => member.occurredAt);
    yield* this.centroids.rebuild(topicId);
    yield* this.#recorder.touch('topic', topicId);
    yield* this.#tx.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, members = ?, first_at = ?, last_at = ?,
         updated_at = ?, changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      strength,
      writeEmotion(feeling.emotion),
      feeling.weight,
      members.length,
      times.reduce<number | null>((first, at) => Math.min(first ?? at, at), null),
      times.reduce<number | null>((last, at) => Math.max(last ?? at, at), null),
      now,
      topicId,
    );
  }

  /** Sets figures that were computed elsewhere. @throws MemoryError INVALID_INPUT, MODEL_MISMATCH */
  *refresh(
    topicId: number,
    figures: { strength: number; centroid: Float32Array | null; centroidEmotion: Emotion | null },
    now: Instant,
  ): Steps<void> {
    const { strength, centroidEmotion } = parseInput(topicFiguresSchema, figures, 'figures of a topic');
    yield* this.centroids.replace(topicId, figures.centroid);
    yield* this.#recorder.touch('topic', topicId);
    yield* this.#tx.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, updated_at = ?, version = version + 1,
         changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      strength,
      writeEmotion(centroidEmotion),
      centroidEmotion ? yield* this.#feelingWeight(topicId) : 0,
      now,
      topicId,
    );
  }

  /** Archives a topic whose last episode moved to another, its successor, unless it has children or a name given by hand. */
  *archiveIfDeserted(topicId: number, successorId: number, now: Instant): Steps<void> {
    const { members, source } = yield* this.mustBeActive(topicId);
    if (members > 0 || source === 'user' || (yield* this.childrenOf(topicId)).length > 0) return;
    for (const parentId of yield* this.parentsOf(topicId)) yield* this.unlink(topicId, parentId);
    yield* this.update(topicId, { state: 'archived', successorId }, now);
  }

  *parentsOf(topicId: number): Steps<number[]> {
    return yield* this.#ids(
      'SELECT parent_id AS id FROM topic_parent WHERE memory_id = $1 AND topic_id = ? ORDER BY 1',
      topicId,
    );
  }

  *childrenOf(topicId: number): Steps<number[]> {
    return yield* this.#ids(
      'SELECT topic_id AS id FROM topic_parent WHERE memory_id = $1 AND parent_id = ? ORDER BY 1',
      topicId,
    );
  }

  /** Does not check for cycles. */
  *setParents(topicId: number, parentIds: readonly number[], now: Instant): Steps<void> {
    const before = yield* this.parentsOf(topicId);
    for (const parentId of before) {
      if (!parentIds.includes(parentId)) yield* this.unlink(topicId, parentId);
    }
    for (const parentId of parentIds) {
      if (!before.includes(parentId)) yield* this.linkTo(topicId, parentId);
    }
    yield* this.noteRevised(topicId, now);
  }

  *linkTo(topicId: number, parentId: number): Steps<void> {
    yield* this.#recorder.touch('topic_parent', topicId, parentId);
    const hash = rowHash(this.#tx.keys, 'topic_parent', { topic_id: topicId, parent_id: parentId });
    const sql = 'INSERT INTO topic_parent VALUES ($1, ?, ?, ?) ON CONFLICT DO NOTHING';
    yield* this.#tx.run(sql, topicId, parentId, hash);
  }

  *unlink(topicId: number, parentId: number): Steps<void> {
    yield* this.#recorder.touch('topic_parent', topicId, parentId);
    const sql = 'DELETE FROM topic_parent WHERE memory_id = $1 AND topic_id = ? AND parent_id = ?';
    yield* this.#tx.run(sql, topicId, parentId);
  }

  /** Counts a version for a change in other tables. */
  *noteRevised(topicId: number, now: Instant): Steps<void> {
    yield* this.#recorder.touch('topic', topicId);
    yield* this.#tx.run(
      `UPDATE topic SET updated_at = ?, version = version + 1, changes = changes + 1
       WHERE memory_id = $1 AND id = ?`,
      now,
      topicId,
    );
  }

  *#ids(sql: string, id: number): Steps<number[]> {
    return (yield* this.#tx.all<{ id: number }>(sql, id)).map((row) => row.id);
  }

  *#episode(unitId: number): Steps<MemberRow> {
    const sql = `SELECT ${EPISODE_COLUMNS} FROM unit u WHERE u.memory_id = $1 AND u.id = ?`;
    const row = yield* this.#tx.get<MemberRow>(sql, unitId);
    if (!row) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    return row;
  }

  #sealed(words: string | null): string | null {
    return words === null ? null : this.#tx.keys.seal(words);
  }

  /** The total weight of the members with an emotion. */
  *#feelingWeight(topicId: number): Steps<number> {
    const rows = yield* this.#tx.all<{ accessCount: number }>(
      `SELECT u.access_count AS "accessCount" FROM topic_member m
         JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? AND u.emotion IS NOT NULL ORDER BY m.unit_id`,
      topicId,
    );
    return rows.reduce((sum, { accessCount }) => sum + recallWeight(accessCount), 0);
  }
}
