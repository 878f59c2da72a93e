import { vi } from 'vitest';

/** A machine that runs tests may stand still for seconds. A wait that ends in time costs nothing. */
const TIMEOUT_MS = 60_000;

const waitFor: typeof vi.waitFor = vi.waitFor;
if (waitFor.name !== 'waitLong') {
  vi.waitFor = function waitLong(callback, options) {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return waitFor(callback, { timeout: TIMEOUT_MS, ...given });
  };
}
