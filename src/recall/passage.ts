/** Of a long text, the passage that answers. */
import { splitPassages, terms, type PassageRange } from '../text/text.ts';
import { commonRate } from './commonTerms.ts';
import { TermBlock, TermTable, type CountedTerms } from './termCounts.ts';

/** A long text in passages, with the words of each. */
export interface ReadPassages {
  readonly text: string;
  readonly ranges: readonly PassageRange[];
  readonly terms: readonly CountedTerms[];
}

/** A term that everybody uses tells less than a rare one; terms are common to this degree in a passage of this many. */
const PASSAGE_TERMS = 60;
/** What is taken as the rate of a rare term. */
const MIN_RATE = 0.005;

export function readPassages(text: string): ReadPassages {
  const ranges = splitPassages(text);
  if (ranges.length < 2) return { text, ranges, terms: [] };
  const block = new TermBlock();
  return { text, ranges, terms: ranges.map(({ from, to }) => block.add(terms(text.slice(from, to)))) };
}

/** The passage that holds most of these terms, the first of several; null where none holds any. */
export function passageWith({ ranges, terms }: ReadPassages, wanted: readonly string[]): PassageRange | null {
  const weights = wanted.map((term) => -Math.log(MIN_RATE + commonRate(term, PASSAGE_TERMS)));
  const { starts, places, counts } = new TermTable(wanted).countIn(terms);
  let best: PassageRange | null = null;
  let most = 0;
  for (const [passage, range] of ranges.entries()) {
    let held = 0;
    for (let i = starts[passage]!; i < starts[passage + 1]!; i++) {
      const count = counts[i]!;
      // The second occurrence of a term says less than the first.
      held += (weights[places[i]!]! * 2 * count) / (count + 1);
    }
    if (held <= most) continue;
    most = held;
    best = range;
  }
  return best;
}

/** The passage nearest in meaning; the first where nobody can say. @param likeness to the utterance */
export function passageLike(
  { text, ranges }: ReadPassages,
  likeness: ((text: string) => number) | null,
): PassageRange {
  const first = ranges[0] ?? { from: 0, to: text.length };
  if (!likeness) return first;
  const scored = ranges.map((range) => ({ range, score: likeness(text.slice(range.from, range.to)) }));
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).range;
}
