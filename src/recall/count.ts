import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** Delay that lets the recalled text reach the model first. */
const DELAY_MS = 200;

/**
 * Counts recalls in the background: the answer is returned first, and many recalls are written at once later. Counts
 * that are not written when the process dies are lost. This changes a few weights; no memory is lost.
 */
export class AccessCounter {
  readonly #store: Store;
  #waiting: { unitIds: readonly number[]; at: Instant }[] = [];
  #writing: Promise<void> | null = null;
  /** Ends the wait before the next write. */
  #hurry: () => void = () => {};

  constructor(store: Store) {
    this.#store = store;
  }

  count(unitIds: readonly number[], at: Instant): void {
    if (unitIds.length === 0 || this.#store.isReadOnly) return;
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
      const unitIds = batch.flatMap((recall) => recall.unitIds);
      await this.#store.units.countAccess(unitIds, Math.max(...batch.map(({ at }) => at)));
    } catch {
      // A recall succeeds even if it cannot be counted (the file is busy).
    } finally {
      this.#writing = null;
      if (this.#waiting.length > 0) this.#writing = this.#writeSoon();
    }
  }
}
