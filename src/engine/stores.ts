/** Locations of memories: a file for each in a folder, or a database for all of them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KeyFile, type KeyPlace, type MasterKeySetting } from '../keys/keys.ts';
import { checkMemoryId, isMemoryError, MemoryError, type Instant } from '../model/model.ts';
import { openSqliteSource, openSqliteStore, openSqliteTarget } from '../store/sqlite/sqlite.ts';
import {
  pagesOf,
  transferMemory,
  type BroadcastListener,
  type Broadcasts,
  type Store,
  type TransferReport,
  type TransferSource,
  type TransferTarget,
} from '../store/store.ts';

/** Where memories are stored. */
export interface MemoryPlace {
  /** Folder of the memories' files. With `store` it contains only other files: keys, witness logs, notes. */
  readonly dataDir: string;
  /** `postgres://…`: the database of the memories. */
  readonly store?: string | undefined;
  /** `qdrant://…`: the server that is searched for vectors. */
  readonly vectorIndex?: string | undefined;
}

export interface MemoryListing {
  readonly memoryId: string;
  /** The size of its file; null in a database, where memories are not stored separately. */
  readonly sizeBytes: number | null;
}

export interface StoreOptions {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly masterKey?: MasterKeySetting;
  /** Called when the server that is searched for vectors fails. */
  readonly onProblem?: (message: string) => void;
}

