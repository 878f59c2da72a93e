import { parseColumn } from './columns.ts';
import type { Row } from './row.ts';

/** The tables that a reorganisation changes, with their key columns. */
export const IMAGED_KEYS = {
  topic: ['id'],
  topic_parent: ['topic_id', 'parent_id'],
  topic_member: ['topic_id', 'unit_id'],
  topic_centroid: ['topic_id'],
  unit: ['id'],
  unit_version: ['unit_id', 'version'],
  /** `set_id` identifies the set, whatever its table is called. */
  unit_vector: ['set_id', 'unit_id'],
} as const;
export type ImagedTable = keyof typeof IMAGED_KEYS;

/** A row before and after a change; null when it did not exist. */
export interface RowImage {
  readonly table: ImagedTable;
  readonly key: readonly number[];
  readonly before: Row | null;
  readonly after: Row | null;
}

/** As JSON; bytes as `{ "base64": … }`. */
export function formatRow(row: Row | null): string | null {
  if (!row) return null;
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}

export function parseRow(text: string | null): Row | null {
  if (text === null) return null;
  const row = parseColumn<'image'>(text);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value !== null && typeof value === 'object' && 'base64' in value
        ? new Uint8Array(Buffer.from(value.base64, 'base64'))
        : value,
    ]),
  );
}
