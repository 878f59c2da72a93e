/**
 * Candidates for titles: names, and adjacent nouns, as written in the text.
 *
 *     那須塩原|の|吊り橋|の写真        那须盐原|的|吊桥|照片        the Nasu-Shiobara|suspension|bridge
 *     └────────┴─────┘                └──────┴──┴──┘                └─────────────┴──────────┴─────┘
 */
import { feelingWords } from '../../../llm/llm.ts';
import { terms, type Language } from '../../../text/text.ts';
import { tagCandidates, type TagCandidate } from '../../reflect/reflect.ts';

export interface Phrase {
  /** The displayed form. */
  readonly text: string;
  /** Its words; phrases with the same words are the same. */
  readonly words: readonly PhraseWord[];
  readonly isName: boolean;
}

export interface PhraseWord {
  /** The terms of the word, or the word itself when it has none. */
  readonly key: string;
  /** The probability that it is a name or noun, 0 to 1. */
  readonly weight: number;
}

/** The longest phrase, in words, and in UTF-16 units in languages without spaces. */
const MAX_WORDS = 4;
const MAX_CJK_LENGTH = 14;
/** Only this many UTF-16 units of longer texts are read: the details of a long answer are not its subject. */
const MAX_TEXT_LENGTH = 600;

/** A word with its position. */
interface Place {
  readonly at: number;
  readonly text: string;
  readonly weight: number;
  readonly isName: boolean;
}

/**
 * @param names known names in the text, as written
 * @param isExcepted whether a lower-case word cannot be a topic here: the name of a speaker
 */
export function phrasesIn(
  text: string,
  language: Language,
  names: readonly string[],
  isExcepted: (word: string) => boolean,
): Phrase[] {
  const sample = text.slice(0, MAX_TEXT_LENGTH).toWellFormed().normalize('NFKC');
  const places = placesIn(sample, language, names, isExcepted);
  return language === 'en' ? englishPhrases(sample, places) : cjkPhrases(sample, places, language);
}

function placesIn(
  sample: string,
  language: Language,
  names: readonly string[],
  isExcepted: (word: string) => boolean,
): Place[] {
  const feelings = feelingWords(sample, language);
  const candidates = tagCandidates(sample, language, (word) => feelings.has(word) || isExcepted(word));
  const known = names
    .map((name) => name.normalize('NFKC'))
    .filter((name) => name.length >= 2 && !isExcepted(name.toLowerCase()));
  if (language === 'en') return englishPlaces(sample, candidates, known);
  const words = new Map(
    candidates.map(({ tag, weight, isName }) => [tag, { weight: Math.min(1, weight), isName }]),
  );
  for (const name of known) words.set(name, NAME);
  if (words.size === 0) return [];
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const pattern = new RegExp(longestFirst.map(escape).join('|'), 'gu');
  return Array.from(sample.matchAll(pattern), (match) => ({
    at: match.index,
    text: match[0],
    ...(words.get(match[0]) ?? NAME),
  }));
}

const NAME = { weight: 1, isName: true } as const;

