/** A value from a database. */
export type Value = null | number | bigint | string | Uint8Array;
export type Row = Record<string, Value>;

/** A column that stores the place of a value in a list: indexing the list with it gives the value. */
export type CodeOf<Names extends readonly string[]> = Exclude<Partial<Names>['length'], Names['length']>;
