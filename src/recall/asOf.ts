import type { Instant, Unit } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/**
 * Derived units as they were at an instant, in the order given: what was changed since is taken back. One that was not
 * kept yet is as it is, as when old conversations were brought in later. An episode's words never change.
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
      return then ? (then.snapshot as unknown as U) : unit;
    }),
  );
}
