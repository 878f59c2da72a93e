import { messageOf } from '../../model/model.ts';
import { unitLength } from '../../vectors/vectors.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFeatures, foldText, readFeatures } from './features.ts';
import { NO_ROW, fallbackRow } from './rows.ts';

/**
 * A sentence embedder without a neural network: each feature of a text (a word, some letters, some characters) has
 * a vector, and the text's vector is their normalised sum. Japanese, Chinese and English share one space, where a
 * text is near its translation.
 *
 * The data file, little-endian:
 *
 *     magic "OMOISTAT" | version | width | owned rows o | all rows r | character pairs c     (u32 each)
 *     c × (traditional, simplified)   u16 each
 *     o × hash of the row's feature   u32
 *     r × scale of the row            f32
 *     r × width values                i8, times the row's scale
 */
export interface StaticModel {
  /** Name and version, stored with every vector: vectors of two models are never compared. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * The vector of a text, of unit length; all zeros only for a text without a known letter, digit or pictograph.
   * Reads the first 8,192 UTF-16 code units. A new array each time; deterministic.
   */
  embed(text: string): Float32Array;
  /** The text normalised for its features: compatibility forms, case and traditional Chinese characters. */
  fold(text: string): string;
}

export const MAGIC = 'OMOISTAT';
export const VERSION = 1;
/** Stored with every vector of this model. */
export const STATIC_EMBEDDER_ID = `omoide-static-v${VERSION}`;
export const HEADER_BYTES = MAGIC.length + 5 * 4;

/** The bundled data file. */
export const BUNDLED_MODEL_PATH = fileURLToPath(new URL('./omoide-static-v1.bin', import.meta.url));

interface ModelData {
  readonly width: number;
  readonly fingerprints: Uint32Array;
  readonly rowCount: number;
  readonly scales: Float32Array;
  readonly values: Int8Array;
  readonly simplified: Uint16Array;
}

/**
 * @param path the data file; by default the bundled one.
 * @throws Error when the file is missing, truncated, of another version, or not a model.
 */
export function loadStaticModel(path: string = BUNDLED_MODEL_PATH): StaticModel {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new Error(`The embedder's data file ${path} cannot be read.`, { cause });
  }
  try {
    return decodeStaticModel(bytes);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The embedder's data file ${path} cannot be used: ${reason}`, { cause });
  }
}

/** Decodes a data file. @throws Error when it is not a complete model of this version. */
export function decodeStaticModel(bytes: Buffer): StaticModel {
  const data = readData(bytes);
  const { width, scales, values, rowCount, simplified } = data;
  const ownRows = data.fingerprints.length;
  const rowOf = indexOf(data.fingerprints);
  const features = createFeatures();

  return {
    id: STATIC_EMBEDDER_ID,
    dimensions: width,
    embed(text) {
      readFeatures(foldText(text, simplified), features);
      const sum = new Float32Array(width);
      for (let i = 0; i < features.count; i++) {
        const hash = features.hashes[i] ?? 0;
        let row = rowOf(hash);
        if (row === NO_ROW) row = fallbackRow(hash, features.kinds[i] ?? 0, ownRows, rowCount - ownRows);
        if (row !== NO_ROW) addRow(sum, values, row * width, scales[row] ?? 0);
      }
      return unitLength(sum);
    },
    fold: (text) => foldText(text, simplified),
  };
}

function readData(bytes: Buffer): ModelData {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('it is not an Omoide static model.');
  const field = (index: number): number => bytes.readUInt32LE(MAGIC.length + index * 4);
  if (field(0) !== VERSION)
    throw new Error(`it is of version ${field(0)}, and this program reads ${VERSION}.`);
  const [width, owned, rowCount, pairCount] = [field(1), field(2), field(3), field(4)];
  const expected = HEADER_BYTES + pairCount * 4 + owned * 4 + rowCount * 4 + rowCount * width;
  if (bytes.length !== expected || owned > rowCount)
    throw new Error(`it has ${bytes.length} bytes instead of ${expected}; it was cut short or damaged.`);

  let at = HEADER_BYTES;
  const take = (count: number, size: number): ArrayBuffer => {
    const part = new Uint8Array(bytes.subarray(at, at + count * size));
    at += count * size;
    return part.buffer;
  };
  const pairs = new Uint16Array(take(pairCount * 2, 2));
  const simplified = new Uint16Array(65536);
  for (let i = 0; i < pairs.length; i += 2) simplified[pairs[i] ?? 0] = pairs[i + 1] ?? 0;
  const fingerprints = new Uint32Array(take(owned, 4));
  const scales = new Float32Array(take(rowCount, 4));
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + at, rowCount * width);
  return { width, fingerprints, rowCount, scales, values, simplified };
}

/** A hash table from hash to row: open addressing, at most half full. */
function indexOf(fingerprints: Uint32Array): (hash: number) => number {
  const mask = 2 ** Math.ceil(Math.log2(fingerprints.length * 2 + 2)) - 1;
  const slots = new Int32Array(mask + 1).fill(NO_ROW);
  for (let row = 0; row < fingerprints.length; row++) {
    let slot = (fingerprints[row] ?? 0) & mask;
    while (slots[slot] !== NO_ROW) slot = (slot + 1) & mask;
    slots[slot] = row;
  }
  return (hash) => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot] ?? NO_ROW;
      if (row === NO_ROW || fingerprints[row] === hash) return row;
    }
  };
}

function addRow(sum: Float32Array, values: Int8Array, offset: number, scale: number): void {
  for (let d = 0; d < sum.length; d++) sum[d]! += scale * values[offset + d]!;
}
