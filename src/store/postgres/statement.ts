/** Statements and values as PostgreSQL reads them. */

export type Single = null | number | string | Uint8Array;
export type Value = Single | readonly Single[];

const numberedBefore = new Map<string, string>();
/** Few statements are put together anew for each call; those are not worth keeping. */
const MAX_KEPT = 5_000;

/** A statement with its `?` as `$2`, `$3` and so on. */
export function numbered(sql: string): string {
  const known = numberedBefore.get(sql);
  if (known !== undefined) return known;
  let at = 1;
  const text = sql.replaceAll('?', () => `$${(at += 1)}`);
  if (numberedBefore.size < MAX_KEPT) numberedBefore.set(sql, text);
  return text;
}

/** An array as text, to be read as an array of any type. */
export function arrayText(values: readonly (number | string | Uint8Array | null)[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: number | string | Uint8Array | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${escapeText(value).replace(/["\\]/g, '\\$&')}"`;
  return `"\\\\x${Buffer.from(value).toString('hex')}"`;
}

/** A vector as `halfvec` reads it. */
export function vectorText(vector: Int8Array): string {
  return `[${vector.join(',')}]`;
}

/** A vector as `halfvec` is written. */
export function parseVector(text: string): Int8Array {
  return Int8Array.from(JSON.parse(text) as number[]);
}

/** PostgreSQL keeps no NUL in text: it is kept as these two characters, and the first as itself and another. */
const ESCAPE = '\u{F0000}';

export function escapeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

export function unescapeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}
