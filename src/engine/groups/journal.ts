import { isDeepStrictEqual } from 'node:util';
import {
  MemoryError,
  parseInput,
  reorganizationPlanSchema,
  type JournalEntry,
  type ReorganizationPlan,
} from '../../model/model.ts';
import { applyPlan, describePlan, planReorganization } from '../../organize/organize.ts';
import type { Store } from '../../store/store.ts';
import type { Journal } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';

/** How many journal entries are searched for a plan that was applied before. */
const ENTRIES_SEEN = 20;

export function createJournal(core: MemoryCore): Journal {
  const { store } = core;
  const { organize } = core.parts;
  /** The last requested reorganisation: they run one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    async plan() {
      const plan = await planReorganization(organize);
      return { plan, lines: await describePlan(store, plan) };
    },
    describe: async (plan) => describePlan(store, parsePlan(plan)),
    async reorganize(given) {
      const done = last.then(() => reorganize(core, given));
      last = done.catch(() => null);
      return done;
    },
    list: async (page) => store.journal.list(page),
    get: async (entryId) => store.journal.get(entryId),
    async rollback(entryId) {
      const entry = await store.journal.rollback(entryId);
      core.wake();
      return entry;
    },
  };
}

async function reorganize(core: MemoryCore, given?: ReorganizationPlan): Promise<JournalEntry> {
  const { organize } = core.parts;
  const plan = given ? parsePlan(given) : await planReorganization(organize);
  if (given) await checkNotDone(core.store, plan);
  const entry = await applyPlan(organize, plan, { key: null });
  core.wake();
  return entry;
}

function parsePlan(plan: ReorganizationPlan): ReorganizationPlan {
  return parseInput(reorganizationPlanSchema, plan, 'a plan');
}

/** Operations that only add would otherwise be applied twice. */
async function checkNotDone(store: Store, plan: ReorganizationPlan): Promise<void> {
  const entries = await store.journal.list({ limit: ENTRIES_SEEN });
  const done = entries.find((entry) => entry.state === 'applied' && isDeepStrictEqual(entry.plan, plan));
  if (!done) return;
  throw new MemoryError(
    'VERSION_CONFLICT',
    `Entry ${done.id} of the journal has already applied this plan.`,
    {
      entryId: done.id,
    },
  );
}
