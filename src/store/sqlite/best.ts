import type { ScoredId } from '../store.ts';

/** The best so many of what is added: twice as many are kept, and now and then the worse half is dropped. */
export class Best {
  /** What scores lower need not be added. */
  threshold = -Infinity;
  readonly #limit: number;
  #kept: ScoredId[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(unitId: number, score: number): void {
    this.#kept.push({ unitId, score });
    if (this.#kept.length < 2 * this.#limit) return;
    this.#kept = this.take();
    this.threshold = (this.#kept.at(-1) as ScoredId).score;
  }

  take(): ScoredId[] {
    return this.#kept.sort((a, b) => b.score - a.score || a.unitId - b.unitId).slice(0, this.#limit);
  }
}
