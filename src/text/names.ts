/**
 * Names of people (and of anything else), compared independently of script and title.
 *
 *     田中さん  →  田中 tanaka            Mr. Tanaka  →  tanaka            たなか  →  tanaka
 *     王先生    →  王 wang                Taro Tanaka →  tarotanaka tanakataro, and by its parts taro tanaka
 */
import { toRomaji } from 'wanakana';
import {
  CHINESE_SHORT_TITLES,
  CHINESE_SURNAMES,
  CHINESE_TITLES,
  ENGLISH_SUFFIXES,
  ENGLISH_TITLES,
  JAPANESE_GIVEN_NAMES,
  JAPANESE_SURNAMES,
  JAPANESE_TITLES,
  ROMAJI_TITLES,
  TITLES_OF_MEN,
  TITLES_OF_WOMEN,
  VARIANTS,
} from './nameTables.ts';
import { foldForSearch } from './terms.ts';

/** Increase by one when a name would give other keys than before. */
export const NAME_KEYS_VERSION = 1;

/** A name normalised for comparison: NFKC, lower case, single spaces, no invisible characters or lone surrogates. */
export function foldName(name: string): string {
  return foldForSearch(name.toWellFormed()).replace(/\s+/gu, ' ').trim();
}

/**
 * The keys under which a name is found, the most certain first: those of the whole name, in every script in which
 * it is known (see `wholeNameKeys`), then those of its parts, such as “Sarah” of “Sarah Connor”. Names that share a
 * key may belong to one person. Empty only for a blank name.
 */
export function nameKeys(name: string): string[] {
  const { whole, parts } = readName(name);
  return [...new Set([...whole, ...parts])];
}

/** Those keys of `nameKeys` that are for the whole name, without titles. */
export function wholeNameKeys(name: string): string[] {
  return readName(name).whole;
}

/**
 * Whether two names are the same, written or addressed differently: 田中さん, たなか and Tanaka; 老王 and 王先生. False when one is
 * a part of the other, and when one title is of a man and the other of a woman, or of an older and a younger person.
 */
export function sameName(a: string, b: string): boolean {
  const [first, second] = [readName(a), readName(b)];
  const isOther = [...first.traits].some((trait) => second.traits.has(OPPOSITES[trait]));
  return !isOther && first.whole.some((key) => second.whole.includes(key));
}

type Trait = 'man' | 'woman' | 'older' | 'younger';
const OPPOSITES: Readonly<Record<Trait, Trait>> = {
  man: 'woman',
  woman: 'man',
  older: 'younger',
  younger: 'older',
};

interface ReadName {
  readonly whole: string[];
  readonly parts: string[];
  /** What the titles say about the person. */
  readonly traits: ReadonlySet<Trait>;
}

/** A name without its titles. */
interface NameWithoutTitles {
  readonly name: string;
  readonly traits: ReadonlySet<Trait>;
}

/** One word of a name: its written form, and its readings in Latin letters. */
interface Word {
  readonly written: string;
  readonly sounds: readonly string[];
}

/** UTF-16 units; the rest of a longer name is not compared. */
const MAX_NAME_LENGTH = 200;

function readName(name: string): ReadName {
  const folded = foldVariants(foldName(name.trim().slice(0, MAX_NAME_LENGTH)));
  const { name: bare, traits } = withoutTitles(folded);
  const words = bare.split(SEPARATORS).filter((word) => word !== '');
  const readings = words.length === 1 ? splitWord(words[0] ?? '') : [words.map(readWord)];
  const whole = new Set(readings.flatMap(wholeKeys));
  // A name that consists only of signs is found as it is written.
  if (whole.size === 0 && folded !== '') whole.add(folded);
  const parts = readings.flatMap((reading) => (reading.length < 2 ? [] : reading.flatMap(partKeys)));
  return { whole: [...whole], parts, traits };
}

