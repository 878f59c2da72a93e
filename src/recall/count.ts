import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** Long enough for what was recalled to be on its way to a model. */
const DELAY_MS = 200;

/**
 * Counts recalls outside the caller's wait: the answer is given first, the writing follows some time later, many recalls
 * at once.
 * What is not yet written when the process dies is lost, which costs a little weight and no memory.
 */
export class AccessCounter {
  readonly #store: Store;
  #waiting: { unitIds: readonly number[]; at: Instant }[] = [];
  #writing: Promise<void> | null = null;
  /** Ends the wait before the next writing. */
  #hurry: () => void = () => {};

  constructor(store: Store) {
    this.#store = store;
  }

  count(unitIds: readonly number[], at: Instant): void {
    if (unitIds.length === 0) return;
    this.#waiting.push({ unitIds, at });
    this.#writing ??= this.#writeSoon();
  }

  /** Resolves when everything counted so far is written. */
  async settled(): Promise<void> {
    while (this.#writing) {
      this.#hurry();
      await this.#writing;
    }
  }

  async #writeSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DELAY_MS);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      for (const { unitIds, at } of batch) await this.#store.units.countAccess(unitIds, at);
    } catch {
      // A recall that could not be counted (a read-only or busy file) is still a good recall.
    } finally {
      this.#writing = null;
      if (this.#waiting.length > 0) this.#writing = this.#writeSoon();
    }
  }
}
