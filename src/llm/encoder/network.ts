import { createKernel, type Products } from './kernel.ts';
import type { EncoderFile, LayerPlace, LinearPlace, NormPlace } from './weights.ts';

/** Runs the layers: from ids of pieces to a vector. It uses one memory, so it processes one text at a time. */
export interface Network {
  /** The vector of a text of at most `positions` pieces, of unit length. */
  run(ids: readonly number[]): Float32Array;
}

/** Addresses of intermediate results, with space for the longest text. */
interface Scratch {
  readonly x: number;
  readonly wide: number;
  readonly mixed: number;
  readonly quantized: number;
  readonly scales: number;
  readonly scores: number;
  /** The sums of the rows of all weights, one after another. */
  readonly rowSums: number;
  readonly bytes: number;
}

/** Extra space for attention scores in addition to one for each token. */
const SPARE_SCORES = 16;

/** @param products default: the fastest on this processor */
export function createNetwork(bytes: Uint8Array, file: EncoderFile, products?: Products): Network {
  const { shape } = file;
  const { width, positions, dimensions } = shape;
  const trunkBytes = file.end - file.trunk;
  const kernel = createKernel(trunkBytes + layOut(0, file).bytes, products);
  const { memory, freeFrom } = kernel;
  new Uint8Array(memory.buffer, freeFrom, trunkBytes).set(bytes.subarray(file.trunk, file.end));
  const at = layOut(freeFrom + trunkBytes, file);
  const place = (inFile: number): number => inFile - file.trunk + freeFrom;
  const rowSums = new Map<LinearPlace, number>();
  let rows = 0;
  for (const linear of linearsOf(file)) {
    const sums = at.rowSums + 4 * rows;
    kernel.pack(place(linear.values), linear.inputs, linear.outputs, sums);
    rowSums.set(linear, sums);
    rows += linear.outputs;
  }
  const buffer = bytes.buffer;
  const tableScales = new Float32Array(buffer, bytes.byteOffset + file.table.scales, shape.pieces);
  const table = new Int8Array(buffer, bytes.byteOffset + file.table.values, shape.pieces * width);
  const position = new Float32Array(buffer, bytes.byteOffset + file.positions, positions * width);
  const x = new Float32Array(memory.buffer, at.x, positions * width);
  const mixed = new Float32Array(memory.buffer, at.mixed, Math.max(positions * width, 2 * width));
  const answer = new Float32Array(memory.buffer, at.wide, dimensions);

  function lookUp(ids: readonly number[]): void {
    for (const [t, id] of ids.entries()) {
      const scale = tableScales[id] ?? 0;
      const from = id * width;
      const to = t * width;
      for (let d = 0; d < width; d++) x[to + d] = (table[from + d] ?? 0) * scale + (position[to + d] ?? 0);
    }
  }

  function norm({ gain, shift }: NormPlace, count: number): void {
    kernel.layer_norm(at.x, place(gain), place(shift), count, width);
  }

  /** to = from · weightsᵀ + bias, or added to what `to` holds. */
  function multiply(linear: LinearPlace, count: number, { from, to, mode = 'set' }: Product): void {
    const { inputs, outputs } = linear;
    kernel.quantize(from, at.quantized, at.scales, count, inputs);
    const [values, scales, bias] = [place(linear.values), place(linear.scales), place(linear.bias)];
    const sums = rowSums.get(linear) ?? 0;
    const add = mode === 'add' ? 1 : 0;
    kernel.multiply(at.quantized, at.scales, count, values, scales, bias, sums, inputs, outputs, to, add);
  }

  function runLayer(layer: LayerPlace, count: number): void {
    multiply(layer.queriesKeysValues, count, { from: at.x, to: at.wide });
    kernel.attend(at.wide, count, width, at.mixed, at.scores);
    multiply(layer.out, count, { from: at.mixed, to: at.x, mode: 'add' });
    norm(layer.attentionNorm, count);
    multiply(layer.up, count, { from: at.x, to: at.wide });
    kernel.gelu(at.wide, count * layer.up.outputs);
    multiply(layer.down, count, { from: at.wide, to: at.x, mode: 'add' });
    norm(layer.feedNorm, count);
  }

  /** The mean of the tokens, followed by the first token. */
  function pool(count: number): void {
    mixed.fill(0, 0, width);
    for (let t = 0; t < count; t++)
      for (let d = 0; d < width; d++) mixed[d] = (mixed[d] ?? 0) + (x[t * width + d] ?? 0);
    for (let d = 0; d < width; d++) mixed[d] = (mixed[d] ?? 0) / count;
    mixed.set(x.subarray(0, width), width);
  }

  return {
    run(ids) {
      const count = ids.length;
      if (count > positions) throw new RangeError(`a text has at most ${positions} pieces, not ${count}`);
      lookUp(ids);
      norm(file.norm, count);
      for (const layer of file.layers) runLayer(layer, count);
      pool(count);
      multiply(file.head, 1, { from: at.mixed, to: at.wide });
      return normalized(answer);
    },
  };
}

/** The input and output of a product in the kernel's memory, in bytes. */
interface Product {
  readonly from: number;
  readonly to: number;
  /** Whether it replaces the content of `to`, the default, or is added to it. */
  readonly mode?: 'set' | 'add';
}

function linearsOf({ layers, head }: EncoderFile): LinearPlace[] {
  return [
    ...layers.flatMap(({ queriesKeysValues, out, up, down }) => [queriesKeysValues, out, up, down]),
    head,
  ];
}

function layOut(from: number, file: EncoderFile): Scratch {
  const { shape } = file;
  const { width, positions } = shape;
  const inner = Math.max(...shape.inner);
  const widest = Math.max(3 * width, inner, shape.dimensions);
  let at = from;
  const take = (bytes: number): number => {
    const start = at;
    at = Math.ceil((at + bytes) / 16) * 16;
    return start;
  };
  return {
    x: take(positions * width * 4),
    wide: take(positions * widest * 4),
    mixed: take(Math.max(2, positions) * width * 4),
    quantized: take(positions * Math.max(2 * width, inner) * 2),
    scales: take(positions * 4),
    scores: take((positions + SPARE_SCORES) * 4),
    rowSums: take(linearsOf(file).reduce((rows, { outputs }) => rows + outputs, 0) * 4),
    bytes: at - from,
  };
}

function normalized(values: Float32Array): Float32Array {
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? values.slice() : values.map((value) => value / length);
}
