/** The words that two texts have in common, as the first writes them, to show to people. */
import { foldForSearch, terms } from './terms.ts';

const WORD =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+(?:['’-][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+)*/gu;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
/** Longest word shown, characters. */
const MAX_LENGTH = 12;

/** In the order of the first text, each once. English words with the same stem count as the same. */
export function sharedWords(one: string, other: string): string[] {
  const otherTerms = new Set(terms(other));
  const found: { word: string; at: number }[] = [];
  for (const { 0: word, index } of one.matchAll(WORD)) {
    const own = terms(word);
    if (own.length > 0 && own.every((term) => otherTerms.has(term))) found.push({ word, at: index });
  }
  const folded = foldForSearch(other);
  for (const { 0: run, index } of one.matchAll(CJK_RUN)) {
    for (const { word, at } of sharedRuns(run, folded)) found.push({ word, at: index + at });
  }
  const inOrder = found.sort((a, b) => a.at - b.at).map(({ word }) => word);
  return [...new Map(inOrder.map((word) => [terms(word).join(' '), word])).values()];
}

/** The longest parts of a run that the other text also contains, without grammar at their edges. */
function sharedRuns(run: string, folded: string): { word: string; at: number }[] {
  const shared: { word: string; at: number }[] = [];
  const isJapanese = KANA.test(run);
  for (let at = 0; at < run.length;) {
    let length = 0;
    while (
      at + length < run.length &&
      length < MAX_LENGTH &&
      folded.includes(foldForSearch(run.slice(at, at + length + 1)))
    )
      length++;
    const word = withoutGrammar(wholeWords(run, at, at + length), isJapanese);
    if (word !== '') shared.push({ word, at });
    at += Math.max(1, length);
  }
  return shared;
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA = /\p{Script=Hiragana}/u;
const WORDS = new Intl.Segmenter('ja', { granularity: 'word' });

/** A part of a run without incomplete words at its edges; the ending of an inflected word may be missing: 泣 of 泣きそう. */
function wholeWords(run: string, from: number, to: number): string {
  const bounds = [...WORDS.segment(run)].map(({ index }) => index).concat(run.length);
  const start = bounds.find((bound) => bound >= from) ?? run.length;
  const isStem = HIRAGANA.test(run[to] ?? '') && !HIRAGANA.test(run[to - 1] ?? '');
  const end = isStem ? to : (bounds.findLast((bound) => bound <= to) ?? 0);
  return run.slice(start, Math.max(start, end));
}

/**
 * Removes characters that make no term by themselves (hiragana, 的, 了) from both ends. In Japanese only kana are
 * such: 那 is a word of grammar in Chinese, and a part of 那須塩原.
 */
function withoutGrammar(stretch: string, isJapanese: boolean): string {
  const characters = Array.from(stretch);
  const carries = (character: string) =>
    /\p{Script=Katakana}|ー/u.test(character) ||
    (isJapanese && !HIRAGANA.test(character)) ||
    terms(character).length > 0;
  const first = characters.findIndex(carries);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(carries) + 1).join('');
}
