import { MemoryError, type Instant } from '../../model/model.ts';
import type { TopicAssignment } from '../store.ts';
import type { TableParts } from './parts.ts';
import type { Steps } from './steps.ts';

/** Assigns episodes to topics; see `TopicTable.assign`. Call it in a transaction that holds the memory's lock. */
export function* assignTopics(
  tables: TableParts,
  entries: readonly TopicAssignment[],
  now: Instant,
): Steps<number[]> {
  const assignment = new Assignment(tables, now);
  for (const entry of entries) yield* assignment.add(entry);
  return yield* assignment.end();
}

class Assignment {
  readonly #tables: TableParts;
  readonly #now: Instant;
  readonly #assigned: number[] = [];
  /** Topics whose statistics must be recomputed because an episode left, with that episode. */
  readonly #left = new Map<number, number>();

  constructor(tables: TableParts, now: Instant) {
    this.#tables = tables;
    this.#now = now;
  }

  *add(entry: TopicAssignment): Steps<void> {
    this.#assigned.push(yield* this.#assign(entry));
  }

  *end(): Steps<number[]> {
    for (const [topicId, forTopic] of this.#left) {
      yield* this.#tables.topics.recompute(topicId, this.#now);
      yield* this.#tables.topics.archiveIfDeserted(topicId, forTopic, this.#now);
    }
    return this.#assigned;
  }

  *#assign({ mark, topic, vector }: TopicAssignment): Steps<number> {
    const { topics, marks } = this.#tables;
    const present = yield* topics.topicsOf(mark.unitId);
    if (present[0] !== undefined && (yield* marks.has(mark))) return present[0];
    yield* this.#mustBeEpisode(mark.unitId);
    const topicId = yield* this.#target(topic);
    for (const id of present) {
      if (id === topicId) continue;
      yield* topics.displace(id, mark.unitId);
      this.#left.set(id, topicId);
    }
    if (!present.includes(topicId)) yield* topics.join(topicId, mark.unitId, vector, this.#now);
    yield* marks.keep(mark);
    return topicId;
  }

  *#target(topic: TopicAssignment['topic']): Steps<number> {
    const { topics } = this.#tables;
    if ('id' in topic) return (yield* topics.mustBeActive(topic.id)).id;
    if ('title' in topic) return yield* topics.add(topic, this.#now);
    const topicId = this.#assigned[topic.sameAs];
    if (topicId === undefined) {
      throw new MemoryError('INVALID_INPUT', `There is no entry ${topic.sameAs} before this one.`);
    }
    return (yield* topics.mustBeActive(topicId)).id;
  }

  *#mustBeEpisode(unitId: number): Steps<void> {
    const sql = 'SELECT turn_id FROM unit WHERE memory_id = $1 AND id = ?';
    const unit = yield* this.#tables.tx.get<{ turn_id: number | null }>(sql, unitId);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    if (unit.turn_id === null) {
      throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is not an episode; only episodes have topics.`);
    }
  }
}
