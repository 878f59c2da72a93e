import { keysOf } from '../../model/model.ts';
import type { Row, Value } from './row.ts';

interface TransferredTable {
  /** Names with their types in PostgreSQL. */
  readonly columns: Readonly<Record<string, string>>;
  /** The order of reading its rows: an interrupted copy continues after the existing rows. */
  readonly order: string;
  /** Columns whose sum reveals a change, in addition to the number of rows. */
  readonly sums?: readonly string[];
}

/**
 * The tables of a memory, in the order of copying them to another store. Rows are the same in all stores, encrypted
 * under the same keys. Indexes are rebuilt afterwards.
 */
export const TRANSFERRED = {
  turn: {
    columns: {
      id: 'bigint',
      conversation_id: 'text',
      turn_index: 'bigint',
      occurred_at: 'bigint',
      sealed: 'bytea',
      content_hash: 'bytea',
      chain_hash: 'bytea',
      raw_pointer: 'text',
    },
    order: 'id',
  },
  conversation: {
    columns: { id: 'text', turns: 'bigint', first_turn_at: 'bigint', last_turn_at: 'bigint' },
    order: 'id',
    sums: ['turns'],
  },
  checkpoint: {
    columns: {
      id: 'bigint',
      turn_id: 'bigint',
      chain_hash: 'text',
      at: 'bigint',
      public_key: 'text',
      signature: 'text',
    },
    order: 'id',
  },
  unit: {
    columns: {
      id: 'bigint',
      kind: 'smallint',
      turn_id: 'bigint',
      conversation_id: 'text',
      turn_index: 'bigint',
      occurred_at: 'bigint',
      created_at: 'bigint',
      updated_at: 'bigint',
      source: 'text',
      state: 'smallint',
      confidence: 'float8',
      salience: 'float8',
      sensitivity: 'smallint',
      pinned: 'smallint',
      topic_tags: 'text',
      scope: 'smallint',
      expires_at: 'bigint',
      reinforcement: 'bigint',
      access_count: 'bigint',
      last_accessed_at: 'bigint',
      emotion: 'text',
      version: 'bigint',
      payload: 'json',
    },
    order: 'id',
    sums: ['version', 'access_count', 'updated_at'],
  },
  unit_version: {
    columns: {
      unit_id: 'bigint',
      version: 'bigint',
      parent_version: 'bigint',
      reason: 'text',
      payload_hash: 'text',
      at: 'bigint',
      snapshot: 'json',
    },
    order: 'unit_id, version',
  },
  link: {
    columns: { from_unit_id: 'bigint', to_unit_id: 'bigint', relation: 'text', mac: 'text' },
    order: 'from_unit_id, to_unit_id, relation',
  },
  derivation: {
    columns: { unit_id: 'bigint', kind: 'text', fingerprint: 'bytea' },
    order: 'unit_id, kind, fingerprint',
  },
  entity: {
    columns: {
      id: 'bigint',
      type: 'text',
      name: 'text',
      aliases: 'text',
      salience: 'float8',
      mentions: 'bigint',
      mac: 'text',
    },
    order: 'id',
    sums: ['mentions'],
  },
  entity_alias: { columns: { folded: 'text', entity_id: 'bigint' }, order: 'folded, entity_id' },
  entity_key: { columns: { key: 'text', entity_id: 'bigint' }, order: 'key, entity_id' },
  unit_entity: {
    columns: { unit_id: 'bigint', entity_id: 'bigint', surface: 'text', confidence: 'float8', mac: 'text' },
    order: 'unit_id, entity_id',
  },
  edge: {
    columns: {
      from_entity_id: 'bigint',
      to_entity_id: 'bigint',
      relation: 'text',
      unit_id: 'bigint',
      weight: 'float8',
      mac: 'text',
    },
    order: 'from_entity_id, to_entity_id, relation, unit_id',
  },
  topic: {
    columns: {
      id: 'bigint',
      title: 'text',
      summary: 'text',
      source: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
      state: 'text',
      successor_id: 'bigint',
      strength: 'float8',
      members: 'bigint',
      first_at: 'bigint',
      last_at: 'bigint',
      emotion: 'text',
      emotion_weight: 'float8',
      version: 'bigint',
      changes: 'bigint',
    },
    order: 'id',
    sums: ['changes', 'version', 'members'],
  },
  topic_parent: {
    columns: { topic_id: 'bigint', parent_id: 'bigint', mac: 'text' },
    order: 'topic_id, parent_id',
  },
  topic_member: {
    columns: { topic_id: 'bigint', unit_id: 'bigint', weight: 'float8', mac: 'text' },
    order: 'topic_id, unit_id',
  },
  topic_centroid: { columns: { topic_id: 'bigint', sum: 'bytea' }, order: 'topic_id' },
  topic_term: {
    columns: { term: 'text', topic_id: 'bigint', times: 'bigint' },
    order: 'term, topic_id',
  },
  note_file: {
    columns: {
      uri: 'text',
      scope: 'smallint',
      hash: 'text',
      size_bytes: 'bigint',
      modified_at: 'float8',
      unit_ids: 'text',
    },
    order: 'uri',
    sums: ['size_bytes', 'modified_at'],
  },
  job: {
    columns: {
      id: 'bigint',
      kind: 'text',
      key: 'text',
      conversation_id: 'text',
      input: 'text',
      status: 'text',
      attempts: 'bigint',
      run_after: 'bigint',
      lease_owner: 'text',
      lease_until: 'bigint',
      last_error: 'text',
      created_at: 'bigint',
      again_after: 'bigint',
    },
    order: 'id',
    sums: ['id', 'attempts', 'run_after'],
  },
  journal: {
    columns: {
      id: 'bigint',
      key: 'text',
      at: 'bigint',
      plan: 'text',
      topics_added: 'bigint',
      topics_changed: 'bigint',
      units_changed: 'bigint',
      rolled_back_at: 'bigint',
      erased_at: 'bigint',
    },
    order: 'id',
    sums: ['rolled_back_at', 'erased_at'],
  },
  journal_image: {
    columns: { entry_id: 'bigint', of_table: 'text', row_key: 'text', before: 'text', after: 'text' },
    order: 'entry_id, of_table, row_key',
  },
  journal_touch: {
    columns: { kind: 'text', id: 'bigint', entry_id: 'bigint' },
    order: 'kind, id, entry_id',
  },
  receipt: { columns: { id: 'bigint', receipt: 'text' }, order: 'id' },
  vector_set: {
    columns: { id: 'bigint', role: 'text', model: 'text', dimensions: 'integer' },
    order: 'id',
  },
  vector_pending: { columns: { unit_id: 'bigint', is_stale: 'smallint' }, order: 'unit_id' },
} as const satisfies Record<string, TransferredTable>;

