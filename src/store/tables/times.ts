import { MAX_SPAN_MS, type Span } from '../../text/text.ts';
import type { UnitFilter } from '../store.ts';
import { filterSql } from './filter.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** Units that mention a time overlapping the span, newest first. */
export function* searchTimes(tx: Sql, span: Span, filter: UnitFilter, limit: number): Steps<number[]> {
  const { where, values } = filterSql(filter, tx.keys);
  const rows = yield* tx.all<{ id: number }>(
    `SELECT DISTINCT u.id, u.occurred_at FROM unit_time x JOIN unit u ON u.memory_id = $1 AND u.id = x.unit_id
     WHERE x.memory_id = $1 AND x.from_at < ? AND x.from_at > ? AND x.to_at > ? AND ${where}
     ORDER BY u.occurred_at DESC, u.id DESC LIMIT ?`,
    span.to,
    span.from - MAX_SPAN_MS,
    span.from,
    ...values,
    limit,
  );
  return rows.map((row) => row.id);
}

/** The times that these units mention. */
export function* timesOf(tx: Sql, unitIds: readonly number[]): Steps<Map<number, Span[]>> {
  const times = new Map<number, Span[]>();
  const rows = yield* tx.all<{ id: number; from: number; to: number }>(
    `SELECT unit_id AS id, from_at AS "from", to_at AS "to" FROM unit_time
     WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY 1, 2, 3`,
    unitIds,
  );
  for (const { id, from, to } of rows) times.set(id, [...(times.get(id) ?? []), { from, to }]);
  return times;
}
