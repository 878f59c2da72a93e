import type { Session } from './session.ts';

/** Sources of episodes that listeners are told of. */
const TOLD_SOURCES = new Set(['notification', 'meta_request', 'reminder']);

/** Notes, in the transaction that keeps them, which of the new episodes listeners are told of. */
export async function noteEvents(
  tx: Session,
  episodes: readonly { readonly id: number; readonly source: string }[],
): Promise<void> {
  const ids = episodes.filter(({ source }) => TOLD_SOURCES.has(source)).map(({ id }) => id);
  if (ids.length === 0) return;
  const sql = "INSERT INTO outbox (memory_id, kind, unit_id) SELECT $1, 'event', unnest(?::bigint[])";
  await tx.run(sql, ids);
}

/** Notes, in the transaction that erases it, that something is forgotten. */
export async function noteErasure(tx: Session): Promise<void> {
  await tx.run("INSERT INTO outbox (memory_id, kind) VALUES ($1, 'erased')");
}
