/** Readers for JSON values of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a key; an empty one when there is no object. */
export function recordAt(record: Fields, key: string): Record<string, unknown> {
  const value = record[key];
  return isRecord(value) ? value : {};
}

/** The objects of a list; other elements become empty objects, so that positions are kept. */
export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? item : {})) : [];
}

export function stringAt(record: Fields, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The elements of a list; none when it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
