import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { START } from './conformance/samples.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { temporaryFolder } from './temporary.ts';

/** Two stores on one new memory, like two processes: the caches of one must follow the writes of the other. */
export function openTwo(): [Store, Store] {
  const path = join(temporaryFolder(), 'memory_m1.db');
  const options = { memoryId: 'm1', timeZone: 'UTC', now: () => START };
  const stores: [Store, Store] = [openSqliteStore(path, options), openSqliteStore(path, options)];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return stores;
}
