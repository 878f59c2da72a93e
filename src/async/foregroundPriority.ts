/** Background work waits at most this long for answers that somebody waits for, in milliseconds. */
const MAX_HELD_MS = 200;

/** Lets answers that somebody waits for go before background work. */
export class ForegroundPriority {
  #takers = 0;
  #freed = Promise.withResolvers<void>();

  /** Somebody waits, until the function returned is called. */
  take(): () => void {
    this.#takers += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#takers -= 1;
      if (this.#takers > 0) return;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    };
  }

  /** Resolves when nobody waits, or after a while when somebody always does. */
  async free(): Promise<void> {
    if (this.#takers === 0) return;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MAX_HELD_MS).unref();
    await Promise.race([this.#freed.promise, waited]);
    clearTimeout(timer);
  }
}
