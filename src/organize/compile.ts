/** Translates a plan into the changes of the store that carry it out. */
import {
  unitsOfKind,
  type Instant,
  type PlanOperation,
  type ReorganizationPlan,
  type Topic,
  type Unit,
} from '../model/model.ts';
import type { Store, TopicChange, TopicRef, UnitChange } from '../store/store.ts';
import { reinforced } from './consolidate.ts';
import { added, EMPTY_TALLY, figuresOf, tallyOf, type Tally } from './figures.ts';
import { refOf, TopicGraph, type Node } from './graph.ts';
import { readMembers, readWithAncestors, topicsOf, unitsOf } from './validate.ts';

export interface CompiledPlan {
  readonly topics: readonly TopicChange[];
  readonly units: readonly UnitChange[];
}

const PAGE = 500;

/** @param plan must be valid */
export async function compilePlan(
  store: Store,
  plan: ReorganizationPlan,
  now: Instant,
): Promise<CompiledPlan> {
  const topics = new TopicCompilation(store, plan, now);
  return { topics: await topics.compile(), units: await compileUnits(store, plan) };
}

class TopicCompilation {
  readonly #store: Store;
  readonly #plan: ReorganizationPlan;
  readonly #now: Instant;
  readonly #changes: TopicChange[] = [];
  readonly #archived = new Map<number, number>();
  /** The future members of topics whose members change. */
  readonly #members = new Map<Node, Set<number>>();
  readonly #tallies = new Map<Node, Promise<Tally>>();

  constructor(store: Store, plan: ReorganizationPlan, now: Instant) {
    this.#store = store;
    this.#plan = plan;
    this.#now = now;
  }

