/**
 * Nearest-neighbour search over int8 vectors held in memory. Of some thousand rows it compares every one, so the result is
 * exact. Of more it first chooses those that are most like the query by codes of one bit for each dimension, and compares
 * these: practically always the nearest are among them (docs/decisions/0044).
 *
 * The vectors are stored in the kernel's own memory, in no order, in blocks of 1,024 rows:
 *
 *     | positive parts of the query | negative parts | tables | thresholds | addresses | dots | block 0 | block 1 | …
 *     block: | rows | codes of the rows, 32 by 32 (see dot.wat) | sums: uint16 for each row |
 *
 * The other data of row i is at index i of the columns.
 */
import { Best } from '../rows/rows.ts';
import type { ScoredId } from '../store.ts';
import { dot, quantize } from '../../vectors/vectors.ts';
import { columnBytes, createColumns, growColumns, moveRow, type Columns } from './columns.ts';
import { createKernel, type Kernel } from './kernel.ts';

/**
 * Rows of int8 vectors with the fields that searches filter by. In memory of this process only. Numbers of rows are cast:
 * every row below `count` has them, and a check for each would run a million times in a search.
 */
export interface VectorScan {
  /** Number of rows. */
  readonly count: number;
  /** Reserved memory, without the table from unit ids to rows (about 40 bytes a row). */
  readonly bytes: number;
  /**
   * Adds or replaces a unit's row. Vectors are compared by angle, so each may have its own scale (see `quantize`).
   * @throws RangeError when the vector has other dimensions than the scan, or 4 GiB are full.
   */
  put(unitId: number, vector: Int8Array, meta: ScanMeta): void;
  /** Replaces the filter fields of a unit. Does nothing for a unit without a row. */
  setMeta(unitId: number, meta: ScanMeta): void;
  /** Does nothing for a unit without a row. */
  remove(unitId: number): void;
  /**
   * The rows that pass the filter, nearest by cosine first, ties by smaller unit id. A vector of zeros scores 0. Among many
   * rows a near one may be missing, rarely.
   * @param query from −127 to 127, as `quantize` returns, if it consists of integers
   * @throws RangeError when the query has other dimensions than the scan.
   */
  search(query: Int8Array | Float32Array, filter: ScanFilter, limit: number): ScoredId[];
  /** Cosines with these units; those without a row are left out. @throws RangeError as `search` does. */
  cosines(query: Int8Array, unitIds: readonly number[]): Map<number, number>;
  /** The vectors of these units; those without a row are left out. Valid until the scan is next written to. */
  vectors(unitIds: readonly number[]): Map<number, Int8Array>;
}

export interface ScanMeta {
  /** 0 to 255, like `state`, `sensitivity` and `scope`. */
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  readonly state: number;
  readonly sensitivity: number;
  readonly scope: number;
}

/** All given conditions must be true. */
export interface ScanFilter {
  readonly kinds?: readonly number[];
  /** For `occurredAt`. */
  readonly from?: number;
  /** For `occurredAt`; exclusive. */
  readonly to?: number;
  readonly maxState?: number;
  readonly maxSensitivity?: number;
  readonly scope?: number;
  readonly maxUnitId?: number;
  /** Called with the ids of units that pass the other conditions. */
  readonly passes?: (unitId: number) => boolean;
}

/** A multiple of four; small enough that the dot products fit in the processor's L1 cache. */
const BLOCK_ROWS = 1024;
/** Rows that are compared after the first choice by codes: this times the root of their number. See docs/decisions/0044. */
const CHOSEN_PER_ROOT = 20;
/** And at least so many for each result. */
const CHOSEN_PER_RESULT = 16;
/** How alike they must be is told by one row in so many. */
const SAMPLED = 16;
/** From so many dimensions on, a bit of each tells enough. */
const CODED_DIMENSIONS = 512;
/** Rows from which thresholds are computed. */
const ROWS_FOR_MEANS = 2_048;
const PAGE_BYTES = 65_536;

/**
 * An empty scan.
 * @throws RangeError unless `dimensions` is a whole number from 8 to 4096.
 */
export function createVectorScan(dimensions: number): VectorScan {
  if (!Number.isInteger(dimensions) || dimensions < 8 || dimensions > 4096) {
    throw new RangeError(`Vectors of 8 to 4096 dimensions can be scanned, not of ${dimensions}.`);
  }
  return new KernelScan(dimensions);
}

/** Addresses in the kernel's memory. */
interface Layout {
  readonly positive: number;
  readonly negative: number;
  readonly tables: number;
  readonly thresholds: number;
  readonly addresses: number;
  readonly dots: number;
  readonly blocks: number;
  readonly blockBytes: number;
}

