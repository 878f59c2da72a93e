/** Turns that are stored as evidence but not remembered. */
import type { Episode } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** The reason with which their episodes are archived. */
export const OFF_RECORD = 'off the record';

/**
 * The episodes to learn from: those that are not archived. An episode off the record that was not archived because
 * its process died is archived here; one whose state was changed by hand since is learnt from.
 */
export async function onRecord(store: Store, episodes: readonly Episode[]): Promise<Episode[]> {
  const live = episodes.filter(({ state }) => state !== 'archived');
  const turns = await store.evidence.get(live.map(({ payload }) => payload.turnId));
  const offRecord = new Set(turns.filter(({ meta }) => meta['remember'] === false).map(({ id }) => id));
  const remembered: Episode[] = [];
  for (const episode of live) {
    const isMeant = offRecord.has(episode.payload.turnId) && !(await wasArchived(store, episode));
    if (isMeant) await archive(store, episode);
    else remembered.push(episode);
  }
  return remembered;
}

async function wasArchived(store: Store, { id }: Episode): Promise<boolean> {
  return (await store.units.versions(id)).some(({ reason }) => reason === OFF_RECORD);
}

async function archive(store: Store, { id: unitId }: Episode): Promise<void> {
  await store.units.save([{ type: 'update', unitId, set: { state: 'archived' }, reason: OFF_RECORD }]);
}