const SEPARATORS = /[\s\-‐–—_.,、・·•･()（）[\]「」『』/&+:;!?"“”]+/u;

/**
 * Keys of all words together: the written form, and the readings in alphabetical order, since some people put the
 * surname first and some last.
 */
function wholeKeys(words: readonly Word[]): string[] {
  const written = words.map((word) => word.written).join('');
  const spoken = combinations(words.map((word) => word.sounds)).map((sounds) => sounds.toSorted().join(''));
  return [written, ...spoken].filter((key) => key !== '');
}

const MAX_COMBINATIONS = 8;

/** All combinations of one element from each list; none when a list is empty. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (all, list) => all.flatMap((chosen) => list.map((item) => [...chosen, item])).slice(0, MAX_COMBINATIONS),
    [[]],
  );
}

/** Keys of a part of a name. Initials and single kana identify nobody. */
function partKeys({ written, sounds }: Word): string[] {
  return [written, ...sounds].filter((key) => key.length > 1 || HAN.test(key));
}

// ---- Words and their readings

const HAN = /^[\p{Script=Han}々〆]+$/u;
const KANA = /^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;
const HAN_THEN_KANA = /^([\p{Script=Han}々]+)([\p{Script=Hiragana}\p{Script=Katakana}ー]{2,})$/u;
const LATIN = /^[a-z]+$/;

function readWord(word: string): Word {
  if (KANA.test(word)) {
    const [plain = '', ...others] = latinForms(toRomaji(word).replace(/[^a-z]/gu, ''));
    return { written: plain, sounds: [plain, ...others] };
  }
  if (HAN.test(word)) return { written: word, sounds: hanSounds(word) };
  const letters = asciiLetters(word);
  if (!LATIN.test(letters)) return { written: letters, sounds: [letters] };
  return { written: letters, sounds: latinForms(letters) };
}

/** All ways to read one word, which may consist of several. */
function splitWord(word: string): Word[][] {
  const [, surname = '', given = ''] = HAN_THEN_KANA.exec(word) ?? [];
  if (JAPANESE.surnames.has(surname)) return [[readWord(surname), readWord(given)]];
  if (!HAN.test(word) || hanSounds(word).length > 0) return [[readWord(word)]];
  const splits = [splitAfter(word, JAPANESE.surnames, 3), splitAfter(word, CHINESE, 2)];
  const found = splits.flatMap((split) => (split ? [split] : []));
  return found.length === 0 ? [[readWord(word)]] : found;
}

/** Splits off the longest surname that a name begins with, if the rest is long enough for a given name. */
function splitAfter(
  word: string,
  surnames: ReadonlyMap<string, readonly string[]>,
  longestGiven: number,
): Word[] | undefined {
  const characters = Array.from(word);
  for (let length = Math.min(3, characters.length - 1); length > 0; length -= 1) {
    const surname = characters.slice(0, length).join('');
    const sounds = surnames.get(surname);
    if (!sounds || characters.length - length > longestGiven) continue;
    const given = characters.slice(length).join('');
    return [
      { written: surname, sounds },
      { written: given, sounds: surnames === CHINESE ? [] : (JAPANESE.given.get(given) ?? []) },
    ];
  }
  return undefined;
}

function hanSounds(word: string): string[] {
  const { surnames, given } = JAPANESE;
  return [...new Set([surnames, given, CHINESE].flatMap((table) => table.get(word) ?? []))];
}

/** Latin letters without diacritics and apostrophes: é is e, ß is ss. */
function asciiLetters(word: string): string {
  return word
    .replace(/['’`]/gu, '')
    .replace(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize('NFD').replace(/\p{M}/gu, ''))
    .replace(/[ßæœøłđð]/gu, (letter) => LETTERS[letter] ?? letter);
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
};

/** Shorter words are not matched by variants of spelling: “Hu” and “Fu” are two Chinese surnames. */
const MIN_RESPELT_LENGTH = 4;
const ROMAJI =
  /^(?:(?:ky|gy|ny|hy|by|py|my|ry|sh|ch|ts|sy|ty|zy|jy|[kgnhbpmrsztdyjwf])?[aiueo]|n(?![aiueoy])|m(?=[bpm])|([kstpcgzdb])(?=\1|ch))+$/;

/** A word in Latin letters and, when it may be Japanese, its other romanisations: Satou as Sato, Sinzi as Shinji. */
function latinForms(word: string): string[] {
  if (!ROMAJI.test(word)) return [word];
  const hepburn = word.length < MIN_RESPELT_LENGTH ? word : toHepburn(word);
  return [...new Set([word, shortVowels(hepburn)])];
}

const HEPBURN: readonly [RegExp, string][] = [
  [/m(?=[bpm])/g, 'n'],
  [/sy/g, 'sh'],
  [/ty/g, 'ch'],
  [/(?:zy|jy)/g, 'j'],
  [/tc(?=h)|c(?=ch)/g, 'c'],
  [/si/g, 'shi'],
  [/ti/g, 'chi'],
  [/zi/g, 'ji'],
  [/tu/g, 'tsu'],
  [/(?<![sc])hu/g, 'fu'],
];

function toHepburn(word: string): string {
  return HEPBURN.reduce((spelt, [from, to]) => spelt.replace(from, to), word);
}

function shortVowels(word: string): string {
  return word.replace(/o[ou]+/g, 'o').replace(/([aiue])\1+/g, '$1');
}

// ---- Titles

function withoutTitles(name: string): NameWithoutTitles {
  const traits = new Set<Trait>();
  let bare = name;
  // 田中部長さん, “Dr. Prof. …”: a name has few titles.
  for (let i = 0; i < 3; i += 1) {
    const shorter = withoutTitle(bare, traits);
    if (shorter === bare) break;
    bare = shorter;
  }
  return { name: bare, traits };
}

function withoutTitle(name: string, traits: Set<Trait>): string {
  return withoutLatinTitle(withoutSuffix(withoutNickname(name, traits), traits), traits);
}

function noteTitle(title: string, traits: Set<Trait>): void {
  if (MEN.has(title)) traits.add('man');
  if (WOMEN.has(title)) traits.add('woman');
}

/** Removes a title: the longest of さん, 課長, 先生, 老师 … that leaves a name; and short titles after a Chinese surname. */
function withoutSuffix(name: string, traits: Set<Trait>): string {
  const title = EASTERN_TITLES.find((title) => name.length > title.length && name.endsWith(title));
  const rest = name.slice(0, -(title?.length ?? 1)).trimEnd();
  if (title !== undefined && mayBeName(rest, title)) {
    noteTitle(title, traits);
    return rest;
  }
  const last = name.at(-1) ?? '';
  const short = name.slice(0, -1);
  if (!SHORT_TITLES.has(last) || !CHINESE.has(short)) return name;
  noteTitle(last, traits);
  return short;
}

/** Whether the rest can be a name: not a single kana, and not a kana word that only ends like a title (たんぽぽくん). */
function mayBeName(rest: string, title: string): boolean {
  if (rest === '') return false;
  return KANA.test(title) && KANA.test(rest) ? rest.length > 1 : true;
}

/** Removes the prefix of 小王, 老李: only before a Chinese surname, and not from a Japanese surname such as 小林. */
function withoutNickname(name: string, traits: Set<Trait>): string {
  const rest = name.slice(1);
  if (!/^[小老大阿]/u.test(name) || !CHINESE.has(rest) || JAPANESE.surnames.has(name)) return name;
  if (name.startsWith('小')) traits.add('younger');
  if (name.startsWith('老')) traits.add('older');
  return rest;
}

function withoutLatinTitle(name: string, traits: Set<Trait>): string {
  const [, first = '', rest = ''] = /^([a-z']+)(?:\.\s*|\s+)(.+)$/u.exec(name) ?? [];
  if (LATIN_TITLES.has(first.replaceAll("'", ''))) {
    noteTitle(first, traits);
    return rest;
  }
  const suffix = LATIN_SUFFIX.exec(name)?.[0];
  return suffix === undefined ? name : name.slice(0, -suffix.length);
}

// ---- Look-up tables

const VARIANT_OF = new Map(
  list(VARIANTS).flatMap((group) => {
    const [first = '', ...others] = Array.from(group);
    return others.map((other): [string, string] => [other, first]);
  }),
);

function foldVariants(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (character) => VARIANT_OF.get(character) ?? character);
}

function list(table: string): string[] {
  return table.split(/\s+/u).filter((item) => item !== '');
}

function readTable(table: string): ReadonlyMap<string, readonly string[]> {
  const items = list(foldVariants(table));
  const read = new Map<string, string[]>();
  for (let at = 0; at < items.length; at += 2) {
    const sounds = (items[at + 1] ?? '').split('/').flatMap(latinForms);
    read.set(items[at] ?? '', [...new Set(sounds)]);
  }
  return read;
}

const JAPANESE = { surnames: readTable(JAPANESE_SURNAMES), given: readTable(JAPANESE_GIVEN_NAMES) };
const CHINESE = readTable(CHINESE_SURNAMES);
const EASTERN_TITLES = list(foldVariants(JAPANESE_TITLES + CHINESE_TITLES)).toSorted(
  (a, b) => b.length - a.length,
);
const SHORT_TITLES = new Set(foldVariants(CHINESE_SHORT_TITLES));
const MEN = new Set(list(foldVariants(TITLES_OF_MEN)));
const WOMEN = new Set(list(foldVariants(TITLES_OF_WOMEN)));
const LATIN_TITLES = new Set(list(ENGLISH_TITLES));
const LATIN_SUFFIX = new RegExp(
  `(?:-(?:${list(ROMAJI_TITLES.hyphened).join('|')})|\\s(?:${list(ROMAJI_TITLES.free).join('|')})|,?\\s(?:${list(ENGLISH_SUFFIXES).join('|')})\\.?)$`,
  'u',
);
