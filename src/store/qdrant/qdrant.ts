/** Vectors of a store searched by Qdrant: the door of this folder. */
import {
  withParts,
  type Forgetting,
  type JournalTable,
  type Store,
  type StoreAdmin,
  type Verification,
} from '../store.ts';
import { MemoryError } from '../../model/model.ts';
import { parseQdrantUrl } from './address.ts';
import { QdrantClient } from './client.ts';
import { QdrantConnection } from './connection.ts';
import { PointMirror, type Differences } from './mirror.ts';
import { MemoryPoints } from './points.ts';
import { QdrantVectorIndex } from './vectorIndex.ts';

export interface QdrantOptions {
  /** Called when Qdrant fails: the store then searches its own vectors. */
  readonly onProblem: (message: string) => void;
}

/**
 * The store, searched for vectors by the Qdrant server at `qdrant://HOST:PORT/PREFIX`. Qdrant need not be reachable: the
 * store's own vectors are searched until it is.
 * @throws MemoryError INVALID_INPUT
 */
export function withQdrant(store: Store, url: string, { onProblem }: QdrantOptions): Store {
  const address = parseQdrantUrl(url);
  const points = new MemoryPoints(new QdrantClient(address), address, store.memoryId);
  const mirror = new PointMirror(store, points);
  const connection = new QdrantConnection(mirror, onProblem);
  const vectors = new QdrantVectorIndex(store, points, mirror, connection);
  return withParts(store, {
    indexes: { ...store.indexes, vectors },
    journal: followJournal(store.journal, connection),
    forgetting: forgetPoints(store.forgetting, { points, mirror, connection }),
    admin: checkPoints(store.admin, mirror, connection),
    async close() {
      await connection.close();
      await store.close();
    },
  });
}

function followJournal(journal: JournalTable, connection: QdrantConnection): JournalTable {
  return {
    apply: (change) => journal.apply(change),
    list: (page) => journal.list(page),
    get: (id) => journal.get(id),
    async rollback(id) {
      const entry = await journal.rollback(id);
      // It brings earlier vectors back.
      connection.markStale();
      return entry;
    },
  };
}

interface Parts {
  readonly points: MemoryPoints;
  readonly mirror: PointMirror;
  readonly connection: QdrantConnection;
}

function forgetPoints(forgetting: Forgetting, { points, mirror, connection }: Parts): Forgetting {
  return {
    async erase(erasure) {
      const unitIds = [
        ...erasure.unitIds,
        ...erasure.receipt.units.flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, i) => first + i),
        ),
        ...erasure.reworded.map(({ unitId }) => unitId),
      ];
      try {
        await points.remove(unitIds);
      } catch (cause) {
        if (!(cause instanceof MemoryError)) throw cause;
        throw new MemoryError(cause.code, `Nothing was forgotten: ${cause.message}`, { cause });
      }
      try {
        await forgetting.erase(erasure);
      } finally {
        // A vector may have been on its way; when nothing was erased, the points come back.
        await connection.write(() => mirror.follow(unitIds));
      }
    },
    dropCaches: () => forgetting.dropCaches(),
    erasureState: () => forgetting.erasureState(),
    receipts: () => forgetting.receipts(),
    removeHistory: (before) => forgetting.removeHistory(before),
  };
}

function checkPoints(admin: StoreAdmin, mirror: PointMirror, connection: QdrantConnection): StoreAdmin {
  return {
    info: () => admin.info(),
    async verify() {
      const checked = await admin.verify();
      await connection.settled();
      return { ...checked, problems: [...checked.problems, ...(await problemsOf(mirror))] };
    },
    async rebuild(what, plan) {
      const report = await admin.rebuild(what, plan);
      await mirror.repair();
      return report;
    },
  };
}

async function problemsOf(mirror: PointMirror): Promise<Verification['problems']> {
  const reportAs = (message: string) => ({ code: 'INDEX_WRONG' as const, message });
  try {
    return describe(await mirror.compare()).map(reportAs);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return [reportAs(`The vectors in Qdrant could not be compared. ${error.message}`)];
  }
}

function describe({ missing, stale, orphans }: Differences): string[] {
  return [
    ...(missing.length > 0 ? [`Qdrant lacks the vectors of ${list(missing)}.`] : []),
    ...(stale.length > 0 ? [`Qdrant has other vectors or days of ${list(stale)}.`] : []),
    ...(orphans.length > 0 ? [`Qdrant has vectors of ${list(orphans)}, which do not exist.`] : []),
  ];
}

const MAX_LISTED = 10;

function list(unitIds: readonly number[]): string {
  const more = unitIds.length > MAX_LISTED ? ' and others' : '';
  return `${unitIds.length} units (${unitIds.slice(0, MAX_LISTED).join(', ')}${more})`;
}