function escape(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

const ENGLISH_WORD = /\p{Script=Latin}[\p{Script=Latin}\p{M}\p{N}]*(?:[-'’&]\p{Script=Latin}+)*/gu;

function englishPlaces(
  sample: string,
  candidates: readonly TagCandidate[],
  names: readonly string[],
): Place[] {
  const nameWords = new Set(
    names.flatMap((name) => name.match(ENGLISH_WORD) ?? []).filter((word) => terms(word).length > 0),
  );
  const known = new Map(
    candidates.flatMap(({ terms, weight, isName }) =>
      terms.map((term) => [term, { weight: Math.min(1, weight), isName }]),
    ),
  );
  return Array.from(sample.matchAll(ENGLISH_WORD)).flatMap((match): Place[] => {
    const text = match[0].replace(/['’]s$/, '');
    const at = match.index;
    if (nameWords.has(text)) return [{ at, text, ...NAME }];
    const found = terms(text).flatMap((term) => known.get(term) ?? []);
    const weight = Math.max(0, ...found.map((one) => one.weight));
    // If a word also occurs in lower case, only its capitalised occurrences are names.
    const isName = /^\p{Lu}/u.test(text) && found.some((one) => one.isName);
    return weight > 0 ? [{ at, text, weight, isName }] : [];
  });
}

/** The text between two words of one phrase: nothing, or a particle. */
const BETWEEN: Readonly<Record<Language, RegExp>> = {
  en: /^ (?:(?:in|of|at|from|to) (?:the )?)?$/,
  ja: /^(?:の|・|＆|&)?$/,
  zh: /^(?:的|·|・|&)?$/,
};
const PARTICLE = /^(?:[の的]| [a-z].*)$/;

/** A phrase contains at most one particle; in English one before a name: bridge in Kyoto. */
function englishPhrases(sample: string, places: readonly Place[]): Phrase[] {
  return runsOf(sample, places, 'en')
    .flatMap((run) => spansOf(run, MAX_WORDS))
    .filter((span) => {
      const led = afterParticles(sample, span);
      return led.length <= 1 && led.every(({ isName }) => isName);
    })
    .map((span) => phraseOf(sample, span, 'en'));
}

function cjkPhrases(sample: string, places: readonly Place[], language: 'ja' | 'zh'): Phrase[] {
  return runsOf(sample, places, language)
    .flatMap((run) => spansOf(run, MAX_WORDS))
    .filter((span) => afterParticles(sample, span).length <= 1)
    .map((span) => phraseOf(sample, span, language))
    .filter(({ text }) => text.length <= MAX_CJK_LENGTH);
}

/** Runs of adjacent words. */
function runsOf(sample: string, places: readonly Place[], language: Language): Place[][] {
  const runs: Place[][] = [];
  let end = -1;
  for (const place of places) {
    const run = runs.at(-1);
    if (run && place.at >= end && BETWEEN[language].test(sample.slice(end, place.at))) run.push(place);
    else runs.push([place]);
    end = place.at + place.text.length;
  }
  return runs;
}

/** Every range of at most `max` words. */
function spansOf(run: readonly Place[], max: number): Place[][] {
  return run.flatMap((_, from) =>
    Array.from({ length: Math.min(max, run.length - from) }, (_none, i) => run.slice(from, from + i + 1)),
  );
}

/** A single kanji before or after a word in kanji, not one that is a word by itself: 遊覧|船, 西|荻窪. */
const PART_BEFORE =
  /(?<!\p{Script=Han})(?![一二三四五六七八九十百千万私僕俺母父兄姉弟妹夫妻娘人今昨明毎])\p{Script=Han}$/u;
const PART_AFTER =
  /^(?![私僕俺母父兄姉弟妹夫妻娘人時頃後前])\p{Script=Han}(?=[^\p{Script=Han}\p{Script=Hiragana}]|[のをはがにでともへや]|から|まで|$)/u;

/** A Japanese word is divided into those of the dictionary: the whole one is shown. */
function wholeCompound(sample: string, from: number, to: number): string {
  const text = sample.slice(from, to);
  const before = /^\p{Script=Han}/u.test(text) && PART_BEFORE.test(sample.slice(0, from)) ? 1 : 0;
  const after = /\p{Script=Han}$/u.test(text) && PART_AFTER.test(sample.slice(to)) ? 1 : 0;
  return sample.slice(from - before, to + after);
}

/** The words that follow a particle. */
function afterParticles(sample: string, span: readonly Place[]): Place[] {
  return span.filter((place, i) => {
    const before = span[i - 1];
    return before && PARTICLE.test(sample.slice(before.at + before.text.length, place.at));
  });
}

function phraseOf(sample: string, span: readonly Place[], language: Language): Phrase {
  const [first] = span;
  const last = span.at(-1);
  const [from, to] = first && last ? [first.at, last.at + last.text.length] : [0, 0];
  const text = language === 'ja' ? wholeCompound(sample, from, to) : sample.slice(from, to);
  return {
    text: text.replace(/['’]s$/, ''),
    words: span.map(({ text: word, weight }) => ({ key: terms(word).join(' ') || word, weight })),
    isName: span.some((place) => place.isName),
  };
}
