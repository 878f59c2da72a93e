import { MemoryError, type Instant } from '../../../model/model.ts';
import type { TopicChange, TopicRef } from '../../store.ts';
import type { Session } from '../session.ts';
import { findCycle, type TopicRows } from '../topics/topics.ts';
import { checkVersion, TOPIC_CHANGE_ORDER } from '../../rows/rows.ts';

/**
 * Carries out changes of the graph of topics. The caller holds the transaction.
 * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
 */
export async function changeTopics(
  tx: Session,
  rows: TopicRows,
  changes: readonly TopicChange[],
  now: Instant,
): Promise<void> {
  const change = new GraphChange(rows, now);
  for (const types of TOPIC_CHANGE_ORDER) {
    for (const one of changes) if (types.includes(one.type)) await change.apply(one);
    if (types.includes('move')) await change.recomputeMoved();
  }
  const cycle = await findCycle(tx, [...change.withNewParents]);
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

  async apply(change: TopicChange): Promise<void> {
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
        return this.#rows.refresh(await this.#idOf(change.topicId), change, this.#now);
      case 'archive':
        return this.#archive(change);
    }
  }

  async recomputeMoved(): Promise<void> {
    for (const topicId of this.#moved) await this.#rows.recompute(topicId, this.#now);
  }

  async #add(ref: string, topic: Extract<TopicChange, { type: 'add' }>['topic']): Promise<void> {
    if (this.#added.has(ref))
      throw new MemoryError('INVALID_INPUT', `Two topics are added as ${JSON.stringify(ref)}.`);
    this.#added.set(ref, await this.#rows.add(topic, this.#now));
  }

  async #update({ topicId, set, expectedVersion }: Extract<TopicChange, { type: 'update' }>): Promise<void> {
    const id = await this.#idOf(topicId);
    checkVersion(await this.#rows.mustGet(id), expectedVersion);
    await this.#rows.update(id, set, this.#now);
  }

  async #move({ unitIds, from, to }: Extract<TopicChange, { type: 'move' }>): Promise<void> {
    const fromId = await this.#idOf(from);
    const toId = (await this.#rows.mustBeActive(await this.#idOf(to))).id;
    for (const unitId of unitIds) {
      if (!(await this.#rows.isMember(fromId, unitId))) {
        throw new MemoryError('VERSION_CONFLICT', `Unit ${unitId} is not in topic ${fromId}.`, {
          unitId,
          topicId: fromId,
        });
      }
      if (fromId === toId) continue;
      await this.#rows.displace(fromId, unitId);
      await this.#rows.place(toId, unitId);
    }
    this.#moved.add(fromId).add(toId);
  }

  async #setParents({ topicId, parentIds }: Extract<TopicChange, { type: 'setParents' }>): Promise<void> {
    const { id } = await this.#rows.mustBeActive(await this.#idOf(topicId));
    const parents: number[] = [];
    for (const parent of parentIds) {
      parents.push((await this.#rows.mustBeActive(await this.#idOf(parent))).id);
    }
    await this.#rows.setParents(id, parents, this.#now);
    this.withNewParents.add(id);
  }

  async #archive({ topicId, successorId }: Extract<TopicChange, { type: 'archive' }>): Promise<void> {
    const topic = await this.#rows.mustBeActive(topicId);
    const successor = (await this.#rows.mustBeActive(await this.#idOf(successorId))).id;
    if (successor === topicId)
      throw new MemoryError('INVALID_INPUT', `Topic ${topicId} cannot live on in itself.`);
    if (topic.members > 0 || (await this.#rows.childrenOf(topicId)).length > 0) {
      throw new MemoryError('VERSION_CONFLICT', `Topic ${topicId} still has members or topics below it.`, {
        topicId,
      });
    }
    for (const parentId of await this.#rows.parentsOf(topicId)) await this.#rows.unlink(topicId, parentId);
    await this.#rows.update(topicId, { state: 'archived', successorId: successor }, this.#now);
  }

  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  async #idOf(topic: TopicRef): Promise<number> {
    if (typeof topic === 'number') return (await this.#rows.mustGet(topic)).id;
    const id = this.#added.get(topic.ref);
    if (id === undefined)
      throw new MemoryError('INVALID_INPUT', `No topic is added as ${JSON.stringify(topic.ref)}.`);
    return id;
  }
}
