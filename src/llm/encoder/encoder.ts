import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createBulkEncoder, type BulkEncoder } from './bulk.ts';
import { encodePieces } from './pieces.ts';
import { createNetwork } from './network.ts';
import { readEncoderFile } from './weights.ts';

/**
 * A small transformer that reads Japanese, Chinese and English into one space. Weights are int8, sums are exact integers or floats
 * added in a fixed order: the same text gives the same vector on every machine.
 */
export interface Encoder {
  readonly dimensions: number;
  /** The most pieces read of a text; the rest is left out. A piece is a word or part of it, a Chinese character, a Japanese word or kana. */
  readonly maxPieces: number;
  /** The vector of a text, of length one; all zeros only for a text without anything to read. A new array each time. */
  embed(text: string): Float32Array;
  /** How many pieces are read of a text, two marks included. */
  countPieces(text: string): number;
}

/** @throws Error when the data file is missing, cut short, of another version, or no encoder at all. */
export function loadEncoder(path: string): Encoder {
  return decodeFile(path, readEncoderBytes(path));
}

/** An encoder for single texts at once, and one for many in worker threads, over one copy of the data. @throws as `loadEncoder`. */
export function loadEncoders(path: string): { readonly encoder: Encoder; readonly bulk: BulkEncoder } {
  const bytes = readEncoderBytes(path);
  const encoder = decodeFile(path, bytes);
  return { encoder, bulk: createBulkEncoder(bytes, encoder.dimensions) };
}

function decodeFile(path: string, bytes: SharedArrayBuffer): Encoder {
  try {
    return decodeEncoder(new Uint8Array(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The encoder's data file ${path} cannot be used: ${reason}`, { cause });
  }
}

/** The file in memory that threads can share. */
function readEncoderBytes(path: string): SharedArrayBuffer {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
    let read = 0;
    for (let more = -1; more !== 0 && read < bytes.length; read += more)
      more = readSync(file, bytes, read, bytes.length - read, read);
    return bytes.buffer;
  } catch (cause) {
    throw new Error(`The encoder's data file ${path} cannot be read.`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The encoder in the bytes of a data file, which it goes on reading. @throws Error when they are no whole file of this version. */
export function decodeEncoder(bytes: Uint8Array): Encoder {
  const file = readEncoderFile(bytes);
  const ids = new Map(file.pieces.map((piece, id) => [piece, id]));
  const network = createNetwork(bytes, file);
  const { dimensions, positions } = file.shape;
  return {
    dimensions,
    maxPieces: positions,
    embed(text) {
      const pieces = encodePieces(text, ids, positions);
      return pieces.length > 2 ? network.run(pieces) : new Float32Array(dimensions);
    },
    countPieces: (text) => encodePieces(text, ids, positions).length,
  };
}

/** The bundled data file. */
export const ENCODER_PATH = fileURLToPath(new URL('./omoide-encoder-v1.bin', import.meta.url));
