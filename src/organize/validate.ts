/** Checks whether a plan can be applied. */
import {
  MemoryError,
  parseInput,
  reorganizationPlanSchema,
  SENSITIVITIES,
  type PlanOperation,
  type ReorganizationPlan,
  type Topic,
  type Unit,
  messageOf,
} from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { TopicGraph, type Node } from './graph.ts';

const PAGE = 1_000;

/**
 * Throws for the first error: an id that is unknown or archived, a topic or unit named twice, an id that is not a
 * member or is in two parts, a cycle of topics, archiving an episode, a pinned unit or a note of a file.
 * @throws MemoryError INVALID_INPUT (details: `operation`, its index in the plan)
 */
export async function validatePlan(store: Store, plan: ReorganizationPlan): Promise<void> {
  const { operations, refresh } = parseInput(reorganizationPlanSchema, plan, 'a plan');
  const check = await PlanCheck.open(store, operations, refresh);
  for (const operation of operations) check.take(operation);
  const unknown = refresh.find((id) => !check.isActive(id));
  if (unknown !== undefined) throw invalid(`refresh names topic ${unknown}, which ${check.fate(unknown)}.`);
}

function invalid(message: string, operation?: number): MemoryError {
  return new MemoryError('INVALID_INPUT', message, operation === undefined ? {} : { operation });
}

/** Checks operations one after another against the current state and the changes of the operations before. */
class PlanCheck {
  readonly #topics: ReadonlyMap<number, Topic>;
  readonly #units: ReadonlyMap<number, Unit>;
  readonly #members: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #graph: TopicGraph;
  /** Named in a split or merge. */
  readonly #changed = new Set<number>();
  readonly #mergedAway = new Set<number>();
  /** Children and parents named in `parent` operations. */
  readonly #related = new Set<number>();
  readonly #changedUnits = new Set<number>();
  #taken = 0;

  private constructor(
    topics: readonly Topic[],
    units: readonly Unit[],
    members: ReadonlyMap<number, ReadonlySet<number>>,
  ) {
    this.#topics = new Map(topics.map((topic) => [topic.id, topic]));
    this.#units = new Map(units.map((unit) => [unit.id, unit]));
    this.#members = members;
    this.#graph = new TopicGraph(topics);
  }

  /** Reads everything that the operations name. */
  static async open(
    store: Store,
    operations: readonly PlanOperation[],
    alsoTopics: readonly number[] = [],
  ): Promise<PlanCheck> {
    const topics = await readWithAncestors(store, [...operations.flatMap(topicsOf), ...alsoTopics]);
    const units = await store.units.get([...new Set(operations.flatMap(unitsOf))]);
    const members = new Map<number, ReadonlySet<number>>();
    for (const operation of operations) {
      if (operation.type !== 'split') continue;
      members.set(operation.topicId, await readMembers(store, operation.topicId));
    }
    return new PlanCheck(topics, units, members);
  }

  isActive(topicId: number): boolean {
    return this.#topics.get(topicId)?.state === 'active';
  }

  fate(topicId: number): string {
    return this.#topics.has(topicId) ? 'is archived' : 'does not exist';
  }

