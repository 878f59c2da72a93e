/** Runs one after another what must not run at once: reading what is known and writing what is new. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** What was read, with what was kept since in its place. */
export function withChanged<T extends { readonly id: number }>(read: readonly T[], kept: readonly T[]): T[] {
  return [...new Map([...read, ...kept].map((one) => [one.id, one])).values()];
}
