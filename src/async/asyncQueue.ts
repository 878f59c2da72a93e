/** A queue: values are added without waiting and read one by one. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  write(value: T): void {
    this.#waiting.push(value);
    this.#wake.resolve();
  }

  /** Ends the queue; with an error, reading ends by throwing it. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end ??= failure;
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      }
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }
}