  async compile(): Promise<TopicChange[]> {
    const topics = await this.#read();
    const before = new TopicGraph(topics);
    const after = new TopicGraph(topics);
    for (const [index, operation] of this.#plan.operations.entries()) {
      await this.#apply(operation, index);
      after.apply(operation, index);
    }
    this.#relate(topics, before, after);
    await this.#refresh(before, after);
    for (const [topicId, successorId] of this.#archived)
      this.#changes.push({ type: 'archive', topicId, successorId });
    return this.#changes;
  }

  /** The named topics, all topics above them, and all topics below any of these. */
  async #read(): Promise<Topic[]> {
    const named = [...this.#plan.operations.flatMap(topicsOf), ...this.#plan.refresh];
    const found = new Map((await readWithAncestors(this.#store, named)).map((topic) => [topic.id, topic]));
    for (let open = [...found.values()]; open.length > 0;) {
      const below = open.flatMap(({ childIds }) => childIds).filter((id) => !found.has(id));
      open = await readWithAncestors(this.#store, below);
      for (const topic of open) found.set(topic.id, topic);
    }
    return [...found.values()];
  }

  async #apply(operation: PlanOperation, index: number): Promise<void> {
    if (operation.type === 'split') await this.#split(operation, index);
    else if (operation.type === 'merge') await this.#merge(operation);
    else if (operation.type === 'parent' && !('topicId' in operation.parent))
      this.#add(refOf(index, 0), operation.parent);
  }

  get #source(): string {
    return this.#plan.by === 'rules' ? 'reorganize:rules' : 'reorganize';
  }

  #add(ref: string, { title, summary }: Pick<Topic, 'title' | 'summary'>): void {
    this.#changes.push({ type: 'add', ref, topic: { title, summary, source: this.#source } });
    this.#members.set(ref, new Set());
  }

  async #split({ topicId, into }: Extract<PlanOperation, { type: 'split' }>, index: number): Promise<void> {
    const left = await this.#membersOf(topicId);
    for (const [place, { unitIds, ...name }] of into.entries()) {
      const ref = refOf(index, place);
      this.#add(ref, name);
      this.#changes.push({ type: 'move', unitIds, from: topicId, to: { ref } });
      this.#members.set(ref, new Set(unitIds));
      for (const unitId of unitIds) left.delete(unitId);
    }
  }

  async #merge({ topicIds, intoId, rename }: Extract<PlanOperation, { type: 'merge' }>): Promise<void> {
    if (rename)
      this.#changes.push({ type: 'update', topicId: intoId, set: { ...rename, source: this.#source } });
    const into = await this.#membersOf(intoId);
    for (const topicId of topicIds) {
      const unitIds = [...(await this.#membersOf(topicId))];
      if (unitIds.length > 0) this.#changes.push({ type: 'move', unitIds, from: topicId, to: intoId });
      for (const unitId of unitIds) into.add(unitId);
      this.#members.set(topicId, new Set());
      this.#archived.set(topicId, intoId);
    }
  }

  async #membersOf(topicId: number): Promise<Set<number>> {
    const members = this.#members.get(topicId) ?? (await readMembers(this.#store, topicId));
    this.#members.set(topicId, members);
    return members;
  }

  /** Sets the parents of every topic whose parents change; a topic that is merged into another has none. */
  #relate(topics: readonly Topic[], before: TopicGraph, after: TopicGraph): void {
    const nodes: Node[] = [...topics.map(({ id }) => id), ...this.#members.keys()];
    for (const node of new Set(nodes)) {
      const parents = after.parentsOf(node);
      if (parents.symmetricDifference(before.parentsOf(node)).size === 0) continue;
      const parentIds = [...parents].map(refTo);
      this.#changes.push({ type: 'setParents', topicId: refTo(node), parentIds });
    }
  }

  /** The requested topics, all topics whose members change, and all topics above them, before and after. */
  async #refresh(before: TopicGraph, after: TopicGraph): Promise<void> {
    const parents = this.#plan.operations.flatMap((operation): Node[] =>
      operation.type === 'parent' && 'topicId' in operation.parent ? [operation.parent.topicId] : [],
    );
    const touched = [...this.#members.keys(), ...parents];
    const above = touched.flatMap((node) => [...before.ancestorsOf(node), ...after.ancestorsOf(node)]);
    for (const node of new Set([...touched, ...above, ...this.#plan.refresh])) {
      if (this.#isArchived(node)) continue;
      const own = await this.#tallyOf(node);
      let whole = own;
      for (const below of after.descendantsOf(node)) whole = added(whole, await this.#tallyOf(below));
      this.#changes.push({ type: 'refresh', topicId: refTo(node), ...figuresOf(own, whole) });
    }
  }

  #isArchived(node: Node): boolean {
    return typeof node === 'number' && this.#archived.has(node);
  }

  async #tallyOf(node: Node): Promise<Tally> {
    let tally = this.#tallies.get(node);
    if (!tally) {
      tally = this.#readTally(node);
      this.#tallies.set(node, tally);
    }
    return tally;
  }

  async #readTally(node: Node): Promise<Tally> {
    const members =
      this.#members.get(node) ?? (typeof node === 'number' ? await readMembers(this.#store, node) : []);
    const ids = [...members].sort((a, b) => a - b);
    let tally = EMPTY_TALLY;
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = ids.slice(at, at + PAGE);
      const episodes = unitsOfKind('episode', await this.#store.units.get(page));
      tally = added(tally, tallyOf(episodes, await this.#store.indexes.vectors.get(page), this.#now));
    }
    return tally;
  }
}

function refTo(node: Node): TopicRef {
  return typeof node === 'number' ? node : { ref: node };
}

async function compileUnits(store: Store, { operations }: ReorganizationPlan): Promise<UnitChange[]> {
  const units = await store.units.get(operations.flatMap(unitsOf));
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const read = (ids: readonly number[]) => ids.flatMap((id) => byId.get(id) ?? []);
  return operations.flatMap((operation): UnitChange[] => {
    if (operation.type === 'archiveUnits')
      return read(operation.unitIds).map((unit) => change(unit, { state: 'archived' }, operation.reason));
    if (operation.type !== 'mergeUnits') return [];
    const [into] = read([operation.intoId]);
    const others = read(operation.unitIds);
    if (!into) return [];
    const reason = `${operation.reason}: ${into.id}`;
    return [
      change(into, reinforced(into, others), operation.reason),
      ...others.map((unit) => change(unit, { state: 'archived' }, reason)),
    ];
  });
}

function change(unit: Unit, set: Extract<UnitChange, { type: 'update' }>['set'], reason: string): UnitChange {
  return { type: 'update', unitId: unit.id, set, reason, expectedVersion: unit.version };
}
