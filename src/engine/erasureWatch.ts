import { isMemoryError } from '../model/model.ts';
import type { Store } from '../store/store.ts';

const CHECK_INTERVAL_MS = 5_000;

/** Notices what other processes erase in the files of a memory. Servers of a database tell each other instead. */
export class ErasureWatch {
  readonly #store: Store;
  readonly #onErased: () => void;
  #timer: NodeJS.Timeout | undefined;
  #state: string | null = null;
  #checking: Promise<void> = Promise.resolve();

  constructor(store: Store, onErased: () => void) {
    this.#store = store;
    this.#onErased = onErased;
  }

  start(): void {
    const check = () => {
      this.#checking = this.#checking.then(() => this.#check());
    };
    this.#timer ??= setInterval(check, CHECK_INTERVAL_MS).unref();
    check();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  async #check(): Promise<void> {
    try {
      const state = await this.#store.forgetting.erasureState();
      if (this.#state !== null && state !== this.#state) this.#onErased();
      this.#state = state;
    } catch (error) {
      // Checked again soon.
      if (!isMemoryError(error)) throw error;
    }
  }
}
