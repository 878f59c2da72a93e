import { setImmediate } from 'node:timers/promises';

/** A long computation blocks the event loop for about this long at most, in milliseconds. */
const MAX_MS = 20;

/** Await this regularly in a long computation; it throws the signal's reason once that is aborted. */
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
