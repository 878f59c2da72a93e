/** The longest time that background work waits for foreground requests, in milliseconds. */
const MAX_WAIT_MS = 200;

/** Gives requests that a user waits for priority over background work. */
export class ForegroundPriority {
  #takers = 0;
  #freed = Promise.withResolvers<void>();

  /** Starts a foreground request, which lasts until the returned function is called. */
  begin(): () => void {
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

  /** Resolves when there is no foreground request, or after the longest waiting time. */
  async whenIdle(): Promise<void> {
    if (this.#takers === 0) return;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MAX_WAIT_MS).unref();
    await Promise.race([this.#freed.promise, waited]);
    clearTimeout(timer);
  }
}
