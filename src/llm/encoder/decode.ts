import { createNetwork } from './network.ts';
import { encodePieces } from './pieces.ts';
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