  /**
   * Adds an operation; an invalid one leaves the state unchanged.
   * @throws MemoryError INVALID_INPUT
   */
  take(operation: PlanOperation): void {
    const problem = this.#problemOf(operation);
    if (problem !== null)
      throw invalid(`Operation ${this.#taken} (${operation.type}): ${problem}`, this.#taken);
    this.#graph.apply(operation, this.#taken);
    this.#taken += 1;
    if (operation.type === 'split') this.#changed.add(operation.topicId);
    if (operation.type === 'merge') {
      for (const id of [...operation.topicIds, operation.intoId]) this.#changed.add(id);
      for (const id of operation.topicIds) this.#mergedAway.add(id);
    }
    if (operation.type === 'parent') for (const id of topicsOf(operation)) this.#related.add(id);
    for (const id of unitsOf(operation)) this.#changedUnits.add(id);
  }

  #problemOf(operation: PlanOperation): string | null {
    return (
      this.#topicProblem(operation) ??
      (operation.type === 'split' ? this.#splitProblem(operation) : null) ??
      (operation.type === 'merge' || operation.type === 'parent' ? this.#circleProblem(operation) : null) ??
      this.#unitProblem(operation)
    );
  }

  #topicProblem(operation: PlanOperation): string | null {
    const ids = topicsOf(operation);
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    if (twice !== undefined) return `topic ${twice} is named twice.`;
    for (const id of ids) {
      if (!this.isActive(id)) return `topic ${id} ${this.fate(id)}.`;
      if (this.#mergedAway.has(id)) return `topic ${id} is merged into another by this plan.`;
      if (operation.type !== 'parent' && this.#changed.has(id))
        return `topic ${id} is split or merged twice by this plan.`;
    }
    if (operation.type !== 'merge') return null;
    const related = operation.topicIds.find((id) => this.#related.has(id));
    return related === undefined
      ? null
      : `topic ${related} is given a parent or children and merged away by this plan.`;
  }

  #splitProblem({ topicId, into }: Extract<PlanOperation, { type: 'split' }>): string | null {
    const members = this.#members.get(topicId);
    const seen = new Set<number>();
    for (const id of into.flatMap(({ unitIds }) => unitIds)) {
      if (!members?.has(id)) return `unit ${id} is no member of topic ${topicId}.`;
      if (seen.has(id)) return `unit ${id} goes to two topics.`;
      seen.add(id);
    }
    return null;
  }

  #circleProblem(operation: Extract<PlanOperation, { type: 'merge' | 'parent' }>): string | null {
    const links: [child: Node, parent: Node][] =
      operation.type === 'parent'
        ? operation.childIds.flatMap((id) =>
            'topicId' in operation.parent ? [[id, operation.parent.topicId]] : [],
          )
        : [];
    for (const [child, parent] of links)
      if (this.#graph.wouldCircle(child, parent))
        return `topic ${child} would be above and below topic ${parent}.`;
    if (operation.type === 'parent') return null;
    // Merged topics become one node: a path from it back to it would go through a topic both above and below it.
    const merged = new Set<Node>([...operation.topicIds, operation.intoId]);
    for (const id of merged) {
      for (const above of this.#graph.ancestorsOf(id)) {
        const isBetween =
          !merged.has(above) && [...this.#graph.ancestorsOf(above)].some((one) => merged.has(one));
        if (isBetween) return `topic ${above} would be above and below topic ${operation.intoId}.`;
      }
    }
    return null;
  }

  #unitProblem(operation: PlanOperation): string | null {
    const ids = unitsOf(operation);
    const twice = ids.find((id, i) => ids.indexOf(id) !== i || this.#changedUnits.has(id));
    if (twice !== undefined) return `unit ${twice} is named twice.`;
    const into = operation.type === 'mergeUnits' ? this.#units.get(operation.intoId) : undefined;
    for (const id of ids) {
      const unit = this.#units.get(id);
      if (!unit) return `unit ${id} does not exist.`;
      if (unit.state === 'archived') return `unit ${id} is archived.`;
      if (unit.kind === 'episode') return `unit ${id} is an episode, which is evidence and stays.`;
      if (unit === into) continue;
      if (unit.pinned) return `unit ${id} is pinned.`;
      if (unit.kind === 'note' && unit.source === 'note')
        return `unit ${id} is a note that stands in a file.`;
      const problem = into && mergeProblem(unit, into);
      if (problem) return problem;
    }
    return null;
  }
}

function mergeProblem(unit: Unit, into: Unit): string | null {
  if (unit.kind !== into.kind) return `unit ${unit.id} is a ${unit.kind}, unit ${into.id} a ${into.kind}.`;
  const isMoreSensitive = SENSITIVITIES.indexOf(unit.sensitivity) > SENSITIVITIES.indexOf(into.sensitivity);
  return isMoreSensitive ? `unit ${unit.id} is more sensitive than unit ${into.id}.` : null;
}

/**
 * The operations that can be carried out together; earlier ones have priority.
 * @param onNote called for each that cannot
 */
export async function possibleOperations(
  store: Store,
  operations: readonly PlanOperation[],
  onNote: (note: string) => void,
): Promise<PlanOperation[]> {
  const check = await PlanCheck.open(store, operations);
  return operations.filter((operation) => {
    try {
      check.take(operation);
      return true;
    } catch (error) {
      onNote(`Left out: ${messageOf(error)}`);
      return false;
    }
  });
}

/** Every topic that an operation names. */
export function topicsOf(operation: PlanOperation): number[] {
  if (operation.type === 'split') return [operation.topicId];
  if (operation.type === 'merge') return [...operation.topicIds, operation.intoId];
  if (operation.type !== 'parent') return [];
  return [...operation.childIds, ...('topicId' in operation.parent ? [operation.parent.topicId] : [])];
}

/** Every derived unit that an operation names. */
export function unitsOf(operation: PlanOperation): number[] {
  if (operation.type === 'mergeUnits') return [...operation.unitIds, operation.intoId];
  return operation.type === 'archiveUnits' ? operation.unitIds : [];
}

/** These topics and all above them. */
export async function readWithAncestors(store: Store, ids: readonly number[]): Promise<Topic[]> {
  const found = new Map<number, Topic>();
  const asked = new Set<number>();
  for (let open = [...new Set(ids)]; open.length > 0;) {
    for (const id of open) asked.add(id);
    const topics = await store.topics.get(open);
    for (const topic of topics) found.set(topic.id, topic);
    open = [...new Set(topics.flatMap(({ parentIds }) => parentIds))].filter((id) => !asked.has(id));
  }
  return [...found.values()];
}

/** Ids of a topic's own episodes, in order of time. */
export async function readMembers(store: Store, topicId: number): Promise<Set<number>> {
  const ids: number[] = [];
  for (;;) {
    const [last] = await store.units.get(ids.slice(-1));
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const page = await store.topics.membersOf(topicId, { limit: PAGE, ...(after && { after }) });
    ids.push(...page);
    if (page.length < PAGE) return new Set(ids);
  }
}
