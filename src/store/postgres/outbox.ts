import type { Session } from './session.ts';

/** Sources of episodes that listeners are notified of. */
const TOLD_SOURCES = new Set(['notification', 'meta_request', 'reminder']);

/** Records which new episodes listeners are notified of, in the transaction that stores them. */
export async function noteEvents(
  tx: Session,
  episodes: readonly { readonly id: number; readonly source: string }[],
): Promise<void> {
  const ids = episodes.filter(({ source }) => TOLD_SOURCES.has(source)).map(({ id }) => id);
  if (ids.length === 0) return;
  const sql = "INSERT INTO outbox (memory_id, kind, unit_id) SELECT $1, 'event', unnest(?::bigint[])";
  await tx.run(sql, ids);
}

/** Records a deletion, in the transaction that deletes. */
export async function noteErasure(tx: Session): Promise<void> {
  await tx.run("INSERT INTO outbox (memory_id, kind) VALUES ($1, 'erased')");
}
