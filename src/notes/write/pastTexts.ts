import { countLines, type LineCounts } from './lines.ts';

/** Older ones than these are forgotten while there are many. */
const MAX_TEXTS = 100;

interface PastText {
  readonly text: string;
  readonly lines: LineCounts;
  readonly at: number;
}

/** The texts that a file had a short while ago: what another program saves was made of one of them. */
export class PastTexts {
  readonly #keptMs: number;
  #texts: PastText[] = [];

  /** @param keptMs for how long a text counts after another took its place */
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

  /** The one that `text` was most likely made of: with the fewest lines that differ, the oldest of such. */
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
