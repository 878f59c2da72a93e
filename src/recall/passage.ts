/** Finds the passage of a long text that answers the query. */
import { splitPassages, visitTerms, type PassageRange } from '../text/text.ts';
import { commonRate } from './commonTerms.ts';
import { TermBlock, TermTable, type CountedTerms } from './termCounts.ts';

/** A long text split into passages, with the terms of each. */
export interface ReadPassages {
  readonly text: string;
  readonly ranges: readonly PassageRange[];
  readonly terms: readonly CountedTerms[];
}

/** The length, in terms, that passages are counted with. A common term tells less than a rare one. */
const PASSAGE_TERMS = 60;
/** The rate assumed for a rare term. */
const MIN_RATE = 0.005;

export function readPassages(text: string): ReadPassages {
  const ranges = splitPassages(text);
  if (ranges.length < 2) return { text, ranges, terms: [] };
  const block = new TermBlock();
  const terms = ranges.map(({ from, to }) => block.add((visit) => visitTerms(text.slice(from, to), visit)));
  return { text, ranges, terms };
}

/** The first passage that contains most of these terms; null if none contains any. */
export function passageWith({ ranges, terms }: ReadPassages, wanted: readonly string[]): PassageRange | null {
  const weights = wanted.map((term) => -Math.log(MIN_RATE + commonRate(term, PASSAGE_TERMS)));
  const { starts, places, counts } = new TermTable(wanted).countIn(terms);
  let best: PassageRange | null = null;
  let max = 0;
  for (const [passage, range] of ranges.entries()) {
    let held = 0;
    for (let i = starts[passage]!; i < starts[passage + 1]!; i++) {
      const count = counts[i]!;
      // The second occurrence of a term counts less than the first.
      held += (weights[places[i]!]! * 2 * count) / (count + 1);
    }
    if (held <= max) continue;
    max = held;
    best = range;
  }
  return best;
}

/** The passage nearest in meaning; the first if no likeness is known. @param likeness to the utterance */
export function passageLike(
  { text, ranges }: ReadPassages,
  likeness: ((text: string) => number) | null,
): PassageRange {
  const first = ranges[0] ?? { from: 0, to: text.length };
  if (!likeness) return first;
  const scored = ranges.map((range) => ({ range, score: likeness(text.slice(range.from, range.to)) }));
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).range;
}
