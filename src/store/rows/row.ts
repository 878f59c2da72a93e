/** A value as databases give it. */
export type Value = null | number | bigint | string | Uint8Array;
export type Row = Record<string, Value>;
