/** Copies a memory from a database to another store and back. */
import { keyBytes, KeyWrapping, type KeyPlace } from '../../keys/keys.ts';
import { MemoryError, keysOf } from '../../model/model.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import {
  COUNTED,
  isForgotten,
  isPlainTable,
  nextRows,
  readBytes,
  readSet,
  readVectors,
  summary,
  summaryText,
  TRANSFER_FORMAT,
  TRANSFER_ORDER,
  TRANSFERRED,
  type Row,
  type TransferredName,
} from '../rows/rows.ts';
import type {
  Counters,
  TransferHead,
  TransferPage,
  TransferSource,
  TransferTarget,
  WriteRows,
} from '../transfer.ts';
import type { Verification } from '../storeAdmin.ts';
import { MemoryContext } from './context.ts';
import { connect, type Database } from './database.ts';
import { PostgresKeys } from './keys.ts';
import { DEFAULT_PARTITIONS, migrate } from './migrate.ts';
import type { Session } from './session.ts';
import { parseVector, type Single } from './statement.ts';
import type { Tables } from './tables.ts';
import { perform, rebuildMemory, verifyMemory, type VectorSets } from '../tables/tables.ts';

type PlainName = keyof typeof TRANSFERRED;

const PLAIN = keysOf(TRANSFERRED);
/** For a lock that is taken before the memory has a number. */
const NO_MEMORY = 0;

interface TransferPlace {
  readonly url: string;
  readonly memoryId: string;
  readonly keys: KeyPlace;
}

interface KeptMemory {
  readonly id: number;
  readonly time_zone: string;
  readonly wrapped_key: Uint8Array;
  readonly copying: string | null;
}

async function find(db: Database, memoryId: string): Promise<KeptMemory | undefined> {
  const [row] = await db.read(() =>
    db.sql.unsafe<KeptMemory[]>('SELECT id, time_zone, wrapped_key, copying FROM memory WHERE name = $1', [
      memoryId,
    ]),
  );
  return row;
}

