import type { Outage } from '../derive/derive.ts';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { JobAccess } from './memory.ts';

/** The workers of a memory, as far as its jobs concern them. */
export interface JobWorkers {
  /** There may be work. */
  wake(): void;
  /** Models and servers that could not be reached are asked again now. */
  endOutages(): void;
  readonly outages: readonly Outage[];
}

/** The jobs of a memory, for whoever looks after them. */
export function openJobAccess(
  { jobs }: Pick<Store, 'jobs'>,
  now: () => Instant,
  workers: JobWorkers,
): JobAccess {
  const woken = <T>(count: T): T => {
    workers.wake();
    return count;
  };
  const resumed = <T>(count: T): T => {
    workers.endOutages();
    return woken(count);
  };
  return {
    list: (query) => jobs.list(query),
    count: () => jobs.count(),
    outages: () => workers.outages,
    retry: async (jobIds) => resumed(await jobs.retryFailed(now(), jobIds)),
    runNow: async (jobIds) => resumed(await jobs.runNow(now(), jobIds)),
    request: async (job) => woken((await jobs.enqueue([job], now())) > 0),
  };
}
