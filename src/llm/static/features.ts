/** Text after this many UTF-16 code units is not read: a vector of more text would represent no part of it. */
const MAX_TEXT_UNITS = 8192;

/**
 * The features of a text, as 32-bit hashes in order, with repeats:
 *
 * - of a run of Latin (or other alphabetic) letters and digits: the word, its character 3- to 5-grams with the
 *   word's ends marked, and the pair with the word before it;
 * - of a run of Chinese, Japanese or Korean characters: character 1- to 4-grams;
 * - question and exclamation marks, and each other pictograph (an emoji) as a word.
 */
export interface Features {
  readonly hashes: Uint32Array;
  readonly kinds: Uint8Array;
  count: number;
}

/** The kind of a feature; the length of the n-gram is added to `letters` and `characters`. */
export const FeatureKind = { word: 0, wordPair: 1, mark: 2, letters: 0, characters: 5 } as const;

const MAX_FEATURES = MAX_TEXT_UNITS * 5;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const MAX_CHARACTER_GRAM = 4;
const MIN_LETTER_GRAM = 3;
const MAX_LETTER_GRAM = 5;
/** Letters beyond this are left out: longer runs are not words. */
const MAX_WORD_UNITS = 40;

const OTHER = 0;
const LETTER = 1;
const CHARACTER = 2;
const QUESTION = 3;
const EXCLAMATION = 4;
const PICTOGRAPH = 5;

const classOfUnit = classifyUnits();

function classifyUnits(): Uint8Array {
  const classes = new Uint8Array(65536);
  const letter = /^[\p{L}\p{N}\p{M}]$/u;
  const character = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]$/u;
  for (let unit = 0; unit < 65536; unit++) {
    if (unit >= 0xd800 && unit <= 0xdfff) {
      classes[unit] = PICTOGRAPH;
      continue;
    }
    const text = String.fromCharCode(unit);
    if (character.test(text)) classes[unit] = CHARACTER;
    else if (letter.test(text)) classes[unit] = LETTER;
  }
  classes['?'.charCodeAt(0)] = QUESTION;
  classes['!'.charCodeAt(0)] = EXCLAMATION;
  return classes;
}

export function createFeatures(): Features {
  return { hashes: new Uint32Array(MAX_FEATURES), kinds: new Uint8Array(MAX_FEATURES), count: 0 };
}

/** The hash of a feature: FNV-1a over its kind and code units, then mixed so that all its bits are well distributed. */
function finish(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function startHash(kind: number): number {
  return Math.imul(FNV_OFFSET ^ (kind + 1), FNV_PRIME);
}

function emit(features: Features, hash: number, kind: number): void {
  features.hashes[features.count] = finish(hash);
  features.kinds[features.count++] = kind;
}

/** Returns the hash of the word. */
function emitWord(features: Features, text: string, start: number, end: number): number {
  let word = startHash(FeatureKind.word);
  for (let i = start; i < end; i++) word = Math.imul(word ^ text.charCodeAt(i), FNV_PRIME);
  emit(features, word, FeatureKind.word);
  return word;
}

function emitPair(features: Features, previous: number, word: number): void {
  const first = Math.imul(startHash(FeatureKind.wordPair) ^ previous, FNV_PRIME);
  emit(features, Math.imul(first ^ word, FNV_PRIME), FeatureKind.wordPair);
}

function emitLetters(features: Features, text: string, start: number, end: number): void {
  // The ends of the word are marked by a unit that no word contains.
  for (let from = start - 1; from <= end - MIN_LETTER_GRAM + 1; from++) {
    let gram = startHash(MIN_LETTER_GRAM);
    for (let i = from; i < from + MAX_LETTER_GRAM && i <= end; i++) {
      gram = Math.imul(gram ^ (i < start || i === end ? 1 : text.charCodeAt(i)), FNV_PRIME);
      const length = i - from + 1;
      if (length >= MIN_LETTER_GRAM) emit(features, gram, FeatureKind.letters + length);
    }
  }
}

function emitCharacters(features: Features, text: string, start: number, end: number): void {
  for (let from = start; from < end; from++) {
    let gram = startHash(FeatureKind.characters);
    for (let i = from; i < from + MAX_CHARACTER_GRAM && i < end; i++) {
      gram = Math.imul(gram ^ text.charCodeAt(i), FNV_PRIME);
      emit(features, gram, FeatureKind.characters + i - from + 1);
    }
  }
}

function emitMark(features: Features, code: number): void {
  emit(features, Math.imul(startHash(FeatureKind.mark) ^ code, FNV_PRIME), FeatureKind.mark);
}

/** Normalises compatibility forms and case; traditional Chinese characters become simplified ones. */
export function foldText(text: string, simplified: Uint16Array): string {
  const folded = text.slice(0, MAX_TEXT_UNITS).normalize('NFKC').toLowerCase();
  let result = '';
  let copiedTo = 0;
  for (let i = 0; i < folded.length; i++) {
    const simple = simplified[folded.charCodeAt(i)] ?? 0;
    if (simple === 0) continue;
    result += folded.slice(copiedTo, i) + String.fromCharCode(simple);
    copiedTo = i + 1;
  }
  return (copiedTo === 0 ? folded : result + folded.slice(copiedTo)).slice(0, MAX_TEXT_UNITS);
}

/** Sets `features` to those of a folded text. */
export function readFeatures(folded: string, features: Features): void {
  features.count = 0;
  let previousWord = 0;
  let at = 0;
  while (at < folded.length) {
    const start = at;
    const kind = classOfUnit[folded.charCodeAt(at)] ?? OTHER;
    at++;
    if (kind === LETTER || kind === CHARACTER) while (at < folded.length && isSameRun(folded, at, kind)) at++;
    if (kind === LETTER) {
      const end = Math.min(at, start + MAX_WORD_UNITS);
      const word = emitWord(features, folded, start, end);
      if (previousWord !== 0) emitPair(features, previousWord, word);
      emitLetters(features, folded, start, end);
      previousWord = word;
    } else if (kind === CHARACTER) emitCharacters(features, folded, start, at);
    else if (kind === PICTOGRAPH) {
      const isPair = at < folded.length && classOfUnit[folded.charCodeAt(at)] === PICTOGRAPH;
      emitMark(features, folded.codePointAt(start) ?? 0);
      if (isPair) at++;
    } else if (kind !== OTHER) emitMark(features, kind);
    if (kind !== LETTER && folded.charCodeAt(start) !== 32) previousWord = 0;
  }
}

/** An apostrophe between two letters belongs to the word, as in "don't". */
function isSameRun(text: string, at: number, kind: number): boolean {
  const unit = text.charCodeAt(at);
  if (classOfUnit[unit] === kind) return true;
  const isApostrophe = kind === LETTER && (unit === 0x27 || unit === 0x2019);
  return isApostrophe && classOfUnit[text.charCodeAt(at + 1)] === LETTER;
}
