import { MemoryError, type Instant } from '../../../model/model.ts';
import type { TopicAssignment } from '../../store.ts';
import type { TopicParts } from './parts.ts';

/** Puts episodes into topics; see `TopicTable.assign`. In a transaction that holds the memory's lock. */
export async function assignTopics(
  tables: TopicParts,
  entries: readonly TopicAssignment[],
  now: Instant,
): Promise<number[]> {
  const assignment = new Assignment(tables, now);
  for (const entry of entries) await assignment.add(entry);
  return assignment.end();
}

class Assignment {
  readonly #tables: TopicParts;
  readonly #now: Instant;
  readonly #assigned: number[] = [];
  /** Topics whose figures are to be made anew, as an episode left them, and for which it did. */
  readonly #left = new Map<number, number>();

  constructor(tables: TopicParts, now: Instant) {
    this.#tables = tables;
    this.#now = now;
  }

  async add(entry: TopicAssignment): Promise<void> {
    this.#assigned.push(await this.#assign(entry));
  }

  async end(): Promise<number[]> {
    for (const [topicId, forTopic] of this.#left) {
      await this.#tables.topics.recompute(topicId, this.#now);
      await this.#tables.topics.archiveIfDeserted(topicId, forTopic, this.#now);
    }
    return this.#assigned;
  }

  async #assign({ mark, topic, vector }: TopicAssignment): Promise<number> {
    const { topics, marks } = this.#tables;
    const present = await topics.topicsOf(mark.unitId);
    if (present[0] !== undefined && (await marks.has(mark))) return present[0];
    await this.#mustBeEpisode(mark.unitId);
    const topicId = await this.#target(topic);
    for (const id of present) {
      if (id === topicId) continue;
      await topics.displace(id, mark.unitId);
      this.#left.set(id, topicId);
    }
    if (!present.includes(topicId)) await topics.join(topicId, mark.unitId, vector, this.#now);
    await marks.keep(mark);
    return topicId;
  }

  async #target(topic: TopicAssignment['topic']): Promise<number> {
    const { topics } = this.#tables;
    if ('id' in topic) return (await topics.mustBeActive(topic.id)).id;
    if ('title' in topic) return topics.add(topic, this.#now);
    const topicId = this.#assigned[topic.sameAs];
    if (topicId === undefined) {
      throw new MemoryError('INVALID_INPUT', `There is no entry ${topic.sameAs} before this one.`);
    }
    return (await topics.mustBeActive(topicId)).id;
  }

  async #mustBeEpisode(unitId: number): Promise<void> {
    const sql = 'SELECT turn_id FROM unit WHERE memory_id = $1 AND id = ?';
    const unit = await this.#tables.session.get<{ turn_id: number | null }>(sql, unitId);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    if (unit.turn_id === null) {
      throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is no episode; only episodes have topics.`);
    }
  }
}
