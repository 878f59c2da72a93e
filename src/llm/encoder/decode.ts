import { createNetwork } from './network.ts';
import { encodePieces } from './pieces.ts';
import { readEncoderFile } from './weights.ts';

/**
 * A small transformer that maps Japanese, Chinese and English to one vector space. Weights are int8; sums are exact
 * integers, or floats added in a fixed order: the same text gives the same vector on every machine.
 */
export interface Encoder {
  readonly dimensions: number;
  /** The most pieces of a text that are read. A piece is a word or part of it, a Chinese character, a Japanese word or kana. */
  readonly maxPieces: number;
  /** The vector of a text, of unit length; all zeros only for a text without content. A new array each time. */
  embed(text: string): Float32Array;
  /** How many pieces of a text are read, including the two marks. */
  countPieces(text: string): number;
}

/** Decodes a data file and keeps reading these bytes. @throws Error when it is not a complete file of this version. */
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
