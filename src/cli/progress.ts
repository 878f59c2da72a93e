import { formatCount } from './terminal.ts';

const REDRAW_MS = 100;

/** One line on a terminal that tells how far long work has come; nothing in a pipe. */
export interface Progress {
  /** `total`: how much there is to do, where that is known. */
  update(done: number, total?: number): void;
  /** Takes the line away. */
  clear(): void;
}

/** `what` is done to `units`: `embedding`, `turns`. */
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
