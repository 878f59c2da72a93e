/** Lets a fixed number of callers run at once; the others wait in the order of their calls. */
export interface Semaphore {
  /**
   * Resolves with a function that releases the place. Calling it again does nothing.
   * @throws the signal's reason; then no place is taken
   */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

/** @param places how many may run at once, at least 1 */
export function createSemaphore(places: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = places;

  /** Gives the place to the first waiting caller, else frees it. */
  function createRelease(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [first] = waiting;
      if (first) first();
      else free += 1;
    };
  }

  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        if (free > 0) {
          free -= 1;
          return resolve(createRelease());
        }
        const onAbort = () => {
          waiting.delete(onTurn);
          reject(signal?.reason as Error);
        };
        const onTurn = () => {
          waiting.delete(onTurn);
          signal?.removeEventListener('abort', onAbort);
          resolve(createRelease());
        };
        waiting.add(onTurn);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
