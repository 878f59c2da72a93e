/**
 * Sentences of Japanese, Chinese and English.
 *
 * Every place where a sentence may end is found by one pattern, then judged by the text on both sides:
 *
 *     彼は「行こう。」と言った。そして…     Dr. Smith paid $3.50. Really?
 *              ·        |     |          ·          ·    |      |
 */
import { isStopWord } from './stopwords.ts';

/** A bracketed passage up to this long, in UTF-16 units, stays in one sentence with the text around it. */
const MAX_KEPT_PASSAGE_LENGTH = 200;

const CLOSER_OF = new Map([
  ['「', '」'],
  ['『', '』'],
  ['（', '）'],
  ['(', ')'],
  ['【', '】'],
  ['〈', '〉'],
  ['《', '》'],
  ['“', '”'],
]);
const CANDIDATE =
  /[「『（(【〈《“]|(?<stop>[.．。｡!！?？…‥]+\p{M}*)(?<close>[」』）)】〉》”’"']*)(?<space>\s*)|[\r\n]\s*/gu;

/** After a quotation the sentence continues: 「行こう。」と言った, “走吧。”他说, "Go!" she said. */
const QUOTATION_GOES_ON = /^(?:[とはがをにの、，,;]|って|なんて|\p{Script=Han}{0,3}[说說问問道喊]|\p{Ll})/u;
/** A pause, not the end of a sentence: でも…、 */
const PAUSE_GOES_ON = /^(?:[、，,;:）」』)]|と|って|\p{Ll})/u;
/** A mark, joiner or modifier belongs to the character before it, even if that is a space. */
const JOINS_BACKWARD = /^[\p{M}\p{Cf}\p{Emoji_Modifier}]/u;

/** Abbreviations that are followed by a name, number or explanation. */
const NEVER_LAST = new Set(
  'mr mrs ms mx dr prof st mt ft gen col sgt capt lt rev hon pres gov sen rep vs e.g i.e cf ca approx fig figs vol nos pp ch sec eq dept est messrs mme mlle'.split(
    ' ',
  ),
);
/** Abbreviations that may end a sentence: they do if the text after them begins like a sentence. */
const MAY_BE_LAST = new Set(
  'etc al inc ltd co corp jr sr bros ave blvd rd a.m p.m ph.d b.a m.a jan feb apr jun jul aug sep sept oct nov dec mon tue tues thu thur thurs fri'.split(
    ' ',
  ),
);

/**
 * The sentences of `text`, in order, each with the white space after it; joined they are exactly `text`. A line
 * break ends a sentence. Empty text has none.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  const endOfPassage = createPassageEnds(text);
  let start = 0;
  let keptUntil = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const end = match.index + match[0].length;
    const closer = CLOSER_OF.get(match[0]);
    if (closer !== undefined) {
      if (match.index >= keptUntil) keptUntil = endOfPassage(match.index, closer);
      continue;
    }
    if (
      end <= keptUntil ||
      !endsSentence(text, start, match) ||
      JOINS_BACKWARD.test(text.slice(end, end + 2))
    )
      continue;
    // White space before the first sentence belongs to that sentence, as there is no sentence before it.
    if (text.slice(start, end).trim() === '') continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Finds where a bracket closes. Remembers the next closer of each kind, so that many openers need only one pass. */
function createPassageEnds(text: string): (from: number, closer: string) => number {
  const nextCloser = new Map<string, number>();
  return (from, closer) => {
    let end = nextCloser.get(closer) ?? -1;
    if (end < from) {
      end = text.indexOf(closer, from);
      if (end < 0) end = text.length;
      nextCloser.set(closer, end);
    }
    const isKept =
      end < text.length && end - from <= MAX_KEPT_PASSAGE_LENGTH && !/[\r\n]/.test(text.slice(from, end));
    return isKept ? end : from;
  };
}

function endsSentence(text: string, start: number, match: RegExpExecArray): boolean {
  const { stop, close, space } = match.groups ?? {};
  if (stop === undefined) return true;
  const end = match.index + match[0].length;
  const after = text.slice(end, end + 16);
  if (after === '' || /[\r\n]/.test(space ?? '')) return true;
  if (close !== '' && QUOTATION_GOES_ON.test(after)) return false;
  if (/^(?:[…‥]+|\.{2,})$/.test(stop)) return !PAUSE_GOES_ON.test(after);
  if (/[。｡！？]/.test(stop)) return true;
  // ASCII marks also occur in numbers, addresses and names: they end a sentence only before a space or before CJK.
  if (space === '' && !isCjk(after)) return false;
  return stop !== '.' || close !== '' || periodEndsSentence(text.slice(start, match.index), after);
}

function isCjk(text: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}「『（【《]/u.test(text);
}

/** Whether a period between `sentence` and `after` ends the sentence: not that of an abbreviation, initial or list number. */
function periodEndsSentence(sentence: string, after: string): boolean {
  if (/^\s*\(?\d{1,3}$/.test(sentence)) return false;
  const word = /[\p{L}\p{N}.'’-]*$/u.exec(sentence.slice(-24))?.[0] ?? '';
  const bare = word.toLowerCase();
  if (NEVER_LAST.has(bare) || (bare === 'no' && /^\d/.test(after))) return false;
  const isInitial = /^\p{Lu}(?:\.\p{Lu})*$/u.test(word) && word !== 'I';
  if (!isInitial && !MAY_BE_LAST.has(bare)) return true;
  return beginsSentence(after);
}

/** Whether text begins with a capitalised function word: The, They, But. These rarely follow an abbreviation. */
function beginsSentence(text: string): boolean {
  const word = /^\p{Lu}[\p{L}]*/u.exec(text)?.[0];
  return word !== undefined && isStopWord(word.toLowerCase());
}
