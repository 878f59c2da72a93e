import { isMemoryError, MemoryError, type JournalEntry, type ReorganizationPlan } from '../model/model.ts';
import { compilePlan } from './compile.ts';
import type { OrganizeParts } from './parts.ts';
import { validatePlan } from './validate.ts';

/** How often applying is tried when the memory changes in the meantime. */
const MAX_TRIES = 3;

/**
 * Applies a plan, all of it or nothing, and writes the journal. Episodes added to its topics since it was made are
 * moved along in a merge, and stay where they are in a split.
 * @param options.key makes the call idempotent: if an entry with this key exists, nothing is done and that entry is
 * returned
 * @throws MemoryError INVALID_INPUT when the plan is not valid (any more), VERSION_CONFLICT when the memory keeps
 * changing
 */
export async function applyPlan(
  parts: Pick<OrganizeParts, 'store' | 'now' | 'unitJobKinds'>,
  plan: ReorganizationPlan,
  options: { readonly key: string | null },
): Promise<JournalEntry> {
  const { store, now, unitJobKinds } = parts;
  const { key } = options;
  for (let tries = 1; ; tries++) {
    await validatePlan(store, plan);
    const changes = await compilePlan(store, plan, now());
    try {
      return await store.journal.apply({ key, plan, ...changes, unitJobKinds });
    } catch (error) {
      if (!isMemoryError(error, 'VERSION_CONFLICT')) throw error;
      if (tries >= MAX_TRIES)
        throw new MemoryError(
          'VERSION_CONFLICT',
          `The memory changed while the plan was applied; create a new plan. ${error.message}`,
          {
            ...error.details,
            cause: error,
          },
        );
    }
  }
}
