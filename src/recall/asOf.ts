import type { Instant, Unit } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/**
 * Derived units as they were at an instant, in the given order. Later changes are undone. A unit that did not exist at
 * that instant stays as it is now, for example when old conversations were imported later. The text of an episode never
 * changes.
 */
export async function unitsAsOf<U extends Unit>(
  store: Store,
  units: readonly U[],
  at: Instant,
): Promise<U[]> {
  return Promise.all(
    units.map(async (unit) => {
      if (unit.kind === 'episode' || unit.updatedAt <= at) return unit;
      const versions = await store.units.versions(unit.id);
      const then = versions.findLast((version) => version.at <= at);
      return then ? (then.snapshot as U) : unit;
    }),
  );
}
