// Writes the data file for src/llm/static/static.ts, which describes the layout.

import { HEADER_BYTES, MAGIC, VERSION } from '../src/llm/static/static.ts';

export interface TrainedModel {
  readonly width: number;
  /** The feature hash of each row that belongs to one feature; these rows come first. */
  readonly fingerprints: Uint32Array;
  /** All rows, own and shared, row-major. */
  readonly rows: Float32Array;
  /** The factor of each row's scale. */
  readonly finish: Float32Array;
  /** For each code unit its simplified character, or 0. */
  readonly simplified: Uint16Array;
}

/** Each row as int8 with its own scale: the largest magnitude becomes 127. */
function quantise(rows: Float32Array, width: number): { scales: Float32Array; values: Int8Array } {
  const scales = new Float32Array(rows.length / width);
  const values = new Int8Array(rows.length);
  scales.forEach((_, row) => {
    let largest = 0;
    for (let i = row * width; i < (row + 1) * width; i++) largest = Math.max(largest, Math.abs(rows[i] ?? 0));
    const scale = Math.fround(largest / 127);
    scales[row] = scale;
    if (scale === 0) return;
    for (let i = row * width; i < (row + 1) * width; i++) values[i] = Math.round((rows[i] ?? 0) / scale);
  });
  return { scales, values };
}

function bytesOf(array: Uint16Array | Uint32Array | Float32Array | Int8Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

export function encodeModel(model: TrainedModel): Buffer {
  const rowCount = model.rows.length / model.width;
  const pairs: number[] = [];
  model.simplified.forEach((to, from) => {
    if (to !== 0) pairs.push(from, to);
  });
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  [VERSION, model.width, model.fingerprints.length, rowCount, pairs.length / 2].forEach((field, i) =>
    header.writeUInt32LE(field, MAGIC.length + i * 4),
  );
  const { scales, values } = quantise(model.rows, model.width);
  return Buffer.concat([
    header,
    bytesOf(Uint16Array.from(pairs)),
    bytesOf(model.fingerprints),
    bytesOf(scales.map((scale, row) => scale * (model.finish[row] ?? 1))),
    bytesOf(values),
  ]);
}
