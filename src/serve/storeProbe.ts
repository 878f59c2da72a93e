import { setTimeout as pause } from 'node:timers/promises';

/** Without an answer within this time, the database counts as unreachable: a check of health should not wait longer. */
const LIMIT_MS = 2_000;
/** Within this time the last result is returned. */
const REPEAT_MS = 5_000;

/** Tests whether a database answers, by asking it. */
export class StoreProbe {
  readonly #ask: (() => Promise<unknown>) | null;
  readonly #now: () => number;
  #last: { readonly at: number; readonly answer: Promise<boolean> } | null = null;

  /** @param ask fails if the database does not answer; null for files, which always do */
  constructor(ask: (() => Promise<unknown>) | null, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  async isReachable(): Promise<boolean> {
    if (this.#ask === null) return true;
    const at = this.#now();
    if (this.#last === null || at - this.#last.at >= REPEAT_MS || at < this.#last.at)
      this.#last = { at, answer: answers(this.#ask) };
    return this.#last.answer;
  }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  const asked = ask().then(
    () => true,
    () => false,
  );
  return Promise.race([asked, pause(LIMIT_MS, false, { ref: false })]);
}
