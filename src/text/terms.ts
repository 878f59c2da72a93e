/**
 * Index and query terms of a text in any language: the units that full-text search compares.
 *
 *     "Melanie's 3 cats went to the 動物園"  →  melani 3 cat go 動 動物 物 物園 園
 */
import { wordCache } from '../model/model.ts';
import { stem } from './stem.ts';
import { isFunctionCode, isStopWord } from './stopwords.ts';

/** Longer words are cut: the rest of a base64 blob is never searched for. */
const MAX_TERM_LENGTH = 64;
const MAX_LOAN_WORD_LENGTH = 16;
const MAX_REMEMBERED_WORDS = 50_000;

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const MARK = /\p{M}/u;
/** Joiners, direction marks and variation selectors: invisible, and not part of any word. */
const INVISIBLE = /\u00ad|[\u200b-\u200f]|\u2060|[\ufe00-\ufe0f]|\ufeff/g;
const APOSTROPHES = /[\u2018\u2019\u02bc\uff07]/g;
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

const SCRIPTS = ['none', 'word', 'mark', 'hiragana', 'katakana', 'kanji', 'unspaced'] as const;
type Script = (typeof SCRIPTS)[number];

/** Receives a term as a range of a string, so that terms can be counted without a string for each. */
export type TermVisitor = (source: string, from: number, to: number) => void;

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
  visitTerms(text, (source, from, to) => out.push(source.slice(from, to)));
  return out;
}

/** Calls `visit` with each of the text's terms, in order, with repeats. */
export function visitTerms(text: string, visit: TermVisitor): void {
  const folded = foldForSearch(text);
  // oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
  if (/^[\u0000-\u007f]*$/.test(folded)) visitAsciiWords(folded, visit);
  else visitRuns(folded, visit);
}

/** Text normalised for comparison: NFKC, lower case, plain apostrophes, nothing invisible, no thousands separators. */
export function foldForSearch(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replace(APOSTROPHES, "'");
  return folded.includes(',') ? folded.replace(THOUSANDS, '') : folded;
}

/** Words of letters and digits, with apostrophes between them and further letters. */
function visitAsciiWords(text: string, visit: TermVisitor): void {
  for (let at = 0; at < text.length;) {
    const from = at++;
    if (!isWordCode(text.charCodeAt(from))) continue;
    while (at < text.length && isWordCode(text.charCodeAt(at))) at++;
    while (at + 1 < text.length && text.charCodeAt(at) === APOSTROPHE && isLetter(text.charCodeAt(at + 1))) {
      at += 2;
      while (at < text.length && isLetter(text.charCodeAt(at))) at++;
    }
    visitWord(text.slice(from, at), visit);
  }
}

const APOSTROPHE = 0x27;

function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isWordCode(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39);
}

/**
 * The current run: characters of one kind next to each other. A combining mark belongs to the character before it. In arrays
 * that are reused, since a recall reads hundreds of texts; so `visit` must not split a text itself.
 */
const run = {
  /** Where each character starts; after the last one, where it ends. */
  starts: new Uint32Array(256),
  /** Of each character. */
  scripts: Array.from({ length: 256 }, (): Script => 'none'),
  size: 0,
};

function visitRuns(text: string, visit: TermVisitor): void {
  if (text.length >= run.starts.length) {
    run.starts = new Uint32Array(2 * text.length);
    run.scripts = Array.from({ length: 2 * text.length }, (): Script => 'none');
  }
  const { starts, scripts } = run;
  let kind: Script = 'none';
  let size = 0;
  const flush = (end: number) => {
    starts[size] = end;
    run.size = size;
    size = 0;
    if (kind === 'word') visitWord(text.slice(starts[0], end), visit);
    else if (kind === 'kanji') visitIdeographs(text, visit);
    else if (kind === 'unspaced') visitPairs(text, visit);
  };
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!;
    const script = scriptOf(code);
    const next = runKindOf(script, code, kind);
    if (next !== kind && kind !== 'none') flush(at);
    kind = next;
    if (kind !== 'none' && script !== 'mark') {
      starts[size] = at;
      scripts[size++] = script;
    }
    at += code > 0xffff ? 2 : 1;
  }
  if (kind !== 'none') flush(text.length);
}

/** Which kind of run a character belongs to, given the kind of run before it. */
function runKindOf(script: Script, code: number, before: Script): Script {
  if (script === 'mark') return before;
  if (script === 'hiragana' || script === 'katakana') return 'kanji';
  return code === APOSTROPHE && before === 'word' ? 'word' : script;
}

/** For each UTF-16 unit, 1 + the index of its script; 0: not looked up yet. */
const knownScripts = new Uint8Array(0x10000);

function scriptOf(code: number): Script {
  const known = knownScripts[code];
  if (known) return SCRIPTS[known - 1]!;
  const script = lookUpScript(code);
  if (code < knownScripts.length) knownScripts[code] = 1 + SCRIPTS.indexOf(script);
  return script;
}

function lookUpScript(code: number): Script {
  if (code < 0x80) return isWordCode(code) ? 'word' : 'none';
  if (code >= 0x3041 && code <= 0x3096) return 'hiragana';
  if (code >= 0x4e00 && code <= 0x9fff) return 'kanji';
  const character = String.fromCodePoint(code);
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

function visitWord(word: string, visit: TermVisitor): void {
  let term = remembered.get(word);
  if (term === undefined) {
    term = termOf(word);
    if (remembered.size >= MAX_REMEMBERED_WORDS) remembered.clear();
    if (word.length <= MAX_TERM_LENGTH) remembered.set(word, term);
  }
  if (term !== '') visit(term, 0, term.length);
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

function visitIdeographs(text: string, visit: TermVisitor): void {
  const { starts, scripts, size } = run;
  const last = size - 1;
  let isWeak = isGrammar(text, 0);
  for (let at = 0, from = 0; at <= last; at++) {
    const isNextWeak = at < last && isGrammar(text, at + 1);
    if (!isWeak && scripts[at] === 'kanji') visit(text, starts[at]!, starts[at + 1]!);
    if (at < last && !(isWeak && isNextWeak)) visit(text, starts[at]!, starts[at + 2]!);
    isWeak = isNextWeak;
    if (at < last && scripts[at] === scripts[at + 1]) continue;
    const length = at + 1 - from;
    // A whole loan word, when its pairs alone do not represent it.
    if (scripts[at] === 'katakana' && length !== 2 && length <= MAX_LOAN_WORD_LENGTH)
      visit(text, starts[from]!, starts[at + 1]!);
    from = at + 1;
  }
}

function isGrammar(text: string, at: number): boolean {
  const { starts, scripts } = run;
  if (scripts[at] === 'hiragana') return true;
  return starts[at]! + 1 === starts[at + 1] && isFunctionCode(text.charCodeAt(starts[at]!));
}

function visitPairs(text: string, visit: TermVisitor): void {
  const { starts, size } = run;
  if (size === 1) visit(text, starts[0]!, starts[1]!);
  for (let at = 0; at + 1 < size; at++) visit(text, starts[at]!, starts[at + 2]!);
}
