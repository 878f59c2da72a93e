import { MemoryError, type Instant } from '../../../model/model.ts';
import type { TopicChange, TopicRef } from '../../store.ts';
import type { Database } from '../database.ts';
import { findCycle, type TopicRows } from '../topics/topics.ts';
import { checkVersion, TOPIC_CHANGE_ORDER } from '../../rows/rows.ts';

/**
 * Applies changes to the topic graph. The caller holds the transaction.
 * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
 */
export function changeTopics(
  db: Database,
  rows: TopicRows,
  changes: readonly TopicChange[],
  now: Instant,
): void {
  const change = new GraphChange(rows, now);
  for (const types of TOPIC_CHANGE_ORDER) {
    for (const one of changes) if (types.includes(one.type)) change.apply(one);
    if (types.includes('move')) change.recomputeMoved();
  }
  const cycle = findCycle(db, [...change.withNewParents]);
  if (cycle) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Topics would lie below one another in a circle: ${cycle.join(', ')}.`,
      {
        topicIds: cycle,
      },
    );
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

  apply(change: TopicChange): void {
    switch (change.type) {
      case 'add':
        return this.#add(change.ref, change.topic);
      case 'update':
        return this.#update(change);
      case 'move':
        return this.#move(change);
      case 'setParents':
        return this.#setParents(change);
      case 'refresh':
        return this.#rows.refresh(this.#idOf(change.topicId), change, this.#now);
      case 'archive':
        return this.#archive(change);
    }
  }

  recomputeMoved(): void {
    for (const topicId of this.#moved) this.#rows.recompute(topicId, this.#now);
  }

  #add(ref: string, topic: Extract<TopicChange, { type: 'add' }>['topic']): void {
    if (this.#added.has(ref))
      throw new MemoryError('INVALID_INPUT', `Two topics are added as ${JSON.stringify(ref)}.`);
    this.#added.set(ref, this.#rows.add(topic, this.#now));
  }

  #update({ topicId, set, expectedVersion }: Extract<TopicChange, { type: 'update' }>): void {
    const id = this.#idOf(topicId);
    checkVersion(this.#rows.mustGet(id), expectedVersion);
    this.#rows.update(id, set, this.#now);
  }

  #move({ unitIds, from, to }: Extract<TopicChange, { type: 'move' }>): void {
    const fromId = this.#idOf(from);
    const toId = this.#rows.mustBeActive(this.#idOf(to)).id;
    for (const unitId of unitIds) {
      if (!this.#rows.isMember(fromId, unitId)) {
        throw new MemoryError('VERSION_CONFLICT', `Unit ${unitId} is not in topic ${fromId}.`, {
          unitId,
          topicId: fromId,
        });
      }
      if (fromId === toId) continue;
      this.#rows.displace(fromId, unitId);
      this.#rows.place(toId, unitId);
    }
    this.#moved.add(fromId).add(toId);
  }

  #setParents({ topicId, parentIds }: Extract<TopicChange, { type: 'setParents' }>): void {
    const id = this.#rows.mustBeActive(this.#idOf(topicId)).id;
    const parents = parentIds.map((parent) => this.#rows.mustBeActive(this.#idOf(parent)).id);
    this.#rows.setParents(id, parents, this.#now);
    this.withNewParents.add(id);
  }

  #archive({ topicId, successorId }: Extract<TopicChange, { type: 'archive' }>): void {
    const topic = this.#rows.mustBeActive(topicId);
    const successor = this.#rows.mustBeActive(this.#idOf(successorId)).id;
    if (successor === topicId)
      throw new MemoryError('INVALID_INPUT', `Topic ${topicId} cannot live on in itself.`);
    if (topic.members > 0 || this.#rows.childrenOf(topicId).length > 0) {
      throw new MemoryError('VERSION_CONFLICT', `Topic ${topicId} still has members or topics below it.`, {
        topicId,
      });
    }
    for (const parentId of this.#rows.parentsOf(topicId)) this.#rows.unlink(topicId, parentId);
    this.#rows.update(topicId, { state: 'archived', successorId: successor }, this.#now);
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  #idOf(topic: TopicRef): number {
    if (typeof topic === 'number') return this.#rows.mustGet(topic).id;
    const id = this.#added.get(topic.ref);
    if (id === undefined)
      throw new MemoryError('INVALID_INPUT', `No topic is added as ${JSON.stringify(topic.ref)}.`);
    return id;
  }
}
