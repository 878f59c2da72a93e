import { FeatureKind } from './features.ts';

export const NO_ROW = -1;

/**
 * The rows after the owned ones are shared: a feature without its own row uses one by its hash, so that an unknown
 * name is still similar to itself. Each kind has a share of them, in 24ths: words and marks, n-grams of letters,
 * single characters, pairs of characters. Unknown word pairs and longer n-grams of characters mean nothing, and
 * have no row.
 */
export const SHARED_PARTS = [
  { kinds: [FeatureKind.word, FeatureKind.mark], from: 0, share: 6 },
  { kinds: [FeatureKind.letters + 3, FeatureKind.letters + 4, FeatureKind.letters + 5], from: 6, share: 8 },
  { kinds: [FeatureKind.characters + 1], from: 14, share: 2 },
  { kinds: [FeatureKind.characters + 2], from: 16, share: 8 },
] as const;

const PARTS = 24;
const partOfKind = Array.from({ length: FeatureKind.characters + 5 }, (_, kind) =>
  SHARED_PARTS.find((part) => part.kinds.some((one) => one === kind)),
);

/** The shared row of a feature without its own row, or NO_ROW. `sharedRows` is a multiple of 24. */
export function fallbackRow(hash: number, kind: number, ownRows: number, sharedRows: number): number {
  const part = partOfKind[kind];
  if (part === undefined || sharedRows === 0) return NO_ROW;
  const unit = sharedRows / PARTS;
  return ownRows + part.from * unit + (hash % (part.share * unit));
}
