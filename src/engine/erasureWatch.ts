import { clearWordCaches, isMemoryError } from '../model/model.ts';
import type { Store } from '../store/store.ts';

const CHECK_INTERVAL_MS = 5_000;

/** The number of memories that this process watches. */
let watched = 0;

/** Notices what other processes erase in a memory. Servers of a database also tell each other, which is faster. */
export class ErasureWatch {
  readonly #store: Store;
  readonly #onErased: () => void;
  #timer: NodeJS.Timeout | undefined;
  #state: string | null = null;
  /** Whether caches must be cleared after the next check. */
  #mustClear = false;
  #checking: Promise<void> = Promise.resolve();

  constructor(store: Store, onErased: () => void) {
    this.#store = store;
    this.#onErased = onErased;
  }

  start(): void {
    if (this.#timer) return;
    const check = () => {
      this.#checking = this.#checking.then(() => this.#check());
    };
    this.#timer = setInterval(check, CHECK_INTERVAL_MS).unref();
    watched += 1;
    check();
  }

  async stop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    watched -= 1;
    await this.#checking;
    // From now on, nobody would notice.
    if (watched === 0) clearWordCaches();
  }

  async #check(): Promise<void> {
    try {
      const state = await this.#store.forgetting.erasureState();
      const isChanged = this.#state !== null && state !== this.#state;
      if (isChanged || this.#mustClear) this.#onErased();
      // Once more next time: a request that ran meanwhile may have put into a cache what it had read before.
      this.#mustClear = isChanged;
      this.#state = state;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      // Checked again soon. Without an earlier state, nobody knows what was erased meanwhile.
      this.#mustClear ||= this.#state === null;
    }
  }
}
