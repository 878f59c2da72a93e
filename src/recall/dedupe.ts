import { dot } from '../vectors/vectors.ts';
import { unitText, type Unit } from '../model/model.ts';
import { nameOtherNumbers, sketchLikeness, type Sketch } from '../text/text.ts';

/** Minimum cosine of the vectors of two units that say the same. (Orchestrator §3.4.2) */
const SAME_COSINE = 0.95;
/** Minimum similarity of the texts of two units that say the same, if their vectors differ more. */
const SAME_WORDING = 0.9;
/** Short texts (“はい”, “ok”) may be equal without being the same memory; length in UTF-16 units. */
const MIN_COMPARED_LENGTH = 12;

export interface Duplicate {
  readonly unitId: number;
  /** The better hit that says the same. */
  readonly of: number;
  readonly by: 'cosine' | 'wording';
}

/** What duplicates are detected by. */
export interface Fingerprints {
  /** Unit length; units without a vector are compared by text only. */
  readonly vectors: ReadonlyMap<number, Float32Array>;
  readonly sketch: (unit: Unit) => Sketch;
}

/**
 * Removes from a ranking units that repeat a better-ranked one, until `limit` are left. Units with different numbers in
 * their texts are never duplicates.
 * @param candidates best first
 */
export function dedupe<T extends { readonly unit: Unit }>(
  candidates: readonly T[],
  { vectors, sketch }: Fingerprints,
  limit: number,
): { kept: T[]; duplicates: Duplicate[] } {
  const kept: T[] = [];
  const seen: Seen[] = [];
  const duplicates: Duplicate[] = [];
  for (const candidate of candidates) {
    if (kept.length >= limit) break;
    const { unit } = candidate;
    const isCompared = unitText(unit).length >= MIN_COMPARED_LENGTH;
    const own = { unitId: unit.id, vector: vectors.get(unit.id), sketch: isCompared ? sketch(unit) : null };
    const same = findSame(own, seen);
    if (same) {
      duplicates.push({ unitId: unit.id, ...same });
      continue;
    }
    kept.push(candidate);
    seen.push(own);
  }
  return { kept, duplicates };
}

interface Seen {
  readonly unitId: number;
  readonly vector: Float32Array | undefined;
  /** Null: too short to be compared. */
  readonly sketch: Sketch | null;
}

function findSame(own: Seen, seen: readonly Seen[]): Omit<Duplicate, 'unitId'> | undefined {
  if (own.sketch === null) return undefined;
  for (const other of seen) {
    if (other.sketch === null || nameOtherNumbers(own.sketch, other.sketch)) continue;
    if (own.vector && other.vector && dot(own.vector, other.vector) > SAME_COSINE)
      return { of: other.unitId, by: 'cosine' };
    if (sketchLikeness(own.sketch, other.sketch) >= SAME_WORDING) return { of: other.unitId, by: 'wording' };
  }
  return undefined;
}

/** How many candidates can become hits: the requested number and as many again in reserve. */
export function headSize(limit: number): number {
  return limit * 2;
}
