/**
 * Nearest-neighbour search over int8 vectors held in memory: it compares every row, so the result is exact, about
 * as fast as memory can be read (100,000 rows of 256 dimensions in about two milliseconds).
 *
 * The vectors are stored contiguously in the kernel's own memory, in no order:
 *
 *     | positive parts of the query | negative parts | dots: int32 × ROWS_PER_CALL | row 0 | row 1 | …
 *
 * The other data of row i is at index i of the columns.
 */
import { Best } from '../best.ts';
import type { ScoredId } from '../../store.ts';
import { quantize } from '../../../vectors/vectors.ts';
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
   * The rows that pass the filter, nearest by cosine first, ties by smaller unit id. A vector of zeros scores 0.
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
}

/** A multiple of four; small enough that the dot products fit in the processor's L1 cache. */
const ROWS_PER_CALL = 1024;
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

class KernelScan implements VectorScan {
  readonly #dimensions: number;
  /** Bytes in a row: the dimensions, padded with zeros to a multiple of 16. */
  readonly #stride: number;
  readonly #dotsAddress: number;
  readonly #rowsAddress: number;
  readonly #kernel: Kernel = createKernel();
  /** The whole of the kernel's memory. Growing the memory detaches old views, so this one is then replaced. */
  #bytes = new Int8Array(this.#kernel.memory.buffer);
  readonly #rowOf = new Map<number, number>();
  /** Always a multiple of four rows, since the kernel reads four at a time. */
  #capacity = 0;
  #columns: Columns = createColumns(0);

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / 16) * 16;
    this.#dotsAddress = 2 * this.#stride;
    this.#rowsAddress = this.#dotsAddress + 4 * ROWS_PER_CALL;
    this.#reserve(ROWS_PER_CALL);
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
    this.#bytes.copyWithin(this.#addressOf(row), this.#addressOf(last), this.#addressOf(last + 1));
  }

  search(query: Int8Array | Float32Array, filter: ScanFilter, limit: number): ScoredId[] {
    this.#checkDimensions(query);
    if (limit <= 0) return [];
    const quantized = query instanceof Int8Array ? query : quantize(query);
    const { dots, queryLength } = this.#prepare(quantized);
    const { unitId, squaredLength: rowLengths } = this.#columns;
    const accepts = acceptance(this.#columns, filter);
    const best = new Best(limit);
    for (let start = 0; start < this.count; start += ROWS_PER_CALL) {
      const rows = Math.min(ROWS_PER_CALL, this.count - start);
      this.#multiply(start, Math.ceil(rows / 4) * 4);
      for (let i = 0; i < rows; i += 1) {
        const row = start + i;
        // The product is an integer below 2^53, so the score of parallel vectors is exactly 1 and none is above.
        const score = (dots[i] as number) / Math.sqrt((rowLengths[row] as number) * queryLength);
        // Few rows pass the threshold, so testing the filter second is cheaper.
        if (score >= best.threshold && accepts(row)) best.add(unitId[row] as number, score);
      }
    }
    return best.take();
  }

  cosines(query: Int8Array, unitIds: readonly number[]): Map<number, number> {
    this.#checkDimensions(query);
    const { dots, queryLength } = this.#prepare(query);
    const { squaredLength: rowLengths } = this.#columns;
    const cosines = new Map<number, number>();
    let multiplied = -1;
    for (const unitId of unitIds) {
      const row = this.#rowOf.get(unitId);
      if (row === undefined) continue;
      // Turns of one conversation are mostly adjacent.
      const start = row - (row % 4);
      if (start !== multiplied) this.#multiply(start, 4);
      multiplied = start;
      const dot = dots[row - start] as number;
      cosines.set(unitId, dot / Math.sqrt((rowLengths[row] as number) * queryLength));
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

  /** Copies a query to the kernel's memory. @returns also where its dot products will be */
  #prepare(query: Int8Array): { dots: Int32Array; queryLength: number } {
    const { buffer } = this.#kernel.memory;
    for (let i = 0; i < query.length; i++) {
      this.#bytes[i] = Math.max(0, query[i]!);
      this.#bytes[this.#stride + i] = Math.max(0, -query[i]!);
    }
    const dots = new Int32Array(buffer, this.#dotsAddress, ROWS_PER_CALL);
    return { dots, queryLength: squaredLength(query) };
  }

  /** Dot products of the query with `rows` rows, a multiple of four and at most `ROWS_PER_CALL`. */
  #multiply(firstRow: number, rows: number): void {
    this.#kernel.dots(0, this.#addressOf(firstRow), this.#stride, rows, this.#dotsAddress);
  }

  #addressOf(row: number): number {
    return this.#rowsAddress + row * this.#stride;
  }

  /** Reserves space for at least `rows` rows. Reserved memory takes no physical memory until it is written to. */
  #reserve(rows: number): void {
    const capacity = Math.ceil(rows / 4) * 4;
    const { memory } = this.#kernel;
    const missingBytes = this.#addressOf(capacity) - memory.buffer.byteLength;
    if (missingBytes > 0) memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
    this.#bytes = new Int8Array(memory.buffer);
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

function acceptance(columns: Columns, filter: ScanFilter): (row: number) => boolean {
  const { unitId, occurredAt, kind, state, sensitivity, scope } = columns;
  const {
    from = -Infinity,
    to = Infinity,
    maxState = 255,
    maxSensitivity = 255,
    maxUnitId = Infinity,
  } = filter;
  const kinds = filter.kinds && new Set(filter.kinds);
  return (row) =>
    (unitId[row] as number) <= maxUnitId &&
    (occurredAt[row] as number) >= from &&
    (occurredAt[row] as number) < to &&
    (state[row] as number) <= maxState &&
    (sensitivity[row] as number) <= maxSensitivity &&
    (filter.scope === undefined || scope[row] === filter.scope) &&
    (!kinds || kinds.has(kind[row] as number));
}

/** At least 1, so that the score of a vector of zeros is 0 / 1 and not 0 / 0. */
function squaredLength(vector: Int8Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.max(1, sum);
}
