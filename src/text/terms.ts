/**
 * Index and query terms of a text in any language: the units that full-text search compares.
 *
 *     "Melanie's 3 cats went to the 動物園"  →  melani 3 cat go 動 動物 物 物園 園
 */
import { wordCache } from '../model/model.ts';
import { stem } from './stem.ts';
import { isFunctionCharacter, isStopWord } from './stopwords.ts';

/** Longer words are cut: the rest of a base64 blob is never searched for. */
const MAX_TERM_LENGTH = 64;
const MAX_LOAN_WORD_LENGTH = 16;
const MAX_REMEMBERED_WORDS = 50_000;

const ASCII_WORD = /[a-z0-9]+(?:'[a-z]+)*/g;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const MARK = /\p{M}/u;
/** Joiners, direction marks and variation selectors: invisible, and not part of any word. */
const INVISIBLE = /\u00ad|[\u200b-\u200f]|\u2060|[\ufe00-\ufe0f]|\ufeff/g;
const APOSTROPHES = /[\u2018\u2019\u02bc\uff07]/g;
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

type Script = 'none' | 'word' | 'mark' | 'hiragana' | 'katakana' | 'kanji' | 'unspaced';

/**
 * The terms of `text`, in order, with repeats. Each consists of letters, digits and marks only, lower case, in NFKC, at
 * most 64 characters.
 *
 * - Words of scripts with spaces, without diacritics in Latin script; in English without possessives and stop words,
 *   stemmed, irregular forms replaced by their base (went → go).
 * - Chinese and Japanese: each ideograph, each pair of neighbours, and each loan word in katakana; but nothing made of
 *   hiragana and function characters alone, which is grammar.
 * - Other scripts without reliable spaces (Korean, Thai, Lao, Khmer, Burmese): pairs of neighbours.
 */
export function terms(text: string): string[] {
  const out: string[] = [];
  const folded = foldForSearch(text);
  // oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
  if (/^[\u0000-\u007f]*$/.test(folded)) {
    for (const [word] of folded.matchAll(ASCII_WORD)) pushWord(word, out);
  } else {
    pushRuns(folded, out);
  }
  return out;
}

/** Text normalised for comparison: NFKC, lower case, plain apostrophes, nothing invisible, no thousands separators. */
export function foldForSearch(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replace(APOSTROPHES, "'");
  return folded.includes(',') ? folded.replace(THOUSANDS, '') : folded;
}

function pushRuns(text: string, out: string[]): void {
  let run: string[] = [];
  let scripts: Script[] = [];
  let kind: Script = 'none';
  const flush = () => {
    if (kind === 'word') pushWord(run.join(''), out);
    else if (kind === 'kanji') pushIdeographs(run, scripts, out);
    else if (kind === 'unspaced') pushPairs(run, out);
    run = [];
    scripts = [];
  };
  for (const character of text) {
    const script = scriptOf(character);
    const next = runKindOf(script, character, kind);
    if (next !== kind) flush();
    kind = next;
    if (kind === 'none') continue;
    if (script === 'mark' && kind !== 'word') run.push(`${run.pop() ?? ''}${character}`);
    else {
      run.push(character);
      scripts.push(script);
    }
  }
  flush();
}

/** Which kind of run a character belongs to, given the kind of run before it. */
function runKindOf(script: Script, character: string, before: Script): Script {
  if (script === 'mark') return before;
  if (script === 'hiragana' || script === 'katakana') return 'kanji';
  return character === "'" && before === 'word' ? 'word' : script;
}

function scriptOf(character: string): Script {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) ? 'word' : 'none';
  if (code >= 0x3041 && code <= 0x3096) return 'hiragana';
  if (code >= 0x4e00 && code <= 0x9fff) return 'kanji';
  if (WORD_CHARACTER.test(character)) return rareScriptOf(code);
  return MARK.test(character) ? 'mark' : 'none';
}

function rareScriptOf(code: number): Script {
  if (code >= 0x3097 && code <= 0x309f) return 'hiragana';
  if (code >= 0x30a0 && code <= 0x31ff) return 'katakana';
  if (isRareIdeograph(code)) return 'kanji';
  return isUnspaced(code) ? 'unspaced' : 'word';
}

/** 々, 〆, 〇, compatibility ideographs and the extensions. */
function isRareIdeograph(code: number): boolean {
  return (
    (code >= 0x3005 && code <= 0x3007) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x20000 && code <= 0x3ffff)
  );
}

/** Hangul, Thai, Lao, Burmese and Khmer. */
function isUnspaced(code: number): boolean {
  return (
    (code >= 0xac00 && code <= 0xd7ff) ||
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0x0e00 && code <= 0x0eff) ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff)
  );
}

const remembered = wordCache(new Map<string, string>());

function pushWord(word: string, out: string[]): void {
  let term = remembered.get(word);
  if (term === undefined) {
    term = termOf(word);
    if (remembered.size >= MAX_REMEMBERED_WORDS) remembered.clear();
    if (word.length <= MAX_TERM_LENGTH) remembered.set(word, term);
  }
  if (term !== '') out.push(term);
}

/** The term of a word, which may contain apostrophes, or '' for a stop word. */
function termOf(word: string): string {
  const bare = word
    .slice(0, 2 * MAX_TERM_LENGTH)
    .replace(/(?:n't|'(?:s|m|re|ve|ll|d))?'*$/, '')
    .replaceAll("'", '');
  if (isStopWord(bare)) return '';
  if (/^[a-z]*$/.test(bare)) return stem(bare).slice(0, MAX_TERM_LENGTH);
  const plain = bare.replace(/\p{Script=Latin}\p{M}*/gu, (letter) =>
    letter.normalize('NFD').replace(/\p{M}/gu, ''),
  );
  return Array.from(plain.normalize('NFC')).slice(0, MAX_TERM_LENGTH).join('');
}

function pushIdeographs(run: readonly string[], scripts: readonly Script[], out: string[]): void {
  const weak = run.map((character, at) => scripts[at] === 'hiragana' || isFunctionCharacter(character));
  let from = 0;
  for (let at = 0; at < run.length; at++) {
    const character = run[at] ?? '';
    const next = run[at + 1];
    if (!weak[at] && scripts[at] === 'kanji') out.push(character);
    if (next !== undefined && !(weak[at] && weak[at + 1])) out.push(character + next);
    if (scripts[at] === scripts[at + 1]) continue;
    if (scripts[at] === 'katakana') pushKatakana(run.slice(from, at + 1), out);
    from = at + 1;
  }
}

/** Adds a whole loan word, when its pairs alone do not represent it. */
function pushKatakana(run: readonly string[], out: string[]): void {
  if (run.length !== 2 && run.length <= MAX_LOAN_WORD_LENGTH) out.push(run.join(''));
}

function pushPairs(run: readonly string[], out: string[]): void {
  if (run.length === 1) out.push(run[0] ?? '');
  for (let at = 0; at + 1 < run.length; at++) out.push(`${run[at]}${run[at + 1]}`);
}
