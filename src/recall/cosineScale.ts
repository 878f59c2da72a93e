import { BUNDLED_EMBEDDER_ID, dot, STATIC_EMBEDDER_ID } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';

/** Of two units drawn at random: the mean and standard deviation of the cosine of their vectors. */
export interface CosineScale {
  readonly mean: number;
  readonly spread: number;
}

/** The bundled embedder's, over conversations in three languages (.11 to .14). */
const BUNDLED_SPREAD = 0.12;
const MEASURED_BEFORE: ReadonlySet<string> = new Set([BUNDLED_EMBEDDER_ID, STATIC_EMBEDDER_ID]);
/** No model's is less; where the units are, they say nearly the same. */
const MIN_RELATIVE_SPREAD = 0.2;
/** Units whose vectors are read, evenly from the memory's first to its last. */
const SAMPLE = 256;
/** With fewer vectors than this the spread would be chance. */
const MIN_VECTORS = 24;
/** The spread is measured again when the memory has grown by so much. */
const GROWTH = 2;

interface Measured {
  readonly modelId: string;
  readonly count: number;
  readonly spread: Promise<number>;
}

const measuredOf = new WeakMap<Store, Measured>();

/**
 * How far apart cosines lie under a memory's embedder, as a multiple of what is usual with the bundled one, for which the weights of recall
 * were fitted. Models differ: one lets cosines range from −.1 to .9, another from .75 to .95. Measured on the memory's own vectors
 * when it is first asked for, and again as the memory grows; 1 for the bundled embedder and while there are few vectors.
 */
export async function relativeSpread(store: Store): Promise<number> {
  const model = await store.indexes.vectors.model();
  if (model === null || model.count < MIN_VECTORS || MEASURED_BEFORE.has(model.id)) return 1;
  const { id: modelId, count } = model;
  const kept = measuredOf.get(store);
  if (kept?.modelId === modelId && count < kept.count * GROWTH) return kept.spread;
  const spread = measureSpread(store);
  measuredOf.set(store, { modelId, count, spread });
  return spread;
}

async function measureSpread(store: Store): Promise<number> {
  const [newest] = await store.units.list({}, { limit: 1 });
  if (newest === undefined) return 1;
  const step = Math.max(1, newest.id / SAMPLE);
  const unitIds = Array.from({ length: Math.floor(newest.id / step) }, (_, i) => Math.floor((i + 1) * step));
  const scale = cosineScaleOf([...(await store.indexes.vectors.get(unitIds)).values()]);
  return scale === null ? 1 : Math.max(MIN_RELATIVE_SPREAD, scale.spread / BUNDLED_SPREAD);
}

/** The scale of vectors of length one, over all pairs. Null for fewer than two, and where all are alike. */
export function cosineScaleOf(vectors: readonly Float32Array[]): CosineScale | null {
  let [pairs, sum, squares] = [0, 0, 0];
  for (const [i, a] of vectors.entries()) {
    for (const b of vectors.slice(i + 1)) {
      const cosine = dot(a, b);
      pairs += 1;
      sum += cosine;
      squares += cosine * cosine;
    }
  }
  const mean = sum / pairs;
  const spread = Math.sqrt(Math.max(0, squares / pairs - mean * mean));
  return pairs > 0 && spread > 0 ? { mean, spread } : null;
}
