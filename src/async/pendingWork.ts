/** Which pieces of work, by key, are under way, for those who want to wait for their end. */
export class PendingWork {
  readonly #pending = new Map<string, Set<Promise<void>>>();

  /** Something under the key is under way, until the function returned is called. */
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

  /** Resolves when nothing under the key is under way, or after `limitMs`. */
  async settled(key: string, limitMs: number): Promise<void> {
    const all = this.#pending.get(key);
    if (!all) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs).unref();
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
  }
}
