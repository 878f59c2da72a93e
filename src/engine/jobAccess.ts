import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { JobAccess } from './memory.ts';

/** The jobs of a memory, for whoever looks after them. `wake` is told when there may be work. */
export function openJobAccess(
  { jobs }: Pick<Store, 'jobs'>,
  now: () => Instant,
  wake: () => void,
): JobAccess {
  const woken = <T>(count: T): T => {
    wake();
    return count;
  };
  return {
    list: (query) => jobs.list(query),
    count: () => jobs.count(),
    retry: async (jobIds) => woken(await jobs.retryFailed(now(), jobIds)),
    runNow: async (jobIds) => woken(await jobs.runNow(now(), jobIds)),
    request: async (job) => woken((await jobs.enqueue([job], now())) > 0),
  };
}
