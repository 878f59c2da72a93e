import { KERNEL } from './kernelBytes.ts';

/**
 * An instance of `kernel.c`, which documents the functions. Addresses are byte offsets in `memory`. WebAssembly has only
 * positional parameters.
 */
export interface Kernel extends Exports {
  /** The first free address. */
  readonly freeFrom: number;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  free_from(): number;
  layer_norm(x: number, gain: number, shift: number, count: number, width: number): void;
  quantize(x: number, out: number, scales: number, count: number, width: number): void;
  multiply(
    a: number,
    scales: number,
    count: number,
    weights: number,
    weightScales: number,
    bias: number,
    inputs: number,
    outputs: number,
    out: number,
    add: number,
  ): void;
  gelu(x: number, count: number): void;
  attend(qkv: number, count: number, width: number, out: number, scores: number): void;
}

const PAGE_BYTES = 65_536;

let compiled: WebAssembly.Module | undefined;

/** A kernel with at least `bytes` of free memory. */
export function createKernel(bytes: number): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL, 'base64'));
  const kernel = new WebAssembly.Instance(compiled).exports as unknown as Exports;
  const freeFrom = Math.ceil(kernel.free_from() / 16) * 16;
  const missing = freeFrom + bytes - kernel.memory.buffer.byteLength;
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
  return { ...kernel, freeFrom };
}
