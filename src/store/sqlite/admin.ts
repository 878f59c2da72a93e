import { statSync } from 'node:fs';
import { KINDS, MemoryError, messageOf, recordOf } from '../../model/model.ts';
import type { CodeOf } from '../rows/rows.ts';
import type { JobTable, StoreAdmin, StoreInfo, Verification } from '../store.ts';
import type { Database } from './database.ts';
import { schemaVersion } from './migrate.ts';
import { rebuildMemory } from './rebuild.ts';
import type { TextIndex } from './textIndex.ts';
import { performNow, type SharedTables } from '../tables/tables.ts';
import type { TurnTable } from './turns.ts';
import type { UnitTable } from './units.ts';
import type { SqliteVectorIndex } from './vectorIndex.ts';
import { verifyMemory } from './verify.ts';

export interface AdminParts {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly jobs: JobTable;
  readonly turns: TurnTable;
  readonly units: UnitTable;
  readonly textIndex: TextIndex;
  readonly vectors: SqliteVectorIndex;
  readonly tables: SharedTables;
}

export function createAdmin(db: Database, parts: AdminParts): StoreAdmin {
  return {
    async info() {
      const jobs = await parts.jobs.count();
      return db.read(() => ({ ...readInfo(db, parts), jobs }));
    },
    verify: async () => verify(db, parts),
    rebuild: async (what, plan) => db.write(() => rebuildMemory(db, parts, what, plan)),
  };
}

/** @throws MemoryError NOT_A_MEMORY when the file is damaged so much that it cannot be compared */
function verify(db: Database, parts: AdminParts): Verification {
  try {
    return db.read(() => verifyMemory(db, parts));
  } catch (cause) {
    if (cause instanceof MemoryError) throw cause;
    const reason = messageOf(cause);
    throw new MemoryError('NOT_A_MEMORY', `${db.path} is damaged and cannot be checked: ${reason}`, {
      cause,
    });
  }
}

function readInfo(db: Database, parts: AdminParts): Omit<StoreInfo, 'jobs'> {
  const units = recordOf(KINDS, () => 0);
  for (const row of db.all<{ kind: CodeOf<typeof KINDS>; n: number }>(
    'SELECT kind, count(*) AS n FROM unit GROUP BY kind',
  )) {
    units[KINDS[row.kind]] = row.n;
  }
  const turns = db.get<{ n: number; conversations: number; first: number | null; last: number | null }>(
    `SELECT coalesce(sum(turns), 0) AS n, count(*) AS conversations,
       min(first_turn_at) AS first, max(last_turn_at) AS last FROM conversation`,
  );
  return {
    memoryId: parts.memoryId,
    location: db.path,
    schemaVersion: schemaVersion(db),
    timeZone: parts.timeZone,
    turns: turns?.n ?? 0,
    conversations: turns?.conversations ?? 0,
    units,
    topics: performNow(parts.tables.topics.countActive()),
    vectorModel: parts.vectors.modelNow(),
    sizeBytes: sizeOnDisk(db.path),
    firstTurnAt: turns?.first ?? null,
    lastTurnAt: turns?.last ?? null,
  };
}

function sizeOnDisk(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
