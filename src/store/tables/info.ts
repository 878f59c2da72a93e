import { KINDS, recordOf } from '../../model/model.ts';
import type { CodeOf } from '../rows/rows.ts';
import type { StoreInfo } from '../store.ts';
import type { Steps } from './steps.ts';
import type { SharedTables } from './sharedTables.ts';

/** What the tables tell about a memory. */
export function* readInfo(
  tables: SharedTables,
): Steps<Omit<StoreInfo, 'location' | 'schemaVersion' | 'sizeBytes'>> {
  const { tx, vectors, jobs, topics, memoryId, timeZone } = tables;
  const units = recordOf(KINDS, () => 0);
  const kinds = yield* tx.all<{ kind: CodeOf<typeof KINDS>; n: number }>(
    'SELECT kind, count(*) AS n FROM unit WHERE memory_id = $1 GROUP BY kind',
  );
  for (const { kind, n } of kinds) units[KINDS[kind]] = n;
  const turns = yield* tx.get<{
    n: number;
    conversations: number;
    first: number | null;
    last: number | null;
  }>(
    `SELECT coalesce(sum(turns), 0)::bigint AS n, count(*) AS conversations, min(first_turn_at) AS first,
       max(last_turn_at) AS last FROM conversation WHERE memory_id = $1`,
  );
  return {
    memoryId,
    timeZone,
    turns: turns?.n ?? 0,
    conversations: turns?.conversations ?? 0,
    units,
    topics: yield* topics.countActive(),
    vectorModel: yield* vectors.model(),
    jobs: yield* jobs.count(),
    firstTurnAt: turns?.first ?? null,
    lastTurnAt: turns?.last ?? null,
  };
}