function layOut(stride: number): Layout {
  const addresses = 7 * stride;
  return {
    positive: 0,
    negative: stride,
    tables: 2 * stride,
    thresholds: 6 * stride,
    addresses,
    dots: addresses + 4 * BLOCK_ROWS,
    blocks: addresses + 8 * BLOCK_ROWS,
    // Rows, a bit for each of their components, and two bytes for each sum.
    blockBytes: BLOCK_ROWS * (stride + stride / 8 + 2),
  };
}

class KernelScan implements VectorScan {
  readonly #dimensions: number;
  /** Bytes in a row: the dimensions, padded with zeros to a multiple of 16. */
  readonly #stride: number;
  readonly #at: Layout;
  readonly #kernel: Kernel = createKernel();
  /** Views of the kernel's memory. Growing the memory detaches old views, so these are then replaced. */
  #bytes = new Int8Array(this.#kernel.memory.buffer);
  #addresses = new Uint32Array();
  #dots = new Int32Array();
  readonly #rowOf = new Map<number, number>();
  /** Always whole blocks. */
  #capacity = 0;
  #columns: Columns = createColumns(0);
  /** Number of rows when the thresholds of the codes were computed; 0: rows have no codes. */
  #codedFor = 0;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / 16) * 16;
    this.#at = layOut(this.#stride);
    this.#reserve(BLOCK_ROWS);
  }

  get count(): number {
    return this.#rowOf.size;
  }

  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength + columnBytes(this.#columns);
  }

  put(unitId: number, vector: Int8Array, meta: ScanMeta): void {
    this.#checkDimensions(vector);
    const row = this.#rowOf.get(unitId) ?? this.count;
    if (row === this.#capacity) this.#reserve(this.#capacity * 1.5);
    this.#bytes.set(vector, this.#addressOf(row));
    if (this.#codedFor > 0) this.#encode(row);
    this.#rowOf.set(unitId, row);
    this.#columns.unitId[row] = unitId;
    this.#columns.squaredLength[row] = squaredLength(vector);
    this.#describe(row, meta);
  }

  setMeta(unitId: number, meta: ScanMeta): void {
    const row = this.#rowOf.get(unitId);
    if (row !== undefined) this.#describe(row, meta);
  }

  /** The last row takes the place of the removed one. */
  remove(unitId: number): void {
    const row = this.#rowOf.get(unitId);
    if (row === undefined) return;
    const last = this.count - 1;
    this.#rowOf.set(this.#columns.unitId[last] as number, row);
    this.#rowOf.delete(unitId);
    moveRow(this.#columns, last, row);
    const from = this.#addressOf(last);
    this.#bytes.copyWithin(this.#addressOf(row), from, from + this.#stride);
    if (this.#codedFor > 0) this.#encode(row);
  }

  search(query: Int8Array | Float32Array, filter: ScanFilter, limit: number): ScoredId[] {
    this.#checkDimensions(query);
    if (limit <= 0) return [];
    const quantized = query instanceof Int8Array ? query : quantize(query);
    const queryLength = this.#prepare(quantized);
    const { unitId, squaredLength: rowLengths } = this.#columns;
    const accepts = acceptance(this.#columns, filter);
    const best = new Best(limit);
    const chosen = this.#choose(quantized, accepts, limit);
    const count = chosen?.length ?? this.count;
    for (let start = 0; start < count; start += BLOCK_ROWS) {
      const size = Math.min(BLOCK_ROWS, count - start);
      if (chosen) this.#multiply(size, (i) => chosen[start + i]!);
      else this.#multiplyBlock(start, size);
      for (let i = 0; i < size; i += 1) {
        const row = chosen ? chosen[start + i]! : start + i;
        // The product is an integer below 2^53, so the score of parallel vectors is exactly 1 and none is above.
        const score = this.#dots[i]! / Math.sqrt((rowLengths[row] as number) * queryLength);
        // Few rows pass the threshold, so testing the filter second is cheaper.
        if (score >= best.threshold && accepts(row)) best.add(unitId[row] as number, score);
      }
    }
    return best.take();
  }

  /**
   * The rows that pass the filter, among those whose codes are most like the query; null where it is not worth it or does
   * not suffice, and all rows must be compared.
   */
  #choose(query: Int8Array, accepts: (row: number) => boolean, limit: number): Uint32Array | null {
    const { count } = this;
    const wanted = Math.max(CHOSEN_PER_ROOT * Math.sqrt(count), CHOSEN_PER_RESULT * limit);
    if (count < 4 * wanted || this.#dimensions < CODED_DIMENSIONS) return null;
    if (count > 2 * this.#codedFor) this.#encodeAll();
    const { thresholds, tables } = this.#at;
    const common = this.#bytes.subarray(thresholds, thresholds + query.length);
    const share = dot(query, common) / squaredLength(common);
    const weights = Float32Array.from(query, (value, d) => value - share * common[d]!);
    writeTables(this.#bytes.subarray(tables), weights);
    const occurrences = new Uint32Array(0x10000);
    for (let start = 0; start < count; start += BLOCK_ROWS) {
      const sums = this.#sum(start, Math.min(BLOCK_ROWS, count - start));
      for (let i = 0; i < sums.length; i += SAMPLED) occurrences[sums[i]!]!++;
    }
    let least = occurrences.length;
    for (let passing = 0; passing < wanted / SAMPLED; passing += occurrences[least]!) least--;
    const chosen: number[] = [];
    for (let start = 0; start < count; start += BLOCK_ROWS) {
      const sums = this.#sumsOf(start, Math.min(BLOCK_ROWS, count - start));
      for (let i = 0; i < sums.length; i++)
        if (sums[i]! >= least && accepts(start + i)) chosen.push(start + i);
    }
    return chosen.length < wanted / 2 ? null : Uint32Array.from(chosen);
  }

  /** Computes the sums of a block's codes for the tables. */
  #sum(start: number, size: number): Uint16Array {
    const count = Math.ceil(size / 32) * 32;
    const sums = this.#sumsOf(start, size);
    this.#kernel.sums(this.#at.tables, this.#codesOf(start), this.#stride, count, sums.byteOffset);
    return sums;
  }

  cosines(query: Int8Array, unitIds: readonly number[]): Map<number, number> {
    this.#checkDimensions(query);
    const queryLength = this.#prepare(query);
    const { squaredLength: rowLengths } = this.#columns;
    const cosines = new Map<number, number>();
    const known = unitIds.filter((unitId) => this.#rowOf.has(unitId));
    const rows = known.map((unitId) => this.#rowOf.get(unitId)!);
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const size = Math.min(BLOCK_ROWS, rows.length - start);
      this.#multiply(size, (i) => rows[start + i]!);
      for (let i = 0; i < size; i++) {
        const length = rowLengths[rows[start + i]!] as number;
        cosines.set(known[start + i]!, this.#dots[i]! / Math.sqrt(length * queryLength));
      }
    }
    return cosines;
  }

  vectors(unitIds: readonly number[]): Map<number, Int8Array> {
    const vectors = new Map<number, Int8Array>();
    for (const unitId of unitIds) {
      const row = this.#rowOf.get(unitId);
      if (row === undefined) continue;
      const address = this.#addressOf(row);
      vectors.set(unitId, this.#bytes.subarray(address, address + this.#dimensions));
    }
    return vectors;
  }

  /** Copies a query to the kernel's memory. @returns its squared length */
  #prepare(query: Int8Array): number {
    const { positive, negative } = this.#at;
    for (let i = 0; i < query.length; i++) {
      this.#bytes[positive + i] = Math.max(0, query[i]!);
      this.#bytes[negative + i] = Math.max(0, -query[i]!);
    }
    return squaredLength(query);
  }

  /** Puts the dot products of the query with at most `BLOCK_ROWS` rows into `#dots`. */
  #multiply(size: number, rowAt: (i: number) => number): void {
    this.#multiplyAt(size, (addresses) => {
      for (let i = 0; i < size; i += 1) addresses[i] = this.#addressOf(rowAt(i));
    });
  }

  #multiplyAt(size: number, writeAddresses: (addresses: Uint32Array) => void): void {
    const { positive, addresses, dots } = this.#at;
    writeAddresses(this.#addresses);
    // The kernel reads four rows at a time.
    const fours = Math.ceil(size / 4) * 4;
    this.#addresses.fill(this.#addresses[0]!, size, fours);
    this.#kernel.dots(positive, addresses, this.#stride, fours, dots);
  }

  /** The same for consecutive rows from the first of a block on. */
  #multiplyBlock(start: number, size: number): void {
    const [first, stride] = [this.#blockOf(start), this.#stride];
    this.#multiplyAt(size, (addresses) => {
      for (let i = 0; i < size; i += 1) addresses[i] = first + i * stride;
    });
  }

  /** The thresholds are the means of some of the rows: vectors of many models have a common direction, which tells nothing. */
  #encodeAll(): void {
    const means = new Float64Array(this.#dimensions);
    const step = Math.ceil(this.count / ROWS_FOR_MEANS);
    for (let row = 0; row < this.count; row += step) {
      const address = this.#addressOf(row);
      for (let d = 0; d < means.length; d++) means[d]! += (step / this.count) * this.#bytes[address + d]!;
    }
    this.#bytes.set(means.map(Math.round), this.#at.thresholds);
    for (let row = 0; row < this.count; row++) this.#encode(row);
    this.#codedFor = this.count;
  }

  #encode(row: number): void {
    const { thresholds } = this.#at;
    this.#kernel.encode(this.#addressOf(row), thresholds, this.#stride, this.#codesOf(row), row % 32);
  }

  #addressOf(row: number): number {
    return this.#blockOf(row) + (row % BLOCK_ROWS) * this.#stride;
  }

  /** The address of the codes of this and 31 other rows: four bytes a dimension. */
  #codesOf(row: number): number {
    const place = Math.floor((row % BLOCK_ROWS) / 32);
    return this.#blockOf(row) + (BLOCK_ROWS + 4 * place) * this.#stride;
  }

  /** @param start the first row of a block */
  #sumsOf(start: number, size: number): Uint16Array {
    const address = this.#blockOf(start + BLOCK_ROWS) - 2 * BLOCK_ROWS;
    return new Uint16Array(this.#kernel.memory.buffer, address, size);
  }

  #blockOf(row: number): number {
    return this.#at.blocks + Math.floor(row / BLOCK_ROWS) * this.#at.blockBytes;
  }

  /** Reserves space for at least `rows` rows. Reserved memory takes no physical memory until it is written to. */
  #reserve(rows: number): void {
    const capacity = Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS;
    const { memory } = this.#kernel;
    const missingBytes = this.#blockOf(capacity) - memory.buffer.byteLength;
    if (missingBytes > 0) memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
    this.#bytes = new Int8Array(memory.buffer);
    this.#addresses = new Uint32Array(memory.buffer, this.#at.addresses, BLOCK_ROWS);
    this.#dots = new Int32Array(memory.buffer, this.#at.dots, BLOCK_ROWS);
    this.#columns = growColumns(this.#columns, capacity);
    this.#capacity = capacity;
  }

  #describe(row: number, meta: ScanMeta): void {
    this.#columns.kind[row] = meta.kind;
    this.#columns.occurredAt[row] = meta.occurredAt;
    this.#columns.state[row] = meta.state;
    this.#columns.sensitivity[row] = meta.sensitivity;
    this.#columns.scope[row] = meta.scope;
  }

  #checkDimensions(vector: Int8Array | Float32Array): void {
    if (vector.length === this.#dimensions) return;
    throw new RangeError(`The scan holds ${this.#dimensions} dimensions; the vector has ${vector.length}.`);
  }
}

