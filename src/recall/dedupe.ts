import { dot } from '../llm/llm.ts';
import { unitText, type Unit } from '../model/model.ts';
import { diceWith } from '../text/text.ts';

/** Two units say the same when their vectors are closer than this … (Orchestrator §3.4.2) */
const SAME_COSINE = 0.95;
/** … or their characters are. */
const SAME_DICE = 0.9;
/** Texts that share nine tenths of their characters are never further apart than this; it spares comparing them. */
const OTHER_COSINE = 0.6;
/** Short texts (“はい”, “ok”) are alike without being the same memory; length in UTF-16 units. */
const MIN_COMPARED_LENGTH = 12;

export interface Duplicate {
  readonly unitId: number;
  /** The better hit that says the same. */
  readonly of: number;
  readonly by: 'cosine' | 'dice';
}

/**
 * Takes out of a ranking what a better-ranked unit already says, until `limit` are left.
 * @param candidates best first
 * @param vectors of the candidates, unit length; those without one are compared by characters alone
 */
export function dedupe<T extends { readonly unit: Unit }>(
  candidates: readonly T[],
  vectors: ReadonlyMap<number, Float32Array>,
  limit: number,
): { kept: T[]; duplicates: Duplicate[] } {
  const kept: T[] = [];
  const seen: Seen[] = [];
  const duplicates: Duplicate[] = [];
  for (const candidate of candidates) {
    if (kept.length >= limit) break;
    const text = unitText(candidate.unit);
    const same =
      text.length < MIN_COMPARED_LENGTH ? undefined : findSame(text, vectors.get(candidate.unit.id), seen);
    if (same) {
      duplicates.push({ unitId: candidate.unit.id, ...same });
      continue;
    }
    kept.push(candidate);
    seen.push({
      unitId: candidate.unit.id,
      length: text.length,
      vector: vectors.get(candidate.unit.id),
      text,
    });
  }
  return { kept, duplicates };
}

interface Seen {
  readonly unitId: number;
  readonly text: string;
  readonly length: number;
  readonly vector: Float32Array | undefined;
}

function findSame(
  text: string,
  vector: Float32Array | undefined,
  seen: readonly Seen[],
): Omit<Duplicate, 'unitId'> | undefined {
  let likeness: ((other: string) => number) | undefined;
  for (const other of seen) {
    if (other.length < MIN_COMPARED_LENGTH) continue;
    const cosine = vector && other.vector ? dot(vector, other.vector) : null;
    if (cosine !== null && cosine > SAME_COSINE) return { of: other.unitId, by: 'cosine' };
    if (cosine !== null && cosine < OTHER_COSINE) continue;
    // Dice cannot reach the threshold between texts of very different length: 2·min/(a + b).
    if (Math.min(text.length, other.length) / (text.length + other.length) < SAME_DICE / 2) continue;
    likeness ??= diceWith(text);
    if (likeness(other.text) >= SAME_DICE) return { of: other.unitId, by: 'dice' };
  }
  return undefined;
}

/** How many of a ranking can become hits: those asked for, and as many again in reserve. */
export function headSize(limit: number): number {
  return limit * 2;
}