/** @throws MemoryError NOT_FOUND, KEY_MISSING */
export async function openPostgresSource(place: TransferPlace): Promise<TransferSource> {
  const { memoryId } = place;
  const db = connect(place.url);
  try {
    const kept = await find(db, memoryId);
    if (!kept || kept.copying !== null) {
      throw new MemoryError('NOT_FOUND', `There is no memory ${memoryId} in the database.`);
    }
    const wrapping = new KeyWrapping(place.keys);
    wrapping.open({ isUsed: true });
    const keys = new PostgresKeys(wrapping, kept.wrapped_key);
    const read = <T>(body: (tx: Session) => Promise<T>) =>
      db.transaction({ id: kept.id, keys }, { isReadOnly: true }, body);
    return {
      head: { memoryId, timeZone: kept.time_zone, memoryKey: wrapping.unwrap(kept.wrapped_key) },
      fingerprint: () => read(fingerprint),
      count: (table) => read((tx) => countRows(tx, table)),
      page: (table, page) => read((tx) => readPage(tx, table, page, wrapping)),
      counters: () => read(readCounters),
      close: () => db.close(),
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function fingerprint(tx: Session): Promise<string> {
  const parts: (string | number)[] = [TRANSFER_FORMAT];
  for (const table of PLAIN) {
    parts.push(summaryText(await tx.get(`SELECT ${summary(table)} FROM ${table} WHERE memory_id = $1`)));
  }
  const last = await tx.get<{ chain_hash: Uint8Array }>(
    'SELECT chain_hash FROM turn WHERE memory_id = $1 ORDER BY id DESC LIMIT 1',
  );
  const head = last ? Buffer.from(last.chain_hash).toString('hex') : '';
  return [...parts, head, await countRows(tx, 'unit_vector')].join(' ');
}

async function countRows(tx: Session, table: TransferredName): Promise<number> {
  const row = await tx.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE memory_id = $1`);
  return row?.n ?? 0;
}

async function readPage(
  tx: Session,
  table: TransferredName,
  page: TransferPage,
  wrapping: KeyWrapping,
): Promise<Row[]> {
  const select = (columns: string, order: string) => {
    const { where, tail, values } = nextRows(order, 'after' in page ? page.after : undefined);
    const sql = `SELECT ${columns} FROM ${table} WHERE memory_id = $1 AND ${where} ${tail}`;
    return tx.all(sql, ...values.map(singleOf), page.limit, 'skip' in page ? page.skip : 0);
  };
  if (isPlainTable(table)) {
    const { columns, order } = TRANSFERRED[table];
    return select(Object.keys(columns).join(', '), order);
  }
  if (table === 'key_page') {
    const rows = await select('id, keys', 'id');
    return rows.map(({ id = null, keys }) => ({ id, keys: wrapping.unwrap(readBytes(keys)) }));
  }
  const rows = await select('set_id, unit_id, embedding::text AS embedding', 'set_id, unit_id');
  return rows.map((row) => ({
    ...row,
    embedding: new Uint8Array(parseVector(String(row['embedding'])).buffer),
  }));
}

async function readCounters(tx: Session): Promise<Counters> {
  const rows = await tx.all<{ name: string; last: number }>(
    'SELECT name, last FROM counter WHERE memory_id = $1',
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** @throws MemoryError as `openPostgresStore` */
export async function openPostgresTarget(place: TransferPlace): Promise<TransferTarget> {
  const db = connect(place.url);
  try {
    await db.read(() => migrate(db, DEFAULT_PARTITIONS));
    return new PostgresTarget(db, place);
  } catch (error) {
    await db.close();
    throw error;
  }
}

class PostgresTarget implements TransferTarget {
  readonly #db: Database;
  readonly #place: TransferPlace;
  readonly #wrapping: KeyWrapping;
  #memory: MemoryContext | null = null;
  #unlock: (() => Promise<void>) | null = null;

  constructor(db: Database, place: TransferPlace) {
    this.#db = db;
    this.#place = place;
    this.#wrapping = new KeyWrapping(place.keys);
  }

  async begin(head: TransferHead, print: string): Promise<{ isRestarted: boolean }> {
    const { memoryId } = this.#place;
    await this.#lock();
    const [any] = await this.#db.sql.unsafe('SELECT 1 FROM memory LIMIT 1');
    this.#wrapping.open({ isUsed: any !== undefined });
    const before = await find(this.#db, memoryId);
    if (before && before.copying === null) {
      throw new MemoryError(
        'INVALID_INPUT',
        `The database already contains a memory ${memoryId}, which is not overwritten. Choose another database.`,
      );
    }
    if (!before) await this.#make(head, print);
    const kept = await find(this.#db, memoryId);
    if (!kept) throw new MemoryError('NOT_FOUND', `The memory ${memoryId} could not be created.`);
    if (!keyBytes(this.#wrapping.unwrap(kept.wrapped_key)).equals(keyBytes(head.memoryKey))) {
      throw new MemoryError(
        'INVALID_INPUT',
        `Another memory ${memoryId} is being copied to the database, with different keys.`,
      );
    }
    const keys = new PostgresKeys(this.#wrapping, kept.wrapped_key);
    this.#memory = new MemoryContext(
      this.#db,
      { id: kept.id, keys },
      { memoryId, timeZone: kept.time_zone, now: Date.now },
    );
    const isRestarted = before !== undefined && before.copying !== print;
    if (isRestarted) await this.#write((tx) => clear(tx, print));
    return { isRestarted };
  }

  async count(table: TransferredName): Promise<number> {
    return this.#opened().read((_, tx) => countRows(tx, table));
  }

  async write(table: TransferredName, rows: readonly Row[]): Promise<void> {
    await this.#opened().write((tables) => writeRows(tables, table, rows, this.#wrapping));
  }

  /**
   * The index of the nearest vectors is shared by all memories. If there is no other, it is dropped and built at the end,
   * in one transaction: that takes a small part of the time of inserting the vectors into it.
   */
  async writeVectors(copyRows: (write: WriteRows) => Promise<void>): Promise<void> {
    if (!(await this.#mayDropIndexes())) return copyRows((rows) => this.write('unit_vector', rows));
    await this.#opened().write(async (tables, tx) => {
      const { sets } = tables.shared.vectors;
      const dimensions = new Set((await perform(sets.all())).map((set) => set.dimensions));
      await tx.allowLongStatements();
      for (const n of dimensions) await tx.runPlain(`DROP INDEX IF EXISTS unit_vector_near_${n}`);
      await copyRows((rows) => writeVectors(sets, rows));
      for (const n of dimensions) await sets.storage.prepare(n);
    });
  }

  async complete(counters: Counters): Promise<Verification> {
    const memory = this.#opened();
    await this.#analyze(TRANSFER_ORDER);
    await memory.write(async ({ shared }, tx) => {
      for (const name of [...COUNTED, 'checkpoint']) await raise(tx, name, counters[name] ?? 0);
      const plan = { jobKinds: [], now: Date.now(), dropVectors: false };
      await perform(rebuildMemory(shared, 'indexes', plan));
    });
    await this.#analyze(['term', 'posting', 'unit_text']);
    return memory.read(({ shared }) => perform(verifyMemory(shared)));
  }

  async release(): Promise<void> {
    await this.#write((tx) => tx.run('UPDATE memory SET copying = NULL WHERE id = $1'));
  }

  async close(): Promise<void> {
    await this.#unlock?.();
    await this.#db.close();
  }

  /** Whether there is no other memory, and the role owns the tables. */
  async #mayDropIndexes(): Promise<boolean> {
    const [row] = await this.#db.read(() =>
      this.#db.sql.unsafe<{ may: boolean }[]>(
        `SELECT pg_has_role(relowner, 'USAGE') AND NOT EXISTS (SELECT 1 FROM memory WHERE id <> $1) AS may
         FROM pg_class WHERE oid = 'unit_vector'::regclass`,
        [this.#opened().memory.id],
      ),
    );
    return row?.may === true;
  }

  /** @throws MemoryError BUSY when another process copies the memory */
  async #lock(): Promise<void> {
    const { memoryId } = this.#place;
    this.#unlock = await this.#db.takeLockIfFree(NO_MEMORY, `copy ${memoryId}`);
    if (this.#unlock) return;
    throw new MemoryError(
      'BUSY',
      `Another process copies the memory ${memoryId} to the database. Wait until it has finished.`,
    );
  }

  async #make(head: TransferHead, print: string): Promise<void> {
    await this.#db.sql.unsafe(
      `INSERT INTO memory (name, time_zone, wrapped_key, copying, analysis_version, names_version)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        head.memoryId,
        head.timeZone,
        this.#wrapping.wrap(head.memoryKey),
        print,
        ANALYSIS_VERSION,
        NAME_KEYS_VERSION,
      ],
    );
  }

  /**
   * Collects statistics about the memory's partitions, without which PostgreSQL chooses slow plans: it compares every
   * unit with every turn. A role that does not own the tables cannot do this: PostgreSQL skips them with a warning.
   */
  async #analyze(tables: readonly string[]): Promise<void> {
    for (const table of tables) {
      const sql = `SELECT tableoid::regclass::text AS name FROM ${table} WHERE memory_id = $1 LIMIT 1`;
      const partition = await this.#opened().read((_, tx) => tx.get<{ name: string }>(sql));
      if (partition) await this.#db.read(() => this.#db.sql.unsafe(`ANALYZE ${partition.name}`));
    }
  }

  async #write<T>(body: (tx: Session) => Promise<T>): Promise<T> {
    return this.#opened().write((_, tx) => body(tx));
  }

  #opened(): MemoryContext {
    if (this.#memory) return this.#memory;
    throw new MemoryError('CLOSED');
  }
}

