import type { Jobs } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';

export function createJobs(core: MemoryCore): Jobs {
  const { jobs } = core.store;
  const { now } = core.parts;
  return {
    list: async (query) => jobs.list(query),
    count: async () => jobs.count(),
    outages: () => core.outages,
    async retry(jobIds) {
      const count = await jobs.retryFailed(now(), jobIds);
      core.resumeWorkers();
      return count;
    },
    runNow: async (jobIds) => core.runNow(jobIds),
    async request(job) {
      const count = await jobs.enqueue([job], now());
      if (count > 0) core.wake();
      return count > 0;
    },
  };
}
