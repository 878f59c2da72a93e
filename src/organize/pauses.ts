/** Long computations let others have their turn: whoever asks the memory something waits at most about so long. */
const MAX_MS = 20;

/** To be awaited now and then; throws the signal's reason once that is aborted. */
export type Pause = () => Promise<void>;

export function createPauses(signal?: AbortSignal): Pause {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < MAX_MS) return;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    signal?.throwIfAborted();
    last = performance.now();
  };
}
