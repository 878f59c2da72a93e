/** The classifier's inputs for a sentence. */
import { EMOTION_KEYS } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { staticModel } from '../bundled.ts';
import { createFeatures, readFeatures, type Features } from '../static/features.ts';
import { emotionOfCues } from './cues.ts';

export const KEY_COUNT = EMOTION_KEYS.length;
/** For each key how strongly words express it, then how strongly they deny it, then how strongly they ask about it. */
export const CUE_COUNT = 3 * KEY_COUNT;
/** The offsets of the denied ones, and of those asked about. */
export const DENIED = 1 * KEY_COUNT;
const ASKED = 2 * KEY_COUNT;
/** Dimensions of the bundled embedder's vector. */
export const VECTOR_WIDTH = 256;

export interface SentenceView {
  /** Hashes of words, letters and characters, without repeats. */
  readonly hashes: Uint32Array;
  /** The bundled embedder's vector, of unit length. */
  readonly vector: Float32Array;
  /** 0..1 each. */
  readonly cues: Float32Array;
}

let features: Features | undefined;

/** @throws MemoryError EMBEDDER_FAILED when the embedder's data file is missing or damaged. */
export function viewSentence(text: string, language: Language): SentenceView {
  const model = staticModel();
  features ??= createFeatures();
  readFeatures(model.fold(text), features);
  const hashes = Uint32Array.from(new Set(features.hashes.subarray(0, features.count)));
  return { hashes, vector: model.embed(text), cues: cuesOf(text, language) };
}

/** A question may be about somebody else's emotion: "Are you sad?", 怒ってるの？, 你难过吗 */
const QUESTION = /[?？][\s"”'’」』）)]*$|[吗嗎][。.]?$|か[。.]?$/;

function cuesOf(text: string, language: Language): Float32Array {
  const { values } = emotionOfCues(text, language);
  const cues = new Float32Array(CUE_COUNT);
  const shown = QUESTION.test(text) ? ASKED : 0;
  EMOTION_KEYS.forEach((key, k) => {
    const value = values[key] ?? 0;
    cues[k + (value < 0 ? DENIED : shown)] = Math.abs(value);
  });
  return cues;
}
