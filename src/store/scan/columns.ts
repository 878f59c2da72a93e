import { keysOf } from '../../model/model.ts';

/** The data of a row in addition to its vector: one typed array for each field, indexed by row. */
export interface Columns {
  readonly unitId: Float64Array;
  readonly occurredAt: Float64Array;
  /** Dot product of the vector with itself, at least 1. */
  readonly squaredLength: Int32Array;
  readonly kind: Uint8Array;
  readonly state: Uint8Array;
  readonly sensitivity: Uint8Array;
  readonly scope: Uint8Array;
}

export function createColumns(capacity: number): Columns {
  return {
    unitId: new Float64Array(capacity),
    occurredAt: new Float64Array(capacity),
    squaredLength: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    state: new Uint8Array(capacity),
    sensitivity: new Uint8Array(capacity),
    scope: new Uint8Array(capacity),
  };
}

/** The same rows in columns of at least that length. */
export function growColumns(columns: Columns, capacity: number): Columns {
  const grown = createColumns(capacity);
  for (const name of keysOf(columns)) grown[name].set(columns[name]);
  return grown;
}

export function moveRow(columns: Columns, from: number, to: number): void {
  for (const name of keysOf(columns)) columns[name].copyWithin(to, from, from + 1);
}

export function columnBytes(columns: Columns): number {
  return keysOf(columns).reduce((sum, name) => sum + columns[name].byteLength, 0);
}
