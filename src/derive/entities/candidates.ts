import type { Entity } from '../../model/model.ts';

/** Words in a text that may name somebody or something. */
export interface Candidate {
  /** Where the surface begins, UTF-16 units; −1 where it is not in the text. */
  readonly at: number;
  /** The words as they stand. */
  readonly surface: string;
  /** The name in them: 田中 of 田中さん. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Null when the words do not tell. */
  readonly type: Entity['type'] | null;
  /** Whether it may be somebody the memory does not know yet; else it counts only when it is a known name. */
  readonly mayBeNew: boolean;
  readonly confidence: number;
  /** What it is to the speaker: `sister`. */
  readonly relation: string | null;
}

/** By rules nothing is surer than this. */
export const SUREST_BY_RULES = 0.6;

type Given = Pick<Candidate, 'at' | 'surface'> & Partial<Candidate>;

/** Surely named here: by a title, a relation, a form that only names have. */
export function sure(given: Given): Candidate {
  return { ...plain(given), mayBeNew: true, confidence: SUREST_BY_RULES, ...named(given) };
}

/** Likely a name. */
export function likely(given: Given): Candidate {
  return { ...plain(given), mayBeNew: true, confidence: 0.45, ...named(given) };
}

/** A name only if the memory knows it. */
export function perhaps(given: Given): Candidate {
  return { ...plain(given), mayBeNew: false, confidence: 0.45, ...named(given) };
}

/** A name is kept in the characters that it is searched in: Ｇｎｕ as Gnu. */
function named(given: Given): Given {
  return given.name === undefined ? given : { ...given, name: given.name.normalize('NFKC') };
}

function plain({ at, surface }: Given): Omit<Candidate, 'mayBeNew' | 'confidence'> {
  return { at, surface, name: surface.normalize('NFKC'), aliases: [], type: null, relation: null };
}

/** Of candidates that overlap the first given stays; in the order of the text. */
export function withoutOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const one of candidates) {
    const isClear = kept.every(
      (other) => one.at >= other.at + other.surface.length || other.at >= one.at + one.surface.length,
    );
    if (isClear) kept.push(one);
  }
  return kept.sort((a, b) => a.at - b.at);
}

/** Addresses, code and markup, blanked so that everything else keeps its place. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(MARKUP, (markup) => markup.replaceAll(/[^\n]/g, ' '));
}

const MARKUP =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|https?:\/\/\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|[@#][\p{L}\p{N}_]+|^\s*#{1,6} .*$|^\s*(?:[-*•]|\d+[.)])\s*\*\*[^*\n]*\*\*|\*\*[^*\n]*\*\*|^\s*\|.*\|\s*$|\[[^\]\n]{1,200}\]/gmu;
