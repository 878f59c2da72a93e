/** Lets so many in at once and the others in the order in which they came. */
export interface Semaphore {
  /**
   * Resolves with the way out, once there is room; calling it again does nothing. Whoever leaves the queue by `signal` takes no
   * place in it.
   * @throws the signal's reason.
   */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

export function createSemaphore(places: number): Semaphore {
  const queue = new Set<() => void>();
  let free = places;

  /** Hands the place to the first who waits; else it is free. */
  function leave(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const [first] = queue;
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
          return resolve(leave());
        }
        const giveUp = () => {
          queue.delete(enter);
          reject(signal?.reason as Error);
        };
        const enter = () => {
          queue.delete(enter);
          signal?.removeEventListener('abort', giveUp);
          resolve(leave());
        };
        queue.add(enter);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
