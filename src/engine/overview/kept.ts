/** What takes less is made for every request, and is then never out of date. Milliseconds. */
const SLOW_MS = 200;
/** What is slow is made again after this many times as long as it took. */
const FRESH_FOR = 20;
/** Older than this it is not shown any more. Milliseconds. */
const MAX_AGE_MS = 1_800_000;

/** A value that is slow to make: the last one is shown while another is made. */
export class Kept<Value> {
  readonly #make: () => Promise<Value>;
  #last: { readonly value: Value; readonly madeAt: number; readonly tookMs: number } | null = null;
  #making: Promise<Value> | null = null;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  async read(): Promise<Value> {
    const last = this.#last;
    const age = last ? performance.now() - last.madeAt : 0;
    if (!last || last.tookMs < SLOW_MS || age > MAX_AGE_MS) return this.#remake();
    if (age > last.tookMs * FRESH_FOR) this.#remake().catch(() => {});
    return last.value;
  }

  clear(): void {
    this.#last = null;
    this.#making = null;
  }

  #remake(): Promise<Value> {
    if (this.#making) return this.#making;
    const startedAt = performance.now();
    const making = this.#make()
      .then((value) => {
        const madeAt = performance.now();
        // Not when it was cleared meanwhile.
        if (this.#making === making) this.#last = { value, madeAt, tookMs: madeAt - startedAt };
        return value;
      })
      .finally(() => {
        if (this.#making === making) this.#making = null;
      });
    this.#making = making;
    return making;
  }
}
