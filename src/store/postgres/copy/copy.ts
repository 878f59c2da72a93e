/**
 * Copies of memories in this process, so that a recall need not read what has not changed: of small ones all that recalls read, of
 * larger ones what searches read.
 */
export { Copies, type CopyLimits } from './copies.ts';
export { CopyBudget } from './copyBudget.ts';
export { withCopies } from './copiedGroups.ts';
