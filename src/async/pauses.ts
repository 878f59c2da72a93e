import { setImmediate } from 'node:timers/promises';

/** A long computation keeps others waiting for about this long at most, in milliseconds. */
const MAX_MS = 20;

/** To be awaited now and then in a long computation; throws the signal's reason once that is aborted. */
export type Pause = () => Promise<void>;

export function createPauses(signal?: AbortSignal): Pause {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < MAX_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    last = performance.now();
  };
}
