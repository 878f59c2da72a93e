// Writes the data file for src/llm/emotion/classifier.ts, which describes the layout.

import { HEADER_BYTES, MAGIC, VERSION, type ClassifierWeights } from '../../src/llm/emotion/classifier.ts';
import { KEY_COUNT, VECTOR_WIDTH } from '../../src/llm/emotion/sentence.ts';
import type { Fitted } from './fit.ts';

/** The feature weights as int8 with one scale for each key: the largest magnitude becomes 127. */
export function quantise(fitted: Fitted, calibration: Float32Array): ClassifierWeights {
  const { bias, cues, vector, hashes } = fitted;
  const scales = new Float32Array(KEY_COUNT);
  fitted.features.forEach((weight, i) => {
    const k = i % KEY_COUNT;
    scales[k] = Math.max(scales[k] ?? 0, Math.abs(weight) / 127);
  });
  const features = Int8Array.from(fitted.features, (weight, i) =>
    Math.round(weight / (scales[i % KEY_COUNT] || 1)),
  );
  return { calibration, bias, cues, vector, scales, hashes, features };
}

export function encodeWeights(weights: ClassifierWeights): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  [VERSION, VECTOR_WIDTH, weights.hashes.length].forEach((field, i) =>
    header.writeUInt32LE(field, MAGIC.length + i * 4),
  );
  const { calibration, bias, cues, vector, scales, hashes, features } = weights;
  const parts = [calibration, bias, cues, vector, scales, hashes, features];
  return Buffer.concat([
    header,
    ...parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}
