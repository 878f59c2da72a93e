import { readFileSync } from 'node:fs';
import { KERNELS } from './kernelBytes.ts';

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
  pack(weights: number, inputs: number, outputs: number, rowSums: number): void;
  layer_norm(x: number, gain: number, shift: number, count: number, width: number): void;
  quantize(x: number, out: number, scales: number, count: number, width: number): void;
  multiply(
    a: number,
    scales: number,
    count: number,
    weights: number,
    weightScales: number,
    bias: number,
    rowSums: number,
    inputs: number,
    outputs: number,
    out: number,
    addTo: number,
  ): void;
  gelu(x: number, count: number): void;
  attend(qkv: number, count: number, width: number, out: number, scores: number): void;
}

const PAGE_BYTES = 65_536;

/** How products are computed: faster with `dot8`, where the processor has an instruction for it; with the same result. */
export type Products = keyof typeof KERNELS;

const compiled = new Map<Products, WebAssembly.Module>();
let fastest: Products | undefined;

/** A kernel with at least `bytes` of free memory. */
export function createKernel(bytes: number, products = (fastest ??= fastestProducts())): Kernel {
  const module = compiled.get(products) ?? new WebAssembly.Module(Buffer.from(KERNELS[products], 'base64'));
  compiled.set(products, module);
  const kernel = new WebAssembly.Instance(module).exports as unknown as Exports;
  const freeFrom = Math.ceil(kernel.free_from() / 16) * 16;
  const missing = freeFrom + bytes - kernel.memory.buffer.byteLength;
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
  return { ...kernel, freeFrom };
}

/**
 * Without the instruction, `dot8` takes twice as long as `plain`. Only Linux says which instructions a processor has; all
 * of Apple's have this one.
 */
function fastestProducts(): Products {
  if (process.platform === 'darwin') return process.arch === 'arm64' ? 'dot8' : 'plain';
  try {
    return /\b(?:avx_vnni|asimddp)\b/.test(readFileSync('/proc/cpuinfo', 'latin1')) ? 'dot8' : 'plain';
  } catch {
    return 'plain';
  }
}
