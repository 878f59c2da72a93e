import type { Store } from '../store/store.ts';

/**
 * Runs one after another what must not run at once: reading what is known and writing what is new. Of a memory in a
 * database, that holds for the workers of all processes.
 */
export function createMutex(store: Store, kind: string): <T>(work: () => Promise<T>) => Promise<T> {
  return (work) => store.exclusively(`derive ${kind}`, work);
}

/** What was read, with what was kept since in its place. */
export function withChanged<T extends { readonly id: number }>(read: readonly T[], kept: readonly T[]): T[] {
  return [...new Map([...read, ...kept].map((one) => [one.id, one])).values()];
}
