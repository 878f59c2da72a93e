/**
 * A process that reorganises a memory as its schedule says; tests run it to kill it. Started again it goes on.
 *
 *     node organize.ts '{"path":"…/memory.db"}'
 *
 * Lines: `open`, `planned` when a plan is about to be written to the journal, `applied` when it is, `done`.
 */
import { writeSync } from 'node:fs';
import { createReorganizeDerivation } from '../../src/organize/organize.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

export interface OrganizeRequest {
  readonly path: string;
  /** The clock, which stands still. */
  readonly now: number;
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** The store, which says when it applies something. */
function telling(store: Store): Store {
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
  const store = telling(openSqliteStore(path, { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => now }));
  const parts = {
    store,
    now: () => now,
    model: () => null,
    nameTopic: async (unitIds: readonly number[]) => ({ title: `From ${unitIds[0]}`, summary: null }),
    unitJobKinds: [],
  };
  say('open');
  const derivation = createReorganizeDerivation(parts, 'nightly');
  // A process that was killed may still hold a lease; the test does not wait for its end.
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
