import { MemoryError, type Instant } from '../../model/model.ts';
import type { TopicChange, TopicRef } from '../store.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import { findCycle } from './topicGraph.ts';
import type { TopicRows } from './topicRows.ts';
import { checkVersion, TOPIC_CHANGE_ORDER } from '../rows/rows.ts';

/**
 * Applies changes to the topic graph. The caller holds the transaction.
 * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
 */
export function* changeTopics(
  tx: Sql,
  rows: TopicRows,
  changes: readonly TopicChange[],
  now: Instant,
): Steps<void> {
  const change = new GraphChange(rows, now);
  for (const types of TOPIC_CHANGE_ORDER) {
    for (const one of changes) if (types.includes(one.type)) yield* change.apply(one);
    if (types.includes('move')) yield* change.recomputeMoved();
  }
  const cycle = yield* findCycle(tx, [...change.withNewParents]);
  if (cycle) {
    throw new MemoryError('INVALID_INPUT', `The topics would form a cycle: ${cycle.join(', ')}.`, {
      topicIds: cycle,
    });
  }
}

class GraphChange {
  readonly withNewParents = new Set<number>();
  readonly #rows: TopicRows;
  readonly #now: Instant;
  readonly #added = new Map<string, number>();
  readonly #moved = new Set<number>();

  constructor(rows: TopicRows, now: Instant) {
    this.#rows = rows;
    this.#now = now;
  }

  *apply(change: TopicChange): Steps<void> {
    switch (change.type) {
      case 'add':
        return yield* this.#add(change.ref, change.topic);
      case 'update':
        return yield* this.#update(change);
      case 'move':
        return yield* this.#move(change);
      case 'setParents':
        return yield* this.#setParents(change);
      case 'refresh':
        return yield* this.#rows.refresh(yield* this.#idOf(change.topicId), change, this.#now);
      case 'archive':
        return yield* this.#archive(change);
    }
  }

  *recomputeMoved(): Steps<void> {
    for (const topicId of this.#moved) yield* this.#rows.recompute(topicId, this.#now);
  }

  *#add(ref: string, topic: Extract<TopicChange, { type: 'add' }>['topic']): Steps<void> {
    if (this.#added.has(ref))
      throw new MemoryError('INVALID_INPUT', `Two new topics have the reference ${JSON.stringify(ref)}.`);
    this.#added.set(ref, yield* this.#rows.add(topic, this.#now));
  }

  *#update({ topicId, set, expectedVersion }: Extract<TopicChange, { type: 'update' }>): Steps<void> {
    const id = yield* this.#idOf(topicId);
    checkVersion(yield* this.#rows.mustGet(id), expectedVersion);
    yield* this.#rows.update(id, set, this.#now);
  }

  *#move({ unitIds, from, to }: Extract<TopicChange, { type: 'move' }>): Steps<void> {
    const fromId = yield* this.#idOf(from);
    const toId = (yield* this.#rows.mustBeActive(yield* this.#idOf(to))).id;
    for (const unitId of unitIds) {
      if (!(yield* this.#rows.isMember(fromId, unitId))) {
        throw new MemoryError('VERSION_CONFLICT', `Unit ${unitId} is not in topic ${fromId}.`, {
          unitId,
          topicId: fromId,
        });
      }
      if (fromId === toId) continue;
      yield* this.#rows.displace(fromId, unitId);
      yield* this.#rows.place(toId, unitId);
    }
    this.#moved.add(fromId).add(toId);
  }

  *#setParents({ topicId, parentIds }: Extract<TopicChange, { type: 'setParents' }>): Steps<void> {
    const { id } = yield* this.#rows.mustBeActive(yield* this.#idOf(topicId));
    const parents: number[] = [];
    for (const parent of parentIds) {
      parents.push((yield* this.#rows.mustBeActive(yield* this.#idOf(parent))).id);
    }
    yield* this.#rows.setParents(id, parents, this.#now);
    this.withNewParents.add(id);
  }

  *#archive({ topicId, successorId }: Extract<TopicChange, { type: 'archive' }>): Steps<void> {
    const topic = yield* this.#rows.mustBeActive(topicId);
    const successor = (yield* this.#rows.mustBeActive(yield* this.#idOf(successorId))).id;
    if (successor === topicId)
      throw new MemoryError('INVALID_INPUT', `Topic ${topicId} cannot be its own successor.`);
    if (topic.members > 0 || (yield* this.#rows.childrenOf(topicId)).length > 0) {
      throw new MemoryError('VERSION_CONFLICT', `Topic ${topicId} still has members or subtopics.`, {
        topicId,
      });
    }
    for (const parentId of yield* this.#rows.parentsOf(topicId)) yield* this.#rows.unlink(topicId, parentId);
    yield* this.#rows.update(topicId, { state: 'archived', successorId: successor }, this.#now);
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  *#idOf(topic: TopicRef): Steps<number> {
    if (typeof topic === 'number') return (yield* this.#rows.mustGet(topic)).id;
    const id = this.#added.get(topic.ref);
    if (id === undefined)
      throw new MemoryError('INVALID_INPUT', `No new topic has the reference ${JSON.stringify(topic.ref)}.`);
    return id;
  }
}
