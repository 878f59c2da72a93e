/** Copies of small memories in this process, so that a recall need not read what has not changed. */
export { Copies } from './copies.ts';
export { withCopies } from './copiedGroups.ts';
