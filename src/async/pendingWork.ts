/** Tracks running work by key, so that others can wait for its end. */
export class PendingWork {
  readonly #pending = new Map<string, Set<Promise<void>>>();

  /** Starts work under the key, which lasts until the returned function is called. */
  begin(key: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.#pending.get(key) ?? new Set();
    all.add(promise);
    this.#pending.set(key, all);
    return () => {
      resolve();
      all.delete(promise);
      if (all.size === 0 && this.#pending.get(key) === all) this.#pending.delete(key);
    };
  }

  /** Resolves when no work is running under the key, or after `limitMs`. */
  async settled(key: string, limitMs: number): Promise<void> {
    const all = this.#pending.get(key);
    if (!all) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs).unref();
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
  }
}
