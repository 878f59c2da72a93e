// Selects the features with their own row, and the initial rows.

import { createFeatures, FeatureKind, foldText, readFeatures } from '../src/llm/static/features.ts';
import { NO_ROW, SHARED_PARTS, fallbackRow } from '../src/llm/static/rows.ts';

export interface Vocabulary {
  /** The feature hash of each row that belongs to one feature. */
  readonly fingerprints: Uint32Array;
  /** The length of each row's initial, random vector: the feature's weight before training. */
  readonly weights: Float32Array;
  /** The factor of each finished row. */
  readonly finish: Float32Array;
  /** The kind of each row's features (FeatureKind). */
  readonly kinds: Uint8Array;
  readonly rowCount: number;
  rowsOf(text: string): Uint32Array;
}

/** By kind: word, pair, mark, letters 3–5, characters 1–4. Measured without training, on n-gram cosines alone. */
const KIND_WEIGHT = [1.5, 0.3, 0.5, 0.45, 0.45, 0.45, 1, 0.25, 0.1, 0.07];
/** The same for the shared rows of words, letters, characters and pairs of characters. */
const SHARED_WEIGHT = [1.2, 0.8, 1.4, 0.4];
/**
 * The factors of the finished rows: in text of another kind than the training texts, a common pair of characters tells
 * less. Lower values improve Japanese sentence similarity, higher ones keyword-like retrieval of turns.
 */
const FINISH = [1, 1, 1, 1, 1, 1, 1, 0.78, 1, 1];
const SHARED_FINISH = [1, 1, 1, 0.78];
/** The priority of each kind for own rows, relative to its frequency. */
const KIND_PRIORITY = [2, 0.3, 9, 0.5, 0.5, 0.5, 2, 1, 0.5, 0.35];
/** A feature found in a share p of the texts weighs a / (a + p): smooth inverse frequency (Arora et al. 2017). */
const FREQUENCY_SCALE = 3e-3;

interface Count {
  count: number;
  readonly kind: number;
}

function countFeatures(
  texts: Iterable<[text: string, weight: number]>,
  simplified: Uint16Array,
): [Map<number, Count>, number] {
  const features = createFeatures();
  const counts = new Map<number, Count>();
  let total = 0;
  for (const [text, weight] of texts) {
    readFeatures(foldText(text, simplified), features);
    total += weight;
    const seen = new Set<number>();
    for (let i = 0; i < features.count; i++) {
      const hash = features.hashes[i] ?? 0;
      if (seen.has(hash)) continue;
      seen.add(hash);
      const entry = counts.get(hash);
      if (entry === undefined) counts.set(hash, { count: weight, kind: features.kinds[i] ?? 0 });
      else entry.count += weight;
    }
  }
  return [counts, total];
}

/** @param texts each text with its weight in the counts. */
export function chooseVocabulary(
  texts: Iterable<[text: string, weight: number]>,
  simplified: Uint16Array,
  ownRows: number,
  sharedRows: number,
): Vocabulary {
  const [counts, total] = countFeatures(texts, simplified);
  const priority = ({ count, kind }: Count): number => count * (KIND_PRIORITY[kind] ?? 0);
  const chosen = [...counts].sort((a, b) => priority(b[1]) - priority(a[1]) || a[0] - b[0]).slice(0, ownRows);
  const rowCount = ownRows + sharedRows;
  const weights = new Float32Array(rowCount);
  const rowKinds = new Uint8Array(rowCount);
  const finish = new Float32Array(rowCount);
  SHARED_PARTS.forEach(({ kinds, from, share }, i) => {
    const start = ownRows + (from * sharedRows) / 24;
    const end = start + (share * sharedRows) / 24;
    weights.fill(SHARED_WEIGHT[i] ?? 0, start, end);
    rowKinds.fill(kinds[0], start, end);
    finish.fill(SHARED_FINISH[i] ?? 1, start, end);
  });
  const rowOf = new Map<number, number>();
  chosen.forEach(([hash, { count, kind }], row) => {
    rowOf.set(hash, row);
    rowKinds[row] = kind;
    finish[row] = FINISH[kind] ?? 1;
    const share = count / total;
    weights[row] = ((KIND_WEIGHT[kind] ?? 0) * FREQUENCY_SCALE) / (FREQUENCY_SCALE + share);
  });
  const features = createFeatures();
  return {
    fingerprints: Uint32Array.from(chosen, ([hash]) => hash),
    weights,
    finish,
    kinds: rowKinds,
    rowCount,
    rowsOf(text) {
      readFeatures(foldText(text, simplified), features);
      const rows: number[] = [];
      for (let i = 0; i < features.count; i++) {
        const hash = features.hashes[i] ?? 0;
        const row =
          rowOf.get(hash) ?? fallbackRow(hash, features.kinds[i] ?? FeatureKind.word, ownRows, sharedRows);
        if (row !== NO_ROW) rows.push(row);
      }
      return Uint32Array.from(rows);
    },
  };
}
