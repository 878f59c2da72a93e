import type { ScoredId } from '../indexes.ts';

/** The best of the added elements: a heap with the worst of them on top. Of equal scores the smaller id wins. */
export class Best {
  /** Elements with a lower score need not be added. */
  threshold = -Infinity;
  readonly #limit: number;
  readonly #scores: number[] = [];
  readonly #unitIds: number[] = [];

  /** @param limit may be Infinity */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(unitId: number, score: number): void {
    const [scores, unitIds] = [this.#scores, this.#unitIds];
    if (scores.length < this.#limit) {
      this.#rise(unitId, score);
      if (scores.length === this.#limit) this.threshold = scores[0]!;
      return;
    }
    if (scores.length === 0 || isWorse(score, unitId, scores[0]!, unitIds[0]!)) return;
    this.#sink(unitId, score);
    this.threshold = scores[0]!;
  }

  /** Best first. */
  take(): ScoredId[] {
    return this.#scores
      .map((score, i) => ({ unitId: this.#unitIds[i]!, score }))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId);
  }

  /** Moves an element up from the end of the heap to its place. */
  #rise(unitId: number, score: number): void {
    const [scores, unitIds] = [this.#scores, this.#unitIds];
    let at = scores.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isWorse(score, unitId, scores[parent]!, unitIds[parent]!)) break;
      scores[at] = scores[parent]!;
      unitIds[at] = unitIds[parent]!;
      at = parent;
    }
    scores[at] = score;
    unitIds[at] = unitId;
  }

  /** Replaces the top, the worst element, and moves the new one down to its place. */
  #sink(unitId: number, score: number): void {
    const [scores, unitIds] = [this.#scores, this.#unitIds];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= scores.length) break;
      const other = child + 1;
      if (other < scores.length && isWorse(scores[other]!, unitIds[other]!, scores[child]!, unitIds[child]!))
        child = other;
      if (!isWorse(scores[child]!, unitIds[child]!, score, unitId)) break;
      scores[at] = scores[child]!;
      unitIds[at] = unitIds[child]!;
      at = child;
    }
    scores[at] = score;
    unitIds[at] = unitId;
  }
}

function isWorse(score: number, unitId: number, otherScore: number, otherId: number): boolean {
  return score < otherScore || (score === otherScore && unitId > otherId);
}
