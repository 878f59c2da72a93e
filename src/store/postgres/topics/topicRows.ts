import { MemoryError, parseInput, type Emotion, type Instant, type Topic } from '../../../model/model.ts';
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
} from '../../rows/rows.ts';
import type { RowRecorder } from '../rowImages.ts';
import type { Session, Value } from '../session.ts';
import type { Centroids } from './centroids.ts';
import type { TopicText } from './topicText.ts';

const SELECT_MANY = `SELECT t.*,
    (SELECT coalesce(json_agg(p.parent_id ORDER BY p.parent_id), '[]') FROM topic_parent p
      WHERE p.memory_id = $1 AND p.topic_id = t.id) AS parents,
    (SELECT coalesce(json_agg(p.topic_id ORDER BY p.topic_id), '[]') FROM topic_parent p
      WHERE p.memory_id = $1 AND p.parent_id = t.id) AS children
  FROM`;

const EPISODE_COLUMNS = `u.occurred_at AS "occurredAt", u.salience, u.access_count AS "accessCount", u.emotion`;

/** How topics lie in their tables, each change with all that follows from it. */
export class TopicRows {
  readonly centroids: Centroids;
  readonly #tx: Session;
  readonly #recorder: RowRecorder;
  readonly #text: TopicText;

  constructor(tx: Session, recorder: RowRecorder, centroids: Centroids, text: TopicText) {
    this.#tx = tx;
    this.#recorder = recorder;
    this.centroids = centroids;
    this.#text = text;
  }