/** Part of the fingerprint: a copy that a version with other columns began is begun again. */
export const TRANSFER_FORMAT = 2;

/**
 * The next rows of a table in its order, as a condition with `?` and an end of a statement.
 * @param after the last row before them; undefined: from the first
 */
export function nextRows(
  order: string,
  after: Row | undefined,
): { readonly where: string; readonly tail: string; readonly values: Value[] } {
  const key = order.split(', ');
  const isAfter = `(${order}) > (${key.map(() => '?').join(', ')})`;
  return {
    where: after ? isAfter : '1 = 1',
    tail: `ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: after ? key.map((column) => after[column] ?? null) : [],
  };
}

/** Also data whose form differs between stores: keys, unencrypted, and vectors, as bytes. */
export type TransferredName = keyof typeof TRANSFERRED | 'key_page' | 'unit_vector';

export function isPlainTable(name: TransferredName): name is keyof typeof TRANSFERRED {
  return name in TRANSFERRED;
}

/** Keys before the data they decrypt, vectors after their units. */
export const TRANSFER_ORDER: readonly TransferredName[] = ['key_page', ...keysOf(TRANSFERRED), 'unit_vector'];

/** A prime. Sums of remainders are exact; a sum of a million instants in milliseconds is not. */
const MODULUS = 1_000_003;

/** The columns of a SELECT from which a table's part of the fingerprint is computed. */
export function summary(name: keyof typeof TRANSFERRED): string {
  const { sums = [], columns }: TransferredTable = TRANSFERRED[name];
  const summed = (column: string) => (columns[column] === 'bigint' ? `${column} % ${MODULUS}` : column);
  return ['count(*)', ...sums.map((column) => `coalesce(sum(${summed(column)}), 0)`)]
    .map((value, i) => `${value} AS v${i}`)
    .join(', ');
}

/** The numbers of `summary`, as text. */
export function summaryText(row: Row | undefined): string {
  return Object.values(row ?? {})
    .map(Number)
    .join(' ');
}

/** Tables whose ids are counted, so that none is given twice. */
export const COUNTED = ['unit', 'job', 'topic', 'entity', 'journal', 'receipt', 'vector_set'] as const;

export function readBytes(value: Row[string] | undefined): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
}

/** A row of `vector_set`. */
export function readSet(row: Row): {
  id: number;
  role: 'serving' | 'next';
  model: string;
  dimensions: number;
} {
  return {
    id: Number(row['id']),
    role: row['role'] === 'next' ? 'next' : 'serving',
    model: String(row['model']),
    dimensions: Number(row['dimensions']),
  };
}

/** Rows of `unit_vector`, by unit. */
export function readVectors(rows: readonly Row[]): Map<number, Int8Array> {
  return new Map(rows.map((row) => [Number(row['unit_id']), new Int8Array(readBytes(row['embedding']))]));
}