/** The largest value of a table: the kernel adds four in a byte. */
const MAX_TABLE_VALUE = 63;

/**
 * For every four dimensions, 16 values: what rows with such bits there add to the product with the query, on a scale from 0,
 * each component being as far from its threshold.
 */
function writeTables(tables: Int8Array, weights: Float32Array): void {
  const four = (d: number): [number, number, number, number] => [
    weights[d]!,
    weights[d + 1] ?? 0,
    weights[d + 2] ?? 0,
    weights[d + 3] ?? 0,
  ];
  let most = 1;
  for (let d = 0; d < weights.length; d += 4)
    most = Math.max(
      most,
      four(d).reduce((sum, weight) => sum + Math.abs(weight), 0),
    );
  const scale = MAX_TABLE_VALUE / (2 * most);
  for (let d = 0; d < weights.length; d += 4) {
    const [w, x, y, z] = four(d);
    for (let bits = 0; bits < 16; bits++) {
      const sum = (bits & 1 ? w : -w) + (bits & 2 ? x : -x) + (bits & 4 ? y : -y) + (bits & 8 ? z : -z);
      tables[4 * d + bits] = Math.round((sum + most) * scale);
    }
  }
}

function acceptance(columns: Columns, filter: ScanFilter): (row: number) => boolean {
  const { unitId, occurredAt, kind, state, sensitivity, scope } = columns;
  const {
    from = -Infinity,
    to = Infinity,
    maxState = 255,
    maxSensitivity = 255,
    maxUnitId = Infinity,
    passes,
  } = filter;
  const kinds = filter.kinds && new Set(filter.kinds);
  return (row) =>
    (unitId[row] as number) <= maxUnitId &&
    (occurredAt[row] as number) >= from &&
    (occurredAt[row] as number) < to &&
    (state[row] as number) <= maxState &&
    (sensitivity[row] as number) <= maxSensitivity &&
    (filter.scope === undefined || scope[row] === filter.scope) &&
    (!kinds || kinds.has(kind[row] as number)) &&
    (!passes || passes(unitId[row] as number));
}

/** At least 1, so that the score of a vector of zeros is 0 / 1 and not 0 / 0. */
function squaredLength(vector: Int8Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.max(1, sum);
}