  /** @param tail of the statement: from `topic t`, to be ordered */
  async select(tail: string, ...values: Value[]): Promise<Topic[]> {
    const rows = await this.#tx.all<TopicRow & { parents: string; children: string }>(
      `${SELECT_MANY} ${tail}`,
      ...values,
    );
    return rows.map((row) => readTopic(openTopic(this.#tx.keys, row)));
  }

  async getMany(ids: readonly number[]): Promise<Topic[]> {
    return this.select(
      `unnest(?::bigint[]) WITH ORDINALITY j (id, place)
         JOIN topic t ON t.memory_id = $1 AND t.id = j.id ORDER BY j.place`,
      ids,
    );
  }

  async get(id: number): Promise<TopicRow | undefined> {
    const row = await this.#tx.get<TopicRow & object>(
      'SELECT * FROM topic WHERE memory_id = $1 AND id = ?',
      id,
    );
    return row && openTopic(this.#tx.keys, row);
  }

  /** @throws MemoryError NOT_FOUND */
  async mustGet(id: number): Promise<TopicRow> {
    const row = await this.get(id);
    if (!row) throw new MemoryError('NOT_FOUND', `There is no topic ${id}.`);
    return row;
  }

  /** @throws MemoryError NOT_FOUND, VERSION_CONFLICT */
  async mustBeActive(id: number): Promise<TopicRow> {
    const row = await this.mustGet(id);
    if (row.state === 'active') return row;
    throw new MemoryError('VERSION_CONFLICT', `Topic ${id} is archived.`, {
      topicId: id,
      successorId: row.successor_id,
    });
  }

  /** @throws MemoryError INVALID_INPUT */
  async add(words: Pick<Topic, 'title' | 'summary' | 'source'>, now: Instant): Promise<number> {
    const topic = parseInput(topicWordsSchema, words, 'a topic');
    const id = await this.#tx.nextIds('topic');
    await this.#tx.run(
      `INSERT INTO topic (memory_id, id, title, summary, source, created_at, updated_at, state, strength, members,
         emotion_weight, version, changes) VALUES ($1, ?, ?, ?, ?, ?, ?, 'active', 0, 0, 0, 1, 1)`,
      id,
      this.#tx.keys.seal(topic.title),
      this.#sealed(topic.summary),
      topic.source,
      now,
      now,
    );
    this.#recorder.touchNew('topic', id);
    await this.#text.put(id, topic);
    return id;
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  async update(id: number, set: TopicSet, now: Instant): Promise<void> {
    const row = await this.mustGet(id);
    await this.#recorder.touch('topic', id);
    const next = parseInput(topicSetSchema, { ...readTopicSet(row), ...set }, 'a change of a topic');
    await this.#tx.run(
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
    await this.reindex(id);
  }

  /** Brings the text index up to date with the topic's words and state. */
  async reindex(id: number): Promise<void> {
    const row = await this.get(id);
    if (row?.state === 'active') await this.#text.put(id, row);
    else await this.#text.remove(id);
  }

  async countActive(): Promise<number> {
    const sql = "SELECT count(*) AS n FROM topic WHERE memory_id = $1 AND state = 'active'";
    return (await this.#tx.get<{ n: number }>(sql))?.n ?? 0;
  }

  async topicsOf(unitId: number): Promise<number[]> {
    return this.#ids(
      `SELECT m.topic_id AS id FROM topic_member m JOIN topic t ON t.memory_id = $1 AND t.id = m.topic_id
       WHERE m.memory_id = $1 AND m.unit_id = ? ORDER BY t.strength DESC, t.id`,
      unitId,
    );
  }

  async isMember(topicId: number, unitId: number): Promise<boolean> {
    const sql = 'SELECT 1 FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    return (await this.#tx.get(sql, topicId, unitId)) !== undefined;
  }

  /** Makes an episode a member, its figures added to the topic's. */
  async join(topicId: number, unitId: number, vector: Float32Array | null, now: Instant): Promise<void> {
    const topic = await this.mustGet(topicId);
    const episode = await this.#episode(unitId);
    const member = { ...episode, emotion: readEmotion(episode.emotion) };
    await this.#recorder.touch('topic_member', topicId, unitId);
    const weight = await this.centroids.add(topicId, unitId, vector, member.accessCount);
    await this.#tx.run('INSERT INTO topic_member VALUES ($1, ?, ?, ?)', topicId, unitId, weight);
    const feeling = addFeeling(feelingOf(topic), member);
    const strength = grownStrength(topic.strength, member);
    await this.#recorder.touch('topic', topicId);
    await this.#tx.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, members = members + 1,
         first_at = least(first_at, ?::bigint), last_at = greatest(last_at, ?::bigint), updated_at = ?,
         changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      strength,
      writeEmotion(feeling.emotion),
      feeling.weight,
      member.occurredAt,
      member.occurredAt,
      now,
      topicId,
    );
  }

  /** Puts episodes in and takes others out; the topic's figures are to be made anew after. */
  async place(topicId: number, unitId: number, weight = 0): Promise<void> {
    await this.#recorder.touch('topic_member', topicId, unitId);
    await this.#tx.run(
      'INSERT INTO topic_member VALUES ($1, ?, ?, ?) ON CONFLICT DO NOTHING',
      topicId,
      unitId,
      weight,
    );
  }

  async displace(topicId: number, unitId: number): Promise<void> {
    await this.#recorder.touch('topic_member', topicId, unitId);
    const sql = 'DELETE FROM topic_member WHERE memory_id = $1 AND topic_id = ? AND unit_id = ?';
    await this.#tx.run(sql, topicId, unitId);
  }

  /** Makes the topic's figures, times and centroid anew from its members as they are. */
  async recompute(topicId: number, now: Instant): Promise<void> {
    const members = await this.#tx.all<MemberRow & object>(
      `SELECT ${EPISODE_COLUMNS} FROM topic_member m JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? ORDER BY m.unit_id`,
      topicId,
    );
    const { strength, feeling } = figuresOf(
      members.map((member) => ({ ...member, emotion: readEmotion(member.emotion) })),
    );
    const times = members.map((member) => member.occurredAt);
    await this.centroids.remake(topicId);
    await this.#recorder.touch('topic', topicId);
    await this.#tx.run(
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

