/** A value from a database. */
export type Value = null | number | bigint | string | Uint8Array;
export type Row = Record<string, Value>;
