import { countLines, type LineCounts } from './lines.ts';

/** The oldest texts are dropped when there are more. */
const MAX_TEXTS = 100;

interface PastText {
  readonly text: string;
  readonly lines: LineCounts;
  readonly at: number;
}

/** Recent texts of a file: what another program saves is derived from one of them. */
export class PastTexts {
  readonly #keptMs: number;
  #texts: PastText[] = [];

  /** @param keptMs how long a text is kept after it was replaced */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  add(text: string): void {
    if (this.#texts.at(-1)?.text === text) return;
    this.#texts.push({ text, lines: countLines(text), at: Date.now() });
    const isOld = (i: number) => Date.now() - (this.#texts[i + 1]?.at ?? Infinity) > this.#keptMs;
    const first = this.#texts.findIndex((_, i) => !isOld(i));
    this.#texts = this.#texts.slice(first).slice(-MAX_TEXTS);
  }

  /** The text from which `text` was most likely derived: with the fewest differing lines, the oldest of several. */
  originOf(text: string): string {
    const lines = countLines(text);
    let origin = '';
    let fewest = Infinity;
    for (const past of this.#texts) {
      const differing = countDiffering(past.lines, lines);
      if (differing < fewest) [origin, fewest] = [past.text, differing];
    }
    return origin;
  }

  clear(): void {
    this.#texts = [];
  }
}

function countDiffering(some: LineCounts, others: LineCounts): number {
  let differing = 0;
  for (const [line, count] of some) differing += Math.abs(count - (others.get(line) ?? 0));
  for (const [line, count] of others) if (!some.has(line)) differing += count;
  return differing;
}
