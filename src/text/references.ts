/** What an utterance points at without naming it. */
export interface Reference {
  readonly kind: 'anaphora' | 'temporal' | 'ellipsis' | 'topic';
  readonly surface: string;
  /** What it points at, in the recent conversation's words; null when that cannot be told. */
  readonly resolved: string | null;
}

export function findReferences(
  _utterance: string,
  _recent: readonly { readonly speaker: string; readonly text: string }[],
): Reference[] {
  return [];
}
