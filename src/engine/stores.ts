/** Locations of memories: a file for each in a folder, or a database for all of them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPlace, MasterKeySetting } from '../keys/keys.ts';
import { checkMemoryId, MemoryError, type Instant } from '../model/model.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { BroadcastListener, Broadcasts, Store } from '../store/store.ts';

/** Where memories are stored. */
export interface MemoryPlace {
  /** Folder of the memories' files. With `store` it contains only other files: keys, witness logs, notes. */
  readonly dataDir: string;
  /** `postgres://…`: the database of the memories. */
  readonly store?: string | undefined;
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
}

/** Opens a memory's store; creates it when it does not exist. @throws MemoryError as `openMemory` does */
export async function openStore(place: MemoryPlace, options: StoreOptions): Promise<Store> {
  if (place.store === undefined) {
    checkSpelling(place.dataDir, options.memoryId);
    return openSqliteStore(memoryPath(place.dataDir, options.memoryId), options);
  }
  const { masterKey, ...others } = options;
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  return openPostgresStore(place.store, { ...others, keys: { folder: place.dataDir, masterKey } });
}

/** Windows and macOS ignore the case of file names: there `bot` would open the memory `Bot`. */
function checkSpelling(dataDir: string, memoryId: string): void {
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
      `There is a memory ${id}, and this disk does not tell its name from ${memoryId}: write ${id}, or choose another id.`,
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
