import { BUNDLED_EMBEDDER_ID } from '../llm/llm.ts';
import type { Store, VectorModel } from '../store/store.ts';

/** The mean and standard deviation of the cosine of two random units' vectors. */
export interface CosineScale {
  readonly mean: number;
  readonly spread: number;
}

/** The bundled embedder's, over conversations in three languages (means .27 to .45, spreads .10 to .15). */
const BUNDLED: CosineScale = { mean: 0.38, spread: 0.12 };
/** Lower limit: no model has a smaller spread; in a memory with one, the units say nearly the same. */
const MIN_RELATIVE_SPREAD = 0.2;
/** Number of units whose vectors are sampled, evenly from the first to the last. */
const SAMPLE = 256;
/** With fewer vectors the measured spread would be random. */
const MIN_VECTORS = 24;
/** The spread is measured again when the memory has grown by this factor. */
const GROWTH = 2;

interface Measured {
  readonly modelId: string;
  readonly count: number;
  readonly scale: Promise<ScaleToBundled>;
}

const measuredOf = new WeakMap<Store, Measured>();

/** Converts cosines of a memory's embedder to the scale of the bundled one, for which the weights of recall were fitted. */
export interface ScaleToBundled {
  /** The embedder's standard deviation as a multiple of the bundled one's. */
  readonly spread: number;
  /** Converts a cosine to the scale of the bundled embedder. */
  asBundled(cosine: number): number;
}

const SAME: ScaleToBundled = { spread: 1, asBundled: (cosine) => cosine };

/**
 * How the cosines of a memory's embedder compare with the bundled one's. Models differ: one gives cosines from −.1 to
 * .9, another from .75 to .95. The scale is measured on the memory's own vectors at the first call and again as the
 * memory grows. It is the identity for the bundled embedder and while there are few vectors.
 */
export async function bundledScale(store: Store, model: VectorModel | null): Promise<ScaleToBundled> {
  if (model === null || model.count < MIN_VECTORS || model.id === BUNDLED_EMBEDDER_ID) return SAME;
  const { id: modelId, count } = model;
  const kept = measuredOf.get(store);
  if (kept?.modelId === modelId && count < kept.count * GROWTH) return kept.scale;
  const scale = measure(store);
  measuredOf.set(store, { modelId, count, scale });
  return scale;
}

async function measure(store: Store): Promise<ScaleToBundled> {
  const [newest] = await store.units.list({}, { limit: 1 });
  if (newest === undefined) return SAME;
  const step = Math.max(1, newest.id / SAMPLE);
  const unitIds = Array.from({ length: Math.floor(newest.id / step) }, (_, i) => Math.floor((i + 1) * step));
  const measured = cosineScaleOf([...(await store.indexes.vectors.get(unitIds)).values()]);
  if (measured === null) return SAME;
  const spread = Math.max(MIN_RELATIVE_SPREAD, measured.spread / BUNDLED.spread);
  return { spread, asBundled: (cosine) => BUNDLED.mean + (cosine - measured.mean) / spread };
}

/** The scale of vectors of length 1, over all pairs. Null for fewer than two vectors, and when all are alike. */
export function cosineScaleOf(vectors: readonly Float32Array[]): CosineScale | null {
  const dimensions = vectors[0]?.length ?? 0;
  // One array for all: V8 runs a loop over arrays of one type several times as fast as `dot`, which takes any.
  const values = new Float32Array(vectors.length * dimensions);
  for (const [i, vector] of vectors.entries()) values.set(vector, i * dimensions);
  let [pairs, sum, squares] = [0, 0, 0];
  const add = (cosine: number) => {
    pairs += 1;
    sum += cosine;
    squares += cosine * cosine;
  };
  for (let a = 0; a < values.length; a += dimensions) {
    let b = a + dimensions;
    // Four at a time: their sums do not wait for each other.
    for (; b + 3 * dimensions < values.length; b += 4 * dimensions) {
      let [one, two, three, four] = [0, 0, 0, 0];
      for (let i = 0; i < dimensions; i += 1) {
        const value = values[a + i]!;
        const at = b + i;
        one += value * values[at]!;
        two += value * values[at + dimensions]!;
        three += value * values[at + 2 * dimensions]!;
        four += value * values[at + 3 * dimensions]!;
      }
      add(one);
      add(two);
      add(three);
      add(four);
    }
    for (; b < values.length; b += dimensions) {
      let cosine = 0;
      for (let i = 0; i < dimensions; i += 1) cosine += values[a + i]! * values[b + i]!;
      add(cosine);
    }
  }
  const mean = sum / pairs;
  const spread = Math.sqrt(Math.max(0, squares / pairs - mean * mean));
  return pairs > 0 && spread > 0 ? { mean, spread } : null;
}
