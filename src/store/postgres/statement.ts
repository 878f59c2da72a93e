/** Formats statements and values for PostgreSQL. */
import { parseNumbers } from '../rows/rows.ts';

export type Single = null | number | string | Uint8Array;
export type Value = Single | readonly Single[];

const numberedBefore = new Map<string, string>();
/** Cache size. Few statements are composed anew for each call; caching those would not help. */
const MAX_KEPT = 5_000;

/** A statement with `$2`, `$3` and so on for its `?`. */
export function numbered(sql: string): string {
  const known = numberedBefore.get(sql);
  if (known !== undefined) return known;
  let at = 1;
  const text = sql.replaceAll('?', () => `$${(at += 1)}`);
  if (numberedBefore.size < MAX_KEPT) numberedBefore.set(sql, text);
  return text;
}

/** An array as text, which PostgreSQL can cast to an array of any type. */
export function arrayText(values: readonly (number | string | Uint8Array | null)[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: number | string | Uint8Array | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${escapeText(value).replace(/["\\]/g, '\\$&')}"`;
  return `"\\\\x${Buffer.from(value).toString('hex')}"`;
}

/** A vector in the text format of `halfvec`. */
export function vectorText(vector: Int8Array): string {
  return `[${vector.join(',')}]`;
}

/** Parses the text format of an array of numbers. */
export function parseArray(text: string): number[] {
  return parseNumbers(`[${text.slice(1, -1)}]`);
}

/** Parses the text format of `halfvec`. */
export function parseVector(text: string): Int8Array {
  return Int8Array.from(parseNumbers(text));
}

/**
 * PostgreSQL text cannot contain NUL: NUL is stored as this escape and `0`; the escape itself as itself and another
 * character.
 */
const ESCAPE = '\u{F0000}';

export function escapeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

export function unescapeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}
