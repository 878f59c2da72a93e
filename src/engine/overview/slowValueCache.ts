/** A value that is computed faster than this is not cached, in milliseconds. */
const SLOW_MS = 200;
/** A cached value is computed again after this many times its computing time. */
const FRESH_FOR = 20;
/** An older value is not returned any more, in milliseconds. */
const MAX_AGE_MS = 1_800_000;

/** Caches a value that is slow to compute. An old value is returned once more while a new one is computed. */
export class SlowValueCache<Value> {
  readonly #make: () => Promise<Value>;
  #last: { readonly value: Value; readonly madeAt: number; readonly tookMs: number } | null = null;
  #making: Promise<Value> | null = null;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  async read(): Promise<Value> {
    const last = this.#last;
    const age = last ? performance.now() - last.madeAt : 0;
    if (!last || last.tookMs < SLOW_MS || age > MAX_AGE_MS) return this.#recompute();
    if (age > last.tookMs * FRESH_FOR) this.#recompute().catch(() => {});
    return last.value;
  }

  clear(): void {
    this.#last = null;
    this.#making = null;
  }

  #recompute(): Promise<Value> {
    if (this.#making) return this.#making;
    const startedAt = performance.now();
    const making = this.#make()
      .then((value) => {
        const madeAt = performance.now();
        // Not stored if the cache was cleared in the meantime.
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
