import { setTimeout as pause } from 'node:timers/promises';
import { lately } from './lately.ts';

/** Without an answer within this time, the database counts as unreachable: a check of health should not wait longer. */
const LIMIT_MS = 2_000;

/** Tests whether a database answers, by asking it. */
export class StoreProbe {
  /** Whether the database answers; true without one. */
  readonly isReachable: () => Promise<boolean>;

  /** @param ask fails if the database does not answer; null for files, which always do */
  constructor(ask: (() => Promise<unknown>) | null, now: () => number) {
    this.isReachable = ask === null ? () => Promise.resolve(true) : lately(() => answers(ask), now);
  }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  const asked = ask().then(
    () => true,
    () => false,
  );
  return Promise.race([asked, pause(LIMIT_MS, false, { ref: false })]);
}
