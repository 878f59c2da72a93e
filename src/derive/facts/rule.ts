/** What a rule makes of a sentence. */
import type { Language } from '../../text/text.ts';
import type { PredicateName } from './predicates.ts';

/** Something a sentence says of its speaker, or of somebody or something of the speaker's. */
export interface Saying {
  readonly language: Language;
  /** In the words of the sentence: `younger sister`, 妹, 姐姐. Null: the speaker. */
  readonly whose: string | null;
  readonly predicate: PredicateName;
  /** Of `favourite`: favourite what. */
  readonly of: string | undefined;
  readonly object: string;
  /** Whether it holds no more. An empty object: whatever was known of the predicate. */
  readonly ends: boolean;
  /** Whether a time in the sentence says since when. */
  readonly begins: boolean;
  readonly confidence: number;
  /** The part of the sentence that says it, and the part before it. */
  readonly clause: string;
  readonly before: string;
}

export interface Rule {
  readonly predicate: PredicateName;
  /** Groups: `object`, and where there are such `whose` and `of`. */
  readonly pattern: RegExp;
  /** What the object must not be. */
  readonly except?: RegExp;
  /** What the object must be; default: anything. */
  readonly only?: RegExp;
  /** The object where it is not in the words: `married`. */
  readonly object?: string;
  readonly ends?: true;
  readonly begins?: true;
  /** Default: SURE. */
  readonly confidence?: number;
}

/** Of a sentence that says just this. Rules never reach 0.6: they see words, not what is meant. */
const SURE = 0.55;
/** Of a sentence that may mean something narrower: one likes what is before one. */
export const LIKELY = 0.45;

export interface Reader {
  readonly language: Language;
  /** What a sentence that neither asks nor supposes says, part by part. */
  readonly clauses: (sentence: string) => string[];
  readonly rules: readonly Rule[];
  /** The object without what does not belong to it, or null when it is none. */
  readonly tidy: (object: string, predicate: PredicateName) => string | null;
  /** Whether somebody else's words are told, or the like: then nothing is learnt from the sentence. */
  readonly isHearsay: (sentence: string) => boolean;
}

/** Longest object, UTF-16 units. */
const MAX_OBJECT_LENGTH = 60;

/** What the rules find in a sentence. The first rule that fits a clause has it. */
export function readSentence(sentence: string, reader: Reader): Saying[] {
  if (reader.isHearsay(sentence)) return [];
  return reader.clauses(sentence).flatMap((clause, i, clauses) => {
    for (const rule of reader.rules) {
      const saying = applyRule(rule, clause, reader);
      if (saying) return [{ ...saying, before: clauses[i - 1] ?? '' }];
    }
    return [];
  });
}

function applyRule(rule: Rule, clause: string, reader: Reader): Omit<Saying, 'before'> | null {
  const match = rule.pattern.exec(clause);
  if (!match) return null;
  const { object: words, whose, of } = match.groups ?? {};
  const object = rule.object ?? (words === undefined ? '' : reader.tidy(words, rule.predicate));
  if (object === null || object.length > MAX_OBJECT_LENGTH) return null;
  if (object === '' && !rule.ends) return null;
  if (rule.except?.test(object) || (rule.only && !rule.only.test(object))) return null;
  return {
    language: reader.language,
    whose: whose?.trim() ?? null,
    predicate: rule.predicate,
    of: of?.trim(),
    object,
    ends: rule.ends ?? false,
    begins: rule.begins ?? false,
    confidence: rule.confidence ?? SURE,
    clause,
  };
}
