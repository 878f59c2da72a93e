/** Every process that has a memory of a database open clears its caches when another process forgets something. */
import { describe, expect, test } from 'vitest';
import { forgetInProcess } from '../forgottenInHeap.ts';
import type { HeapRequest } from '../processes/heapAfterForgetting.ts';
import { temporaryFolder } from '../temporary.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer } from './shared.ts';

const missing = missingForServer();
describe.skipIf(missing !== null)(`PostgreSQL ${missing ?? ''}`, () => {
  test.each(['library', 'server', 'other library', 'other server', 'worker'] satisfies HeapRequest['role'][])(
    'what was forgotten is in no string of a running process: %s',
    async (role) => {
      const store = await newDatabase(await sharedServer());
      const forgotten = await forgetInProcess({ role, dataDir: temporaryFolder(), store });
      expect(forgotten).toEqual({ neverLearnt: [], left: [] });
    },
    300_000,
  );
});
