/** The words that two texts have in common, as the first writes them, to show to people. */
import { foldForSearch, terms } from './terms.ts';

const WORD =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+(?:['’-][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]+)*/gu;
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+/gu;
const POSSESSIVE = /['’]s$/u;
/** Words that say when, or nothing: they are only shown when nothing else is shared. */
const WEAK =
  /^(?:today|tonight|tomorrow|yesterday|lol|haha|btw|今日|明日|昨日|今|今天|明天|昨天|现在|最近|[号度家小叫个次点天日年月人事])$/iu;
/** Words that ask: that both texts ask something is no reason. */
const ASKING = /^(?:何|誰|几|谁|哪|啥)$/u;
/** Longest word shown, characters. */
const MAX_LENGTH = 12;

/** In the order of the first text, each once. English words with the same stem count as the same. */
export function wordsSharedWith(one: string): (other: string) => string[] {
  const words = Array.from(one.matchAll(WORD), ({ 0: word, index: at }) => ({
    word: word.replace(POSSESSIVE, ''),
    at,
    terms: terms(word),
  }));
  const runs = Array.from(one.matchAll(CJK_RUN), ({ 0: run, index: at }) => ({
    run,
    at,
    words: wordsOf(run),
  }));
  return (other) => compare(words, runs, other);
}

interface Word {
  readonly word: string;
  readonly at: number;
  readonly terms: readonly string[];
}

/** Chinese or Japanese text between other characters. */
interface Run {
  readonly run: string;
  readonly at: number;
  readonly words: readonly string[];
}

function compare(ofOne: readonly Word[], runs: readonly Run[], other: string): string[] {
  const otherTerms = new Set(terms(other));
  const found: { word: string; at: number }[] = ofOne.filter(
    (word) => word.terms.length > 0 && word.terms.every((term) => otherTerms.has(term)),
  );
  const text = foldForSearch(other);
  let words: ReadonlySet<string> | undefined;
  // Few words need it, and it takes longer than all else.
  const compared = {
    text,
    get words() {
      return (words ??= new Set(wordsOf(text)));
    },
  };
  for (const run of runs)
    for (const { word, at } of sharedRuns(run, compared)) found.push({ word, at: run.at + at });
  const inOrder = found.sort((a, b) => a.at - b.at).map(({ word }) => word);
  const shared = [...new Map(inOrder.map((word) => [terms(word).join(' '), word])).values()];
  const telling = shared.filter((word) => !ASKING.test(word));
  const strong = telling.filter((word) => !WEAK.test(word));
  return strong.length > 0 ? strong : telling;
}

/** The text with which a run is compared, folded, and its words. */
interface Compared {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** The longest sequences of whole words of a run that the other text also contains, without grammar at their edges. */
function sharedRuns({ run, words }: Run, other: Compared): { word: string; at: number }[] {
  const trim = KANA.test(run) ? withoutKanaWords : withoutGrammar;
  const shared: { word: string; at: number }[] = [];
  let at = 0;
  for (let from = 0; from < words.length;) {
    let to = from;
    while (to < words.length && isShared(words, from, to + 1, other)) to++;
    const trimmed = trim(words.slice(from, to));
    const word = trimmed.length === 1 ? withNext(trimmed, run, at, other) : trimmed;
    if (word !== '')
      shared.push({ word: dictionaryForm(word, run.slice(run.indexOf(word, at) + word.length)), at });
    const next = Math.max(from + 1, to);
    at += words.slice(from, next).join('').length;
    from = next;
  }
  return shared;
}

/**
 * A single character must be a word of the other text, since within a word it may mean something else (京 of 東京). An
 * inflected word is shared when its stem is: 泣き and 泣いた.
 */
function isShared(words: readonly string[], from: number, to: number, other: Compared): boolean {
  const stretch = foldForSearch(words.slice(from, to).join(''));
  if (stretch.length > MAX_LENGTH) return false;
  if (stretch.length > 1 && other.text.includes(stretch)) return true;
  const stem = /^(\p{Script=Han})\p{Script=Hiragana}*$/u.exec(stretch)?.[1];
  return stem !== undefined && to === from + 1 && other.text.includes(stem) && other.words.has(stem);
}

/** Joins a single Chinese character with the next one if the other text has both: 吉他, which is not in every dictionary. */
function withNext(character: string, run: string, at: number, other: Compared): string {
  const from = run.indexOf(character, at);
  const pair = run.slice(from, from + 2);
  return /^\p{Script=Han}{2}$/u.test(pair) && other.text.includes(foldForSearch(pair)) ? pair : character;
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA_ONLY = /^\p{Script=Hiragana}*$/u;
/** It knows the words of Japanese and Chinese, for whichever language it is created. */
const WORDS = new Intl.Segmenter('ja', { granularity: 'word' });

function wordsOf(run: string): string[] {
  return Array.from(WORDS.segment(run), ({ segment }) => segment);
}

/** Words in hiragana that are grammar when they follow a word in kanji; those of one character are, too. */
const GRAMMAR =
  /^(?:.|から|まで|より|って|けど|ので|のに|こと|もの|ため|です|ます|まし|ませ|たい|ない|なく|いる|ある|いう|する|した|して|など|だけ|しか|くらい|ぐらい|よう|そう|ほど|ちゃっ?|たら|たり|でも|にも|なら|なっ|とか|だっ|でし|だろ|でしょ|られ|させ|とき|ところ|かな|よね|っけ)$/u;

/** A particle after an ending: さんと, てこいって. */
const PARTICLE = /(?<=..)(?:って|から|まで|より|けど|ので|[とはがをにでもへや])$/u;

/**
 * Removes words in hiragana from both ends, which are mostly grammar; an ending of the last word is kept (聞かせ,
 * 田村さん). 那 is grammar in Chinese, and a part of 那須塩原.
 */
function withoutKanaWords(words: readonly string[]): string {
  const carries = (word: string) => !HIRAGANA_ONLY.test(word);
  const first = words.findIndex(carries);
  if (first < 0) return '';
  const last = words.findLastIndex(carries);
  const ending = words
    .slice(last + 1)
    .join('')
    .replace(PARTICLE, '');
  return words.slice(first, last + 1).join('') + (ending === '' || GRAMMAR.test(ending) ? '' : ending);
}

/** Removes characters from both ends that make no term by themselves (的, 了). */
function withoutGrammar(words: readonly string[]): string {
  const characters = Array.from(words.join(''));
  const carries = (character: string) => terms(character).length > 0;
  const first = characters.findIndex(carries);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(carries) + 1).join('');
}

/**
 * The dictionary form of a verb's stem, if the ending is unambiguous: 泣 before いた becomes 泣く, 亡くなっ before た
 * becomes 亡くなる. An ambiguous っ is removed: 待っ.
 */
function dictionaryForm(word: string, after: string): string {
  if (/^\p{Script=Han}$/u.test(word) && /^い(?:[てた]|ちゃ)/u.test(after)) return `${word}く`;
  if (/^\p{Script=Han}い[てた]$/u.test(word)) return `${word.slice(0, 1)}く`;
  return word.replace(/(?<=\p{Script=Hiragana})なっ[てた]?$/u, 'なる').replace(/(?<=\p{Script=Han})っ$/u, '');
}
