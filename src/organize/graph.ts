/** The hierarchy of topics as it would be after a plan. */
import type { PlanOperation, Topic } from '../model/model.ts';

/** An existing topic, or `operation/place`: one that the plan adds. */
export type Node = number | string;

/** The name of a topic that an operation adds: the `place`-th of a split, or (0) the parent. */
export function refOf(operation: number, place: number): string {
  return `${operation}/${place}`;
}

const NONE: ReadonlySet<Node> = new Set();

export class TopicGraph {
  readonly #parents = new Map<Node, Set<Node>>();
  readonly #children = new Map<Node, Set<Node>>();

  constructor(topics: readonly Pick<Topic, 'id' | 'parentIds'>[]) {
    for (const { id, parentIds } of topics) for (const parentId of parentIds) this.#link(id, parentId);
  }

  parentsOf(node: Node): ReadonlySet<Node> {
    return this.#parents.get(node) ?? NONE;
  }

  childrenOf(node: Node): ReadonlySet<Node> {
    return this.#children.get(node) ?? NONE;
  }

  /** Everything above a node. */
  ancestorsOf(node: Node): Set<Node> {
    return reachable(node, (one) => this.parentsOf(one));
  }

  /** Everything below a node. */
  descendantsOf(node: Node): Set<Node> {
    return reachable(node, (one) => this.childrenOf(one));
  }

  /** Applies an operation, the `index`-th of its plan, to the graph. */
  apply(operation: PlanOperation, index: number): void {
    if (operation.type === 'split') {
      for (const place of operation.into.keys()) this.#link(refOf(index, place), operation.topicId);
    } else if (operation.type === 'merge') {
      for (const topicId of operation.topicIds) this.#merge(topicId, operation.intoId);
    } else if (operation.type === 'parent') {
      const parent = 'topicId' in operation.parent ? operation.parent.topicId : refOf(index, 0);
      for (const childId of operation.childIds) this.#link(childId, parent);
    }
  }

  /** Whether `child` below `parent` would make a cycle. */
  wouldCircle(child: Node, parent: Node): boolean {
    return child === parent || this.ancestorsOf(parent).has(child);
  }

  #link(child: Node, parent: Node): void {
    this.#parents.set(child, (this.#parents.get(child) ?? new Set()).add(parent));
    this.#children.set(parent, (this.#children.get(parent) ?? new Set()).add(child));
  }

  #unlink(child: Node, parent: Node): void {
    this.#parents.get(child)?.delete(parent);
    this.#children.get(parent)?.delete(child);
  }

  #merge(from: Node, into: Node): void {
    for (const parent of this.parentsOf(from)) {
      this.#unlink(from, parent);
      if (parent !== into) this.#link(into, parent);
    }
    for (const child of this.childrenOf(from)) {
      this.#unlink(child, from);
      if (child !== into) this.#link(child, into);
    }
  }
}

function reachable(start: Node, next: (node: Node) => ReadonlySet<Node>): Set<Node> {
  const found = new Set<Node>();
  const open = [...next(start)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    open.push(...next(node));
  }
  return found;
}
