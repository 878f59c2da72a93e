/** Runs one function at a time for each name, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, body: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const mine = Promise.withResolvers<void>();
    this.#last.set(name, mine.promise);
    try {
      await before;
      return await body();
    } finally {
      if (this.#last.get(name) === mine.promise) this.#last.delete(name);
      mine.resolve();
    }
  }
}
