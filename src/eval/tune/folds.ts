/** Divides queries into folds for cross-validation. */

/**
 * By conversation; or, if a set is one conversation, by ranges of its queries. The latter overestimates: the weights
 * are fitted to turns of the same people.
 */
export type FoldKind = 'conversations' | 'stretches';

export interface Folds {
  readonly kind: FoldKind;
  /** By query, from 0. */
  readonly of: readonly number[];
  readonly count: number;
}

/**
 * Divides the queries of one set into folds of about equal size. All queries of a conversation are in one fold.
 * @param conversations the conversation of each query, in the order of the set
 * @param max maximum number of folds; fewer if there are fewer conversations
 */
export function divide(conversations: readonly string[], max: number): Folds {
  const sizes = new Map<string, number>();
  for (const id of conversations) sizes.set(id, (sizes.get(id) ?? 0) + 1);
  if (sizes.size < 2) return stretches(conversations.length, max);
  const count = Math.min(max, sizes.size);
  const filled = Array.from({ length: count }, () => 0);
  const foldOf = new Map<string, number>();
  // The largest first, each into the smallest fold. Sorting is stable: of equal ones, the first in the set comes first.
  for (const [id, size] of [...sizes].toSorted((a, b) => b[1] - a[1])) {
    const emptiest = filled.indexOf(Math.min(...filled));
    foldOf.set(id, emptiest);
    filled[emptiest]! += size;
  }
  return { kind: 'conversations', of: conversations.map((id) => foldOf.get(id) ?? 0), count };
}

function stretches(queries: number, max: number): Folds {
  const count = Math.min(max, queries);
  const of = Array.from({ length: queries }, (_, index) => Math.floor((index * count) / queries));
  return { kind: 'stretches', of, count };
}