async function clear(tx: Session, print: string): Promise<void> {
  for (const table of [...PLAIN.filter((name) => name !== 'turn'), 'key_page', 'unit_vector', 'counter']) {
    await tx.run(`DELETE FROM ${table} WHERE memory_id = $1`);
  }
  await tx.run('UPDATE memory SET copying = ? WHERE id = $1', print);
}

async function writeRows(
  { session: tx, shared }: Tables,
  table: TransferredName,
  rows: readonly Row[],
  wrapping: KeyWrapping,
): Promise<void> {
  if (table === 'key_page') {
    const pages = rows.map(({ id, keys }) => [readBytes(id), wrapping.wrap(readBytes(keys))]);
    await tx.insert('key_page', { id: 'bytea', keys: 'bytea' }, pages);
  } else if (table === 'unit_vector') await writeVectors(shared.vectors.sets, rows);
  else if (table === 'vector_set') {
    for (const row of rows) await perform(shared.vectors.sets.restore(readSet(row)));
  } else if (table === 'turn') await writeTurns(tx, rows);
  else await insert(tx, table, rows);
}

async function writeTurns(tx: Session, rows: readonly Row[]): Promise<void> {
  const fresh: Row[] = [];
  for (const row of rows) {
    const name = String(row['conversation_id']);
    if (isForgotten({ conversation_id: name })) {
      const sql = 'SELECT omoide_forget_turn($1, ?::bigint, ?) AS changed';
      const done = await tx.get<{ changed: number }>(sql, Number(row['id']), name);
      if (done && done.changed > 0) continue;
    }
    fresh.push(row);
  }
  await insert(tx, 'turn', fresh);
}

async function insert(tx: Session, table: PlainName, rows: readonly Row[]): Promise<void> {
  const { columns } = TRANSFERRED[table];
  const names = Object.keys(columns);
  await tx.insert(
    table,
    columns,
    rows.map((row) => names.map((name) => singleOf(row[name]))),
  );
}

async function writeVectors(sets: VectorSets, rows: readonly Row[]): Promise<void> {
  for (const set of await perform(sets.all())) {
    const own = rows.filter((row) => row['set_id'] === set.id);
    await perform(set.put(readVectors(own)));
    await perform(set.save());
  }
}

/** Ids up to `last` are never used again. */
async function raise(tx: Session, name: string, last: number): Promise<void> {
  const sql = `SELECT coalesce(max(id), 0) AS last FROM ${name} WHERE memory_id = $1`;
  const highest = (await tx.get<{ last: number }>(sql))?.last ?? 0;
  await tx.run(
    `INSERT INTO counter AS c VALUES ($1, ?, ?) ON CONFLICT (memory_id, name)
     DO UPDATE SET last = greatest(c.last, excluded.last)`,
    name,
    Math.max(last, highest),
  );
}

function singleOf(value: Row[string] | undefined): Single {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
