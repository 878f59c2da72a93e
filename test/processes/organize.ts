/**
 * A process that reorganises a memory on its schedule. Tests kill it; started again, it continues.
 *
 *     node organize.ts '{"path":"…/memory.db"}'
 *
 * Lines: `open`, `planned` before a plan is written to the journal, `applied` after it, `done`.
 */
import { writeSync } from 'node:fs';
import { createReorganizeDerivation } from '../../src/organize/organize.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

export interface OrganizeRequest {
  readonly path: string;
  /** A fixed clock. */
  readonly now: number;
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** The store, which reports when it applies changes. */
function reporting(store: Store): Store {
  const apply = store.journal.apply.bind(store.journal);
  store.journal.apply = async (change) => {
    say('planned');
    const entry = await apply(change);
    say('applied');
    return entry;
  };
  return store;
}

async function main({ path, now }: OrganizeRequest): Promise<void> {
  const store = reporting(openSqliteStore(path, { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => now }));
  const parts = {
    store,
    now: () => now,
    model: () => null,
    nameTopic: async (unitIds: readonly number[]) => ({ title: `From ${unitIds[0]}`, summary: null }),
    unitJobKinds: [],
  };
  say('open');
  const derivation = createReorganizeDerivation(parts, 'nightly');
  // A killed process may still hold a lease; the test does not wait for it to expire.
  const claim = { kinds: ['reorganize'], owner: 'child', leaseMs: 1, limit: 1 };
  const jobs = await store.jobs.claim({ ...claim, now: now + 1_000 });
  await derivation.run(jobs, new AbortController().signal);
  await store.jobs.settle(
    'child',
    jobs.map((job) => ({ jobId: job.id, result: 'done' })),
  );
  await store.close();
  say('done');
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as OrganizeRequest);
