/** A tiny encoder with random weights, as a data file and as plain matrices. */

export interface TinyLinear {
  readonly weights: number[][];
  readonly bias: number[];
}

export interface TinyLayer {
  readonly queriesKeysValues: TinyLinear;
  readonly out: TinyLinear;
  readonly up: TinyLinear;
  readonly down: TinyLinear;
}

export interface TinyEncoder {
  readonly pieces: readonly string[];
  readonly width: number;
  readonly table: number[][];
  readonly positions: number[][];
  readonly layers: readonly TinyLayer[];
  readonly head: TinyLinear;
}

const WIDTH = 64;
const INNER = [32, 16];
const POSITIONS = 24;
const DIMENSIONS = 12;
const STEP = 1 / 127;

/** Weights that int8 represents exactly, so that the file and the matrices are equal. */
export function tinyEncoder(pieces: readonly string[]): TinyEncoder {
  let state = 16;
  const chance = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round((state / 2 ** 32 - 0.5) * 254) * STEP;
  };
  const row = (size: number) => Array.from({ length: size }, chance);
  const rows = (count: number, size: number) => Array.from({ length: count }, () => row(size));
  const linear = (outputs: number, inputs: number) => ({
    weights: rows(outputs, inputs),
    bias: row(outputs),
  });
  return {
    pieces,
    width: WIDTH,
    table: rows(pieces.length, WIDTH),
    positions: rows(POSITIONS, WIDTH),
    layers: INNER.map((inner) => ({
      queriesKeysValues: linear(3 * WIDTH, WIDTH),
      out: linear(WIDTH, WIDTH),
      up: linear(inner, WIDTH),
      down: linear(WIDTH, inner),
    })),
    head: linear(DIMENSIONS, 2 * WIDTH),
  };
}

/** The data file, in the format described in weights.ts. */
export function encoderFile(model: TinyEncoder): Buffer {
  const parts: Buffer[] = [];
  const put = (bytes: Buffer): void => {
    parts.push(bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16));
  };
  const floats = (values: readonly number[]) => put(Buffer.from(Float32Array.from(values).buffer));
  const rows = (matrix: readonly number[][]): void => {
    floats(matrix.map(() => STEP));
    put(Buffer.from(Int8Array.from(matrix.flat(), (value) => Math.round(value / STEP)).buffer));
  };
  const norm = (): void => {
    floats(Array.from({ length: model.width }, () => 1));
    floats(Array.from({ length: model.width }, () => 0));
  };
  const linear = ({ weights, bias }: TinyLinear): void => {
    rows(weights);
    floats(bias);
  };
  const text = Buffer.from(model.pieces.join('\n'));
  const { layers, head, positions } = model;
  const fields = [1, model.pieces.length, model.width, layers.length, positions.length, head.bias.length];
  const inner = layers.map(({ up }) => up.bias.length);
  const numbers = Uint32Array.from([...fields, text.length, ...inner]);
  put(Buffer.concat([Buffer.from('OMOIENC\0'), Buffer.from(numbers.buffer)]));
  put(text);
  rows(model.table);
  floats(positions.flat());
  norm();
  for (const { queriesKeysValues, out, up, down } of layers) {
    for (const part of [queriesKeysValues, out, up, down]) linear(part);
    norm();
    norm();
  }
  linear(head);
  return Buffer.concat(parts);
}

/** The expected vector for these ids, computed in the simplest way. */
export function expectedVector(model: TinyEncoder, ids: readonly number[]): number[] {
  let x = ids.map((id, t) => normed(model.table[id]!.map((value, d) => value + model.positions[t]![d]!)));
  for (const layer of model.layers) {
    const qkv = x.map((token) => apply(layer.queriesKeysValues, token));
    const part = (token: number[], k: number) => token.slice(k * model.width, (k + 1) * model.width);
    const mixed = qkv.map((token) => {
      const scores = qkv.map((other) => Math.exp(dot(part(token, 0), part(other, 1)) / 8));
      const sum = scores.reduce((a, b) => a + b, 0);
      return part(token, 0).map((_, d) =>
        qkv.reduce((total, other, k) => total + (scores[k]! / sum) * part(other, 2)[d]!, 0),
      );
    });
    x = x.map((token, t) => normed(added(token, apply(layer.out, mixed[t]!))));
    x = x.map((token) => normed(added(token, apply(layer.down, apply(layer.up, token).map(gelu)))));
  }
  const mean = x[0]!.map((_, d) => x.reduce((sum, token) => sum + token[d]!, 0) / x.length);
  const vector = apply(model.head, [...mean, ...x[0]!]);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function apply({ weights, bias }: TinyLinear, x: readonly number[]): number[] {
  return weights.map((row, i) => dot(row, x) + bias[i]!);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function added(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, i) => value + b[i]!);
}

function normed(x: readonly number[]): number[] {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value) => (value - mean) / Math.sqrt(variance));
}

/** x · Φ(x), with Φ by numerical integration. */
function gelu(x: number): number {
  const steps = 400;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += Math.exp(-0.5 * (((i + 0.5) / steps) * x) ** 2);
  return x * (0.5 + ((sum / steps) * x) / Math.sqrt(2 * Math.PI));
}
