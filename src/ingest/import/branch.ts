import type { Fields } from '../../model/model.ts';

export interface Tree {
  readonly nodes: ReadonlyMap<string, Fields>;
  /** The id of a node's parent; any value that is not the id of another node means no parent. */
  readonly parentOf: (node: Fields) => unknown;
  /** When a node was created, to find the newest branch. */
  readonly timeOf: (node: Fields) => number;
}

/**
 * The messages of a chat with edited messages and regenerated answers: the branch from the first message to
 * `shown`, the one shown last, or to the newest when `shown` is not known.
 */
export function branchOf({ nodes, parentOf, timeOf }: Tree, shown: unknown): Fields[] {
  const branch: Fields[] = [];
  const seen = new Set<unknown>();
  let id: unknown = typeof shown === 'string' && nodes.has(shown) ? shown : newestLeaf();
  while (typeof id === 'string' && !seen.has(id)) {
    seen.add(id);
    const node = nodes.get(id);
    if (!node) break;
    branch.push(node);
    id = parentOf(node);
  }
  return branch.reverse();

  function newestLeaf(): string | null {
    const parents = new Set([...nodes.values()].map(parentOf));
    const leaves = [...nodes].filter(([id]) => !parents.has(id));
    const newest = leaves.reduce<[string, Fields] | null>(
      (best, leaf) => (best !== null && timeOf(best[1]) > timeOf(leaf[1]) ? best : leaf),
      null,
    );
    return newest?.[0] ?? null;
  }
}
