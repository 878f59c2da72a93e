import type { Entity } from '../../model/model.ts';
import type { WellKnown } from './gazetteer.ts';

/** Words in a text that may be a name. */
export interface NameCandidate {
  /** Where the surface begins, UTF-16 units; −1 when it is not in the text. */
  readonly at: number;
  /** The words as written. */
  readonly surface: string;
  /** The name within them: 田中 of 田中さん. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Null when the words do not show it. */
  readonly type: Entity['type'] | null;
  /** Whether it may be an unknown entity; else it counts only if it is a known name. */
  readonly mayBeNew: boolean;
  readonly confidence: number;
  /** Its relation to the speaker: `sister`. */
  readonly relation: string | null;
}

/** The highest confidence of rules. */
export const SUREST_BY_RULES = 0.6;

type Given = Pick<NameCandidate, 'at' | 'surface'> & Partial<NameCandidate>;

/** Certainly a name: by a title, a relation, or a form that only names have. */
export function sure(given: Given): NameCandidate {
  return { ...plain(given), mayBeNew: true, confidence: SUREST_BY_RULES, ...named(given) };
}

/** The name of a well-known place or day; its names in other languages are aliases. */
export function famous(at: number, surface: string, { type, names }: WellKnown): NameCandidate {
  return sure({ at, surface, type, aliases: names.filter((other) => other !== surface) });
}

/** Probably a name. */
export function likely(given: Given): NameCandidate {
  return { ...plain(given), mayBeNew: true, confidence: 0.45, ...named(given) };
}

/** A name only if the memory knows it. */
export function perhaps(given: Given): NameCandidate {
  return { ...plain(given), mayBeNew: false, confidence: 0.45, ...named(given) };
}

/** Normalises a name to the characters used in search: Ｇｎｕ becomes Gnu. */
function named(given: Given): Given {
  return given.name === undefined ? given : { ...given, name: given.name.normalize('NFKC') };
}

function plain({ at, surface }: Given): Omit<NameCandidate, 'mayBeNew' | 'confidence'> {
  return { at, surface, name: surface.normalize('NFKC'), aliases: [], type: null, relation: null };
}

/** Removes overlaps: the candidate that was given first is kept. In the order of the text. */
export function withoutOverlaps(candidates: readonly NameCandidate[]): NameCandidate[] {
  const kept: NameCandidate[] = [];
  for (const one of candidates) {
    const isClear = kept.every(
      (other) => one.at >= other.at + other.surface.length || other.at >= one.at + one.surface.length,
    );
    if (isClear) kept.push(one);
  }
  return kept.sort((a, b) => a.at - b.at);
}

/** Replaces addresses, code and markup by spaces, so that positions stay the same. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(MARKUP, (markup) => markup.replaceAll(/[^\n]/g, ' '));
}

const MARKUP =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|https?:\/\/\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|[@#][\p{L}\p{N}_]+|^\s*#{1,6} .*$|^\s*(?:[-*•]|\d+[.)])\s*\*\*[^*\n]*\*\*|\*\*[^*\n]*\*\*|^\s*\|.*\|\s*$|\[[^\]\n]{1,200}\]/gmu;
