import type { Embedder } from './embedder.ts';
import { FeatureKind, createFeatures, foldText, readFeatures, type Features } from './static/features.ts';

const DIMENSIONS = 256;
/** Hashes have 32 bits: the lowest eight choose the dimension, the highest the sign. */
const SIGN_BIT = 0x80000000;
const MAX_CHARACTER_GRAM_LENGTH = 3;
const AS_WRITTEN = new Uint16Array(0);

/**
 * An embedder without a model: words with their letter 3- to 5-grams, and 1- to 3-grams of Chinese, Japanese and
 * Korean characters, are hashed into 256 signed dimensions (Weinberger et al. 2009), each with weight 1 +
 * ln(count). Texts of similar spelling have similar vectors. Needs no data, and is deterministic everywhere.
 */
export function createHashedEmbedder(): Embedder {
  const features = createFeatures();
  return {
    id: 'omoide-hashed-v1',
    dimensions: DIMENSIONS,
    batchSize: 256,
    async embed(texts, _purpose, signal) {
      signal?.throwIfAborted();
      return texts.map((text) => {
        readFeatures(foldText(text, AS_WRITTEN), features);
        return hashVector(countFeatures(features));
      });
    },
  };
}

function countFeatures({ hashes, kinds, count }: Features): Map<number, number> {
  const times = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const hash = hashes[i] ?? 0;
    if (isCounted(kinds[i] ?? 0)) times.set(hash, (times.get(hash) ?? 0) + 1);
  }
  return times;
}

/** Word pairs and longer n-grams rarely repeat: without trained weights they are noise. */
function isCounted(kind: number): boolean {
  return kind !== FeatureKind.wordPair && kind <= FeatureKind.characters + MAX_CHARACTER_GRAM_LENGTH;
}

function hashVector(times: ReadonlyMap<number, number>): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [hash, count] of times) {
    const weight = 1 + Math.log(count);
    const at = hash % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + (hash >= SIGN_BIT ? weight : -weight);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
