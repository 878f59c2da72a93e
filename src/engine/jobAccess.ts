import type { Worker } from '../derive/derive.ts';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { JobAccess } from './memory.ts';

/** The workers of a memory, as far as its jobs concern them. */
export interface JobWorkers {
  /** There may be work. */
  wake(): void;
  list(): readonly Pick<Worker, 'outages' | 'endOutages'>[];
}

/** Most jobs looked through when another model is set. */
const MAX_RESUMED = 10_000;

/** Makes jobs due that wait for their next try: another model may reach what could not be reached. */
export async function resumeJobs(jobs: JobAccess): Promise<void> {
  const queued = await jobs.list({ status: 'queued', limit: MAX_RESUMED });
  await jobs.runNow(queued.filter(({ lastError }) => lastError !== null).map(({ id }) => id));
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
    for (const worker of workers.list()) worker.endOutages();
    return woken(count);
  };
  return {
    list: (query) => jobs.list(query),
    count: () => jobs.count(),
    outages: () => workers.list().flatMap((worker) => worker.outages),
    retry: async (jobIds) => resumed(await jobs.retryFailed(now(), jobIds)),
    runNow: async (jobIds) => resumed(await jobs.runNow(now(), jobIds)),
    request: async (job) => woken((await jobs.enqueue([job], now())) > 0),
  };
}
