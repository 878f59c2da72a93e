import { formatCount } from './terminal.ts';

const REDRAW_MS = 100;

/** A progress line on a terminal; nothing in a pipe. */
export interface Progress {
  /** `total`: the total amount, if known. */
  update(done: number, total?: number): void;
  clear(): void;
}

/** `what` is the work, `units` what is counted: `embedding`, `turns`. */
export function createProgress(what: string, units: string, stream = process.stderr): Progress {
  const startedAt = performance.now();
  let drawnAt = -Infinity;
  if (!stream.isTTY) return { update() {}, clear() {} };
  return {
    update(done, total) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      const of = total === undefined ? '' : ` of ${formatCount(total)}`;
      const rate = (done / Math.max(1, now - startedAt)) * 1_000;
      stream.write(`\r\u001b[K${what} ${formatCount(done)}${of} ${units}, ${formatCount(rate)} a second`);
    },
    clear() {
      if (drawnAt > 0) stream.write('\r\u001b[K');
    },
  };
}