  /** Takes over figures that somebody else computed. @throws MemoryError INVALID_INPUT, MODEL_MISMATCH */
  async refresh(
    topicId: number,
    figures: { strength: number; centroid: Float32Array | null; centroidEmotion: Emotion | null },
    now: Instant,
  ): Promise<void> {
    const { strength, centroidEmotion } = parseInput(topicFiguresSchema, figures, 'figures of a topic');
    await this.centroids.replace(topicId, figures.centroid);
    await this.#recorder.touch('topic', topicId);
    await this.#tx.run(
      `UPDATE topic SET strength = ?, emotion = ?, emotion_weight = ?, updated_at = ?, version = version + 1,
         changes = changes + 1 WHERE memory_id = $1 AND id = ?`,
      strength,
      writeEmotion(centroidEmotion),
      centroidEmotion ? await this.#feelingWeight(topicId) : 0,
      now,
      topicId,
    );
  }

  /** A topic whose last episode went to another lives on in that one, unless it holds others or has a name by hand. */
  async archiveIfDeserted(topicId: number, successorId: number, now: Instant): Promise<void> {
    const { members, source } = await this.mustBeActive(topicId);
    if (members > 0 || source === 'user' || (await this.childrenOf(topicId)).length > 0) return;
    for (const parentId of await this.parentsOf(topicId)) await this.unlink(topicId, parentId);
    await this.update(topicId, { state: 'archived', successorId }, now);
  }

  async parentsOf(topicId: number): Promise<number[]> {
    return this.#ids(
      'SELECT parent_id AS id FROM topic_parent WHERE memory_id = $1 AND topic_id = ? ORDER BY 1',
      topicId,
    );
  }

  async childrenOf(topicId: number): Promise<number[]> {
    return this.#ids(
      'SELECT topic_id AS id FROM topic_parent WHERE memory_id = $1 AND parent_id = ? ORDER BY 1',
      topicId,
    );
  }

  /** Without looking for cycles. */
  async setParents(topicId: number, parentIds: readonly number[], now: Instant): Promise<void> {
    const before = await this.parentsOf(topicId);
    for (const parentId of before) {
      if (!parentIds.includes(parentId)) await this.unlink(topicId, parentId);
    }
    for (const parentId of parentIds) {
      if (!before.includes(parentId)) await this.linkTo(topicId, parentId);
    }
    await this.noteRevised(topicId, now);
  }

  async linkTo(topicId: number, parentId: number): Promise<void> {
    await this.#recorder.touch('topic_parent', topicId, parentId);
    await this.#tx.run(
      'INSERT INTO topic_parent VALUES ($1, ?, ?) ON CONFLICT DO NOTHING',
      topicId,
      parentId,
    );
  }

  async unlink(topicId: number, parentId: number): Promise<void> {
    await this.#recorder.touch('topic_parent', topicId, parentId);
    const sql = 'DELETE FROM topic_parent WHERE memory_id = $1 AND topic_id = ? AND parent_id = ?';
    await this.#tx.run(sql, topicId, parentId);
  }

  /** Counts a version for a change that lies in other tables. */
  async noteRevised(topicId: number, now: Instant): Promise<void> {
    await this.#recorder.touch('topic', topicId);
    await this.#tx.run(
      `UPDATE topic SET updated_at = ?, version = version + 1, changes = changes + 1
       WHERE memory_id = $1 AND id = ?`,
      now,
      topicId,
    );
  }

  async #ids(sql: string, id: number): Promise<number[]> {
    return (await this.#tx.all<{ id: number }>(sql, id)).map((row) => row.id);
  }

  async #episode(unitId: number): Promise<MemberRow> {
    const sql = `SELECT ${EPISODE_COLUMNS} FROM unit u WHERE u.memory_id = $1 AND u.id = ?`;
    const row = await this.#tx.get<MemberRow & object>(sql, unitId);
    if (!row) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    return row;
  }

  #sealed(words: string | null): string | null {
    return words === null ? null : this.#tx.keys.seal(words);
  }

  /** What the members that feel something weigh together. */
  async #feelingWeight(topicId: number): Promise<number> {
    const rows = await this.#tx.all<{ accessCount: number }>(
      `SELECT u.access_count AS "accessCount" FROM topic_member m
         JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
       WHERE m.memory_id = $1 AND m.topic_id = ? AND u.emotion IS NOT NULL ORDER BY m.unit_id`,
      topicId,
    );
    return rows.reduce((sum, { accessCount }) => sum + recallWeight(accessCount), 0);
  }
}
