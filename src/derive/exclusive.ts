import type { Store } from '../store/store.ts';

/**
 * A mutex for reading known data and writing new data. For a memory in a shared database it applies to the workers
 * of all processes.
 */
export function createMutex(store: Store, kind: string): <T>(work: () => Promise<T>) => Promise<T> {
  return (work) => store.exclusively(`derive ${kind}`, work);
}

/** The data that was read, with later changes applied. */
export function withChanged<T extends { readonly id: number }>(read: readonly T[], kept: readonly T[]): T[] {
  return [...new Map([...read, ...kept].map((one) => [one.id, one])).values()];
}
