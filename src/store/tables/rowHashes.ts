/**
 * Keyed hashes of rows (the column `mac`), by which `verify` finds rows that were changed or added without the key of the
 * memory. Turns, units and versions have hashes of their own.
 */
import type { WordKeys } from '../../keys/keys.ts';
import { keysOf } from '../../model/model.ts';
import { TRANSFERRED, type Row, type Value } from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

type Problem = Verification['problems'][number];

/** The hashed columns, the key first. Left out is what changes with recalls and counts: mentions and weights of members. */
const HASHED = {
  link: { columns: ['from_unit_id', 'to_unit_id', 'relation'], code: 'UNIT_WRONG' },
  entity: { columns: ['id', 'type', 'name', 'aliases', 'salience'], code: 'ENTITY_WRONG' },
  unit_entity: { columns: ['unit_id', 'entity_id', 'surface', 'confidence'], code: 'ENTITY_WRONG' },
  edge: {
    columns: ['from_entity_id', 'to_entity_id', 'relation', 'unit_id', 'weight'],
    code: 'ENTITY_WRONG',
  },
  topic_member: { columns: ['topic_id', 'unit_id'], code: 'TOPIC_WRONG' },
  topic_parent: { columns: ['topic_id', 'parent_id'], code: 'TOPIC_WRONG' },
} as const satisfies Record<string, { columns: readonly string[]; code: Problem['code'] }>;

type HashedTable = keyof typeof HASHED;
export type HashedRow<Table extends HashedTable> = Readonly<
  Record<(typeof HASHED)[Table]['columns'][number], Value>
>;

const TABLES = keysOf(HASHED);
const PAGE_SIZE = 1_000;

/** The hash of a row as it is stored. */
export function rowHash<Table extends HashedTable>(
  keys: WordKeys,
  table: Table,
  row: HashedRow<Table>,
): string {
  const values: Readonly<Record<string, Value>> = row;
  const hashed = HASHED[table].columns.map((column) => {
    const value = values[column] ?? null;
    // As the database returns it.
    return typeof value === 'string' ? value.toWellFormed() : value;
  });
  return keys.hashRow(JSON.stringify([table, ...hashed]));
}

/**
 * Whether the hash of a stored row is right. What is made of a row with a wrong hash must not get a right one: `verify`
 * would no longer find the change.
 */
export function hasRightHash<Table extends HashedTable>(
  keys: WordKeys,
  table: Table,
  row: HashedRow<Table> & { readonly mac: Value },
): boolean {
  return row.mac === rowHash(keys, table, row);
}

/** The hash of a row that is made of one with a wrong hash. */
export const WRONG_HASH = 'changed';

/** A row that is made of another, with the right hash if that one has it. */
export function rehashed<Table extends HashedTable, After extends HashedRow<Table>>(
  keys: WordKeys,
  table: Table,
  before: HashedRow<Table> & { readonly mac: Value },
  after: After,
): After & { readonly mac: string } {
  const isRight = hasRightHash(keys, table, before);
  return { ...after, mac: isRight ? rowHash(keys, table, after) : WRONG_HASH };
}

/** Rows whose hash is missing or wrong, at most about `max` of a table. */
export function* rowProblems(tx: Sql, max: number): Steps<Problem[]> {
  const problems: Problem[] = [];
  for (const table of TABLES) {
    const messages: string[] = [];
    for (let page = yield* readPage(tx, table, null); page && messages.length < max;) {
      messages.push(...page.wrong.map((row) => describe(table, row)));
      page = yield* readPage(tx, table, page.last);
    }
    const { code } = HASHED[table];
    problems.push(...messages.map((message) => ({ code, message })));
  }
  return problems;
}

function describe(table: HashedTable, row: Row): string {
  const key = keyOf(table).map((column) => `${column} ${String(row[column])}`);
  const what = row['mac'] === '' ? 'has no hash' : 'does not match its hash';
  return `The row of ${table} with ${key.join(', ')} ${what}: it was changed or added without the key of the memory.`;
}

/** Gives all rows the hashes of what they are. */
export function* hashRows(tx: Sql): Steps<void> {
  for (const table of TABLES) {
    const { columns } = TRANSFERRED[table];
    const tail = `ON CONFLICT (memory_id, ${keyOf(table).join(', ')}) DO UPDATE SET mac = excluded.mac`;
    for (let page = yield* readPage(tx, table, null); page;) {
      const rows = page.wrong.map((row): Row => ({ ...row, mac: hashOf(tx.keys, table, row) }));
      const values = rows.map((row) => Object.keys(columns).map((column) => row[column] ?? null));
      yield* tx.insert(table, columns, values, tail);
      page = yield* readPage(tx, table, page.last);
    }
  }
}

interface Page {
  /** The rows that have not the right hash. */
  readonly wrong: readonly Row[];
  readonly last: Row;
}

/** @returns null after the last row */
function* readPage(tx: Sql, table: HashedTable, after: Row | null): Steps<Page | null> {
  const key = keyOf(table);
  const isAfter = `AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const rows = yield* tx.all(
    `SELECT ${Object.keys(TRANSFERRED[table].columns).join(', ')} FROM ${table}
     WHERE memory_id = $1 ${after ? isAfter : ''} ORDER BY ${key.join(', ')} LIMIT ${PAGE_SIZE}`,
    ...(after ? key.map((column) => after[column] ?? null) : []),
  );
  const last = rows.at(-1);
  return last ? { wrong: rows.filter((row) => row['mac'] !== hashOf(tx.keys, table, row)), last } : null;
}

function hashOf(keys: WordKeys, table: HashedTable, row: Row): string {
  return rowHash(keys, table, row as HashedRow<typeof table>);
}

function keyOf(table: HashedTable): string[] {
  return TRANSFERRED[table].order.split(', ');
}