/** Opens a memory's store; creates it when it does not exist. @throws MemoryError as `openMemory` does */
export async function openStore(place: MemoryPlace, options: StoreOptions): Promise<Store> {
  const { onProblem = () => {}, ...others } = options;
  const store = await openOwnStore(place, others);
  if (place.vectorIndex === undefined) return store;
  try {
    const { withQdrant } = await import('../store/qdrant/qdrant.ts');
    return withQdrant(store, place.vectorIndex, { onProblem });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openOwnStore(place: MemoryPlace, options: Omit<StoreOptions, 'onProblem'>): Promise<Store> {
  if (place.store === undefined) {
    checkLetterCase(place.dataDir, options.memoryId);
    return openSqliteStore(memoryPath(place.dataDir, options.memoryId), options);
  }
  const { masterKey, ...others } = options;
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  return openPostgresStore(place.store, { ...others, keys: { folder: place.dataDir, masterKey } });
}

/** Windows and macOS ignore the case of file names: there `bot` would open the memory `Bot`. */
function checkLetterCase(dataDir: string, memoryId: string): void {
  const own = statSync(memoryPath(dataDir, memoryId), { bigint: true, throwIfNoEntry: false });
  if (!own) return;
  const others = memoryIdsIn(dataDir).filter(
    (id) => id !== memoryId && id.toLowerCase() === memoryId.toLowerCase(),
  );
  for (const id of others) {
    const other = statSync(memoryPath(dataDir, id), { bigint: true, throwIfNoEntry: false });
    if (other?.ino !== own.ino || other.dev !== own.dev) continue;
    throw new MemoryError(
      'INVALID_ID',
      `There is a memory ${id}, and this file system does not distinguish its name from ${memoryId}: write ${id}, or choose another id.`,
    );
  }
}

function memoryIdsIn(dataDir: string): string[] {
  return readdirSync(dataDir).flatMap((name) => /^memory_(.+)\.db$/.exec(name)?.[1] ?? []);
}

/** The existing memories, by id. @throws MemoryError when the database cannot be reached */
export async function listMemories({ dataDir, store }: MemoryPlace): Promise<MemoryListing[]> {
  if (store !== undefined) {
    const { listPostgresMemories } = await import('../store/postgres/postgres.ts');
    return (await listPostgresMemories(store)).map((memoryId) => ({ memoryId, sizeBytes: null }));
  }
  return memoryIdsIn(dataDir)
    .toSorted()
    .map((memoryId) => ({ memoryId, sizeBytes: sizeOf(dataDir, memoryId) }))
    .filter(({ sizeBytes }) => sizeBytes > 0);
}

/**
 * The memories with background work: in a folder all of them, since files must be opened to know; in a database those with jobs that are
 * due or whose lease has run out and, where `modelId` is given, those with vectors of another model.
 * @throws MemoryError when the database cannot be reached
 */
export async function memoriesWithWork(
  place: MemoryPlace,
  { now, modelId }: { readonly now: Instant; readonly modelId?: string | undefined },
): Promise<string[]> {
  if (place.store === undefined) return (await listMemories(place)).map(({ memoryId }) => memoryId);
  const { postgresMemoriesWithWork } = await import('../store/postgres/postgres.ts');
  return postgresMemoriesWithWork(place.store, now, modelId);
}

/** @throws MemoryError INVALID_ID, and when the database cannot be reached */
export async function memoryExists({ dataDir, store }: MemoryPlace, memoryId: string): Promise<boolean> {
  checkMemoryId(memoryId);
  if (store === undefined) return sizeOf(dataDir, memoryId) > 0;
  const { postgresMemoryExists } = await import('../store/postgres/postgres.ts');
  return postgresMemoryExists(store, memoryId);
}

/**
 * Starts exchanging messages with other processes that serve the same database. Null for files, which only one
 * server serves.
 * @throws MemoryError when the database cannot be reached
 */
export async function openBroadcasts(
  { store }: MemoryPlace,
  listener: BroadcastListener,
): Promise<Broadcasts | null> {
  if (store === undefined) return null;
  const { openPostgresBroadcasts } = await import('../store/postgres/postgres.ts');
  return openPostgresBroadcasts(store, listener);
}

/** The path of a memory's file. */
export function memoryPath(dataDir: string, memoryId: string): string {
  return join(dataDir, `memory_${memoryId}.db`);
}

/** 0 when it does not exist or its creation was interrupted. */
function sizeOf(dataDir: string, memoryId: string): number {
  return statSync(memoryPath(dataDir, memoryId), { throwIfNoEntry: false })?.size ?? 0;
}

/** See `rotateStoreKeys`. */
export async function rotateKeysOfStore(url: string, place: KeyPlace, to?: MasterKeySetting): Promise<void> {
  const { rotatePostgresKeys } = await import('../store/postgres/postgres.ts');
  await rotatePostgresKeys(url, place, to);
}

export interface MigrateOptions {
  readonly memoryId: string;
  readonly from: MemoryPlace;
  readonly to: MemoryPlace;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Copies a memory to another place, with its ids, hashes and keys, and compares the copy. What was interrupted goes on where
 * it was. The memory stays where it is, and nothing may change it meanwhile.
 * @throws MemoryError NOT_FOUND, INVALID_INPUT when it is there already, BUSY when it changed, CHAIN_BROKEN, KEY_MISSING
 */
export async function migrateMemory(options: MigrateOptions): Promise<TransferReport> {
  const { memoryId, from, to, onProgress } = options;
  if (!(await memoryExists(from, memoryId))) {
    throw new MemoryError(
      'NOT_FOUND',
      `There is no memory ${memoryId} in ${from.store === undefined ? from.dataDir : 'the database'}.`,
    );
  }
  // Brings it up to date, so that its rows are those of this version.
  await (await openStore(from, { memoryId, timeZone: 'UTC', now: Date.now })).close();
  const source = await openSource(from, memoryId);
  try {
    const target = await openTarget(to, memoryId);
    try {
      return await transferMemory(source, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Whether the memory was copied before: it is in both places, with the same turns. */
export async function isMigrated({
  memoryId,
  from,
  to,
}: Omit<MigrateOptions, 'onProgress'>): Promise<boolean> {
  for (const place of [from, to]) if (!(await isWhole(place, memoryId))) return false;
  const [ours, theirs] = [await lastTurn(from, memoryId), await lastTurn(to, memoryId)];
  return ours === theirs;
}

/** Whether there is a memory, and not the beginning of a copy. */
async function isWhole(place: MemoryPlace, memoryId: string): Promise<boolean> {
  if (!(await memoryExists(place, memoryId))) return false;
  try {
    await (await openStore(place, { memoryId, timeZone: 'UTC', now: Date.now })).close();
    return true;
  } catch (error) {
    if (isMemoryError(error) && error.code === 'BUSY') return false;
    throw error;
  }
}

/** The number of turns and the chain hash of the last one. */
async function lastTurn(place: MemoryPlace, memoryId: string): Promise<string> {
  const source = await openSource(place, memoryId);
  try {
    const turns = await source.count('turn');
    const [last] = await source.page('turn', { skip: Math.max(0, turns - 1), limit: 1 });
    return `${turns} ${last ? toBuffer(last['chain_hash']).toString('hex') : ''}`;
  } finally {
    await source.close();
  }
}

/**
 * Copies the keys of a memory in a database to `keys.db` in a folder, which has the database's master key.
 * @throws MemoryError NOT_FOUND, KEY_MISSING
 */
export async function copyKeysOfStore(
  url: string,
  to: { readonly dataDir: string; readonly memoryId: string; readonly masterKey?: MasterKeySetting },
): Promise<void> {
  const { dataDir, memoryId, masterKey } = to;
  const { openPostgresSource } = await import('../store/postgres/postgres.ts');
  const source = await openPostgresSource({ url, memoryId, keys: { folder: dataDir, masterKey } });
  const file = new KeyFile(dataDir, masterKey ? { masterKey } : {});
  try {
    file.pages().setMemoryKey(memoryId, source.head.memoryKey);
    for await (const rows of pagesOf(source, 'key_page')) {
      const pages = rows.map(({ id, keys }) => ({ id: toBuffer(id), keys: toBuffer(keys) }));
      file.pages().putPages(memoryId, pages);
    }
  } finally {
    file.close();
    await source.close();
  }
}

function toBuffer(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0);
}

async function openSource({ dataDir, store }: MemoryPlace, memoryId: string): Promise<TransferSource> {
  if (store === undefined) return openSqliteSource({ path: memoryPath(dataDir, memoryId), memoryId });
  const { openPostgresSource } = await import('../store/postgres/postgres.ts');
  return openPostgresSource({ url: store, memoryId, keys: { folder: dataDir } });
}

async function openTarget({ dataDir, store }: MemoryPlace, memoryId: string): Promise<TransferTarget> {
  if (store === undefined) return openSqliteTarget({ path: memoryPath(dataDir, memoryId), memoryId });
  const { openPostgresTarget } = await import('../store/postgres/postgres.ts');
  return openPostgresTarget({ url: store, memoryId, keys: { folder: dataDir } });
}
