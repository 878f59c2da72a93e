/** Where memories are kept: a file for each in a folder, or a database for all of them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterKeySetting } from '../keys/keys.ts';
import { checkMemoryId, MemoryError, type Instant } from '../model/model.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { BroadcastListener, Broadcasts, Store } from '../store/store.ts';

/** Where memories are to be found. */
export interface MemoryPlace {
  /** Folder of the memories' files. With `store` of what lies beside a memory alone: keys, witness logs, notes. */
  readonly dataDir: string;
  /** `postgres://…`: the database in which the memories are kept. */
  readonly store?: string | undefined;
}

export interface MemoryListing {
  readonly memoryId: string;
  /** Of its file; null in a database, whose memories share their pages. */
  readonly sizeBytes: number | null;
}

export interface StoreOptions {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly masterKey?: MasterKeySetting;
}

/** Opens a memory's store, making it when it is not there. @throws MemoryError as `openMemory` does */
export async function openStore(place: MemoryPlace, options: StoreOptions): Promise<Store> {
  if (place.store === undefined) return openSqliteStore(memoryPath(place.dataDir, options.memoryId), options);
  const { masterKey, ...others } = options;
  if (masterKey !== undefined) {
    throw new MemoryError(
      'INVALID_INPUT',
      'Words in PostgreSQL are not encrypted by Omoide: it takes no master key.',
    );
  }
  const { openPostgresStore } = await import('../store/postgres/postgres.ts');
  return openPostgresStore(place.store, others);
}

/** The memories there are, by id. @throws MemoryError when the database cannot be asked */
export async function listMemories({ dataDir, store }: MemoryPlace): Promise<MemoryListing[]> {
  if (store !== undefined) {
    const { listPostgresMemories } = await import('../store/postgres/postgres.ts');
    return (await listPostgresMemories(store)).map((memoryId) => ({ memoryId, sizeBytes: null }));
  }
  const ids = readdirSync(dataDir).flatMap((name) => /^memory_(.+)\.db$/.exec(name)?.[1] ?? []);
  return ids
    .toSorted()
    .map((memoryId) => ({ memoryId, sizeBytes: sizeOf(dataDir, memoryId) }))
    .filter(({ sizeBytes }) => sizeBytes > 0);
}

/** @throws MemoryError INVALID_ID, and when the database cannot be asked */
export async function memoryExists({ dataDir, store }: MemoryPlace, memoryId: string): Promise<boolean> {
  checkMemoryId(memoryId);
  if (store === undefined) return sizeOf(dataDir, memoryId) > 0;
  const { postgresMemoryExists } = await import('../store/postgres/postgres.ts');
  return postgresMemoryExists(store, memoryId);
}

/**
 * Begins to tell the other processes that serve the same database what happens here, and to hear of them. Null of files,
 * which one server serves.
 * @throws MemoryError when the database cannot be asked
 */
export async function openBroadcasts(
  { store }: MemoryPlace,
  listener: BroadcastListener,
): Promise<Broadcasts | null> {
  if (store === undefined) return null;
  const { openPostgresBroadcasts } = await import('../store/postgres/postgres.ts');
  return openPostgresBroadcasts(store, listener);
}

/** Where a memory's file lies. */
export function memoryPath(dataDir: string, memoryId: string): string {
  return join(dataDir, `memory_${memoryId}.db`);
}

/** 0 when it is not there; also what is left of one whose making was cut off at once. */
function sizeOf(dataDir: string, memoryId: string): number {
  return statSync(memoryPath(dataDir, memoryId), { throwIfNoEntry: false })?.size ?? 0;
}
