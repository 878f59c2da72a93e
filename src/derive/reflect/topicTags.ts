/** Topic tags of a text: a few of its own words that are probably nouns, frequent here and rare elsewhere. */
import type { TextStatistics } from '../../store/store.ts';
import { terms, type Language } from '../../text/text.ts';
import { isCommonWord } from './commonWords.ts';

export const MAX_TAGS = 3;
/** UTF-16 units. */
export const MAX_TAG_LENGTH = 24;
/** Rarer words are not rated higher: a tag should occur again. */
const MIN_DOCUMENTS = 3;
/** A word in more than this share of a memory's texts is not a topic. */
const TOO_COMMON = 0.1;
/** With fewer texts the shares are not meaningful. */
const FEW_TEXTS = 50;
/** Only this many UTF-16 units of longer texts are read. */
const MAX_TEXT_LENGTH = 4_000;

/** A word that may become a tag. */
export interface TagCandidate {
  readonly tag: string;
  /** Its terms in the text index. */
  readonly terms: readonly string[];
  /** The probability of being a noun, multiplied by a factor for its frequency in the text. */
  readonly weight: number;
  /** Whether it has the form of a name. */
  readonly isName: boolean;
}

interface Word {
  /** The displayed form. */
  readonly tag: string;
  /** Words with the same stem have the same key. */
  readonly key: string;
  /** The probability that it is a noun, 0..1. */
  readonly nounness: number;
}

/** @param isExcepted whether a lower-case word cannot be a topic here: a word of emotion, or a speaker's name */
export function tagCandidates(
  text: string,
  language: Language,
  isExcepted: (word: string) => boolean,
): TagCandidate[] {
  const sample = text.slice(0, MAX_TEXT_LENGTH).toWellFormed().normalize('NFKC').replaceAll(NOT_WORDS, ' ');
  const words = language === 'en' ? englishWords(sample) : cjkWords(sample, language);
  const found = new Map<string, { word: Word; count: number; at: number; nounness: number }>();
  words.forEach((word, at) => {
    const isShown =
      word.tag.length <= MAX_TAG_LENGTH && !isCommonWord(word.key) && !isCommonWord(word.tag.toLowerCase());
    if (!isShown || isExcepted(word.tag.toLowerCase()) || isExcepted(word.key)) return;
    const known = found.get(word.key);
    if (known) {
      known.count += 1;
      known.nounness = Math.max(known.nounness, word.nounness);
    } else found.set(word.key, { word, count: 1, at, nounness: word.nounness });
  });
  return [...found.values()].map(({ word, count, at, nounness }) => ({
    tag: word.tag,
    terms: terms(word.tag),
    isName: /^\p{Lu}/u.test(word.tag),
    // Words near the beginning count more.
    weight: nounness * (1 + Math.log(count)) * (1 - 0.3 * (at / words.length)),
  }));
}

/** The best candidates, by weight × inverse document frequency; of two that contain each other, the longer. */
export function chooseTags(candidates: readonly TagCandidate[], statistics: Statistics): string[] {
  const scored = candidates
    .map((candidate) => ({ ...candidate, score: candidate.weight * rarity(candidate, statistics) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tag < b.tag ? -1 : 1));
  const tags: string[] = [];
  for (const { tag } of scored) {
    const isPart = tags.some((other) => other.includes(tag) || tag.includes(other));
    if (!isPart && tags.length < MAX_TAGS) tags.push(tag);
  }
  return tags;
}

type Statistics = Pick<TextStatistics, 'documents' | 'documentFrequency'>;

function rarity({ terms }: TagCandidate, { documents, documentFrequency }: Statistics): number {
  if (terms.length === 0) return 0;
  // The words of a text that is not indexed yet have no document frequency.
  const holding = Math.max(MIN_DOCUMENTS, Math.min(...terms.map((term) => documentFrequency.get(term) ?? 0)));
  if (documents >= FEW_TEXTS && holding > documents * TOO_COMMON) return 0;
  return Math.log(1 + Math.max(documents, FEW_TEXTS) / holding);
}

const NOT_WORDS = /https?:\/\/\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|```[^`]*```|<[^<>]{1,64}>/g;

const ENGLISH_TOKEN =
  /\p{Script=Latin}[\p{Script=Latin}\p{M}\p{N}]*(?:[-'’]\p{Script=Latin}+)*|[.!?:;\n"“(]/gu;
const LEADS_TO_NOUN =
  /^(?:a|an|the|my|your|his|her|our|their|this|that|these|those|some|any|no|new|of|for|about|in|at|with|more|first|favorite|another|every)$/;
const NOUN_ENDING = /(?:tion|sion|ment|ness|ity|ship|hood|ism|ist|ence|ance|logy|graphy|ture|dom|ery|ium)s?$/;
const NO_NOUN_ENDING = /(?:ly|[^e]ed|ful|ous|ive|able|ible|less|est)$/;
const LEADS_TO_GERUND =
  /^(?:go|goes|going|went|love|like|enjoy|start|started|try|tried|of|about|for|do|from|with|into|hate)$/;

function englishWords(text: string): Word[] {
  const words: Word[] = [];
  let before = '.';
  for (const [token] of text.matchAll(ENGLISH_TOKEN)) {
    const bare = token.replace(/['’]s$/, '');
    if (/^\p{L}/u.test(bare) && bare.length >= 3 && !/['’]/.test(bare)) words.push(englishWord(bare, before));
    before = token.toLowerCase();
  }
  return words.filter((word) => word.key !== '' && word.nounness > 0);
}

function englishWord(word: string, before: string): Word {
  const lower = word.toLowerCase();
  const [key = ''] = terms(word);
  const isName = /^\p{Lu}\p{Ll}/u.test(word) && !/[.!?:;\n"“(]/.test(before);
  if (isName) return { tag: word, key, nounness: 1 };
  return { tag: singular(lower), key, nounness: englishNounness(lower, before) };
}

function englishNounness(word: string, before: string): number {
  if (NOUN_ENDING.test(word)) return 1;
  if (NO_NOUN_ENDING.test(word)) return 0;
  const isLed = LEADS_TO_NOUN.test(before);
  if (/.{3}ing$/.test(word)) return LEADS_TO_GERUND.test(before) ? 0.6 : isLed ? 0.5 : 0;
  return isLed ? 0.9 : 0.5;
}

/** cats → cat, stories → story; base forms that end in s are kept. */
function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|ous|news|series)$/.test(word)) return word;
  if (word.endsWith('ies')) return word.length > 5 ? word.replace(/ies$/, 'y') : word.replace(/s$/, '');
  if (/(?:ch|sh|x|ss|zz)es$/.test(word)) return word.replace(/es$/, '');
  return word.replace(/s$/, '');
}

const SEGMENTERS = {
  ja: new Intl.Segmenter('ja', { granularity: 'word' }),
  zh: new Intl.Segmenter('zh', { granularity: 'word' }),
};
/** A name, but not a short code of letters and digits. */
const LATIN_NAME = /^(?=.*\p{Lu})(?!.{0,3}\p{N})\p{Script=Latin}[\p{Script=Latin}\p{N}.&'-]+$/u;
const KATAKANA = /^[\p{Script=Katakana}ー]{2,}$/u;
const KANJI = /^[\p{Script=Han}々]{2,}$/u;
/** 吊り橋, 待ち合わせ: a noun may contain kana, but ends in kanji. */
const MIXED = /^\p{Script=Han}[\p{Script=Hiragana}\p{Script=Han}]*\p{Script=Han}$/u;
/** 金曜, 周五: a day is not a topic. */
const DAY = /^(?:[月火水木金土日]曜日?|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天末])$/u;
const NUMBER = /^[\p{N}一二三四五六七八九十百千万数何几两每毎第]+[\p{Script=Han}]?$/u;
/** Chinese verbs and grammar that are in no list: words that contain, begin or end with these are not nouns. */
const NO_CHINESE_NOUN =
  /[我你您他她它这那哪谁]|^[的了是不没很也就还都在和跟把被让给从又再更最太真好挺可只才却已将会能要想去来说看听吃喝走跑做打买找等请先快抢互相]|[的了着过吗呢吧啊是在到得地们完出入走吃]$/u;

function cjkWords(text: string, language: 'ja' | 'zh'): Word[] {
  const words: Word[] = [];
  for (const { segment } of joined(SEGMENTERS[language].segment(text))) {
    const nounness = language === 'ja' ? japaneseNounness(segment) : chineseNounness(segment);
    if (nounness > 0 && !NUMBER.test(segment) && !DAY.test(segment))
      words.push({ tag: segment, key: segment.toLowerCase(), nounness });
  }
  return words;
}

/** Joins words whose parts the segmenter separates: スカイ|ツリー, 自行|车, 登山|靴. */
function joined(segments: Intl.Segments): { segment: string }[] {
  const out: { segment: string }[] = [];
  for (const { segment } of segments) {
    const last = out.at(-1);
    if (last && belongs(last.segment, segment)) last.segment += segment;
    else out.push({ segment });
  }
  return out;
}

const KATAKANA_PART = /^[\p{Script=Katakana}ー]+$/u;
const ENDING =
  /^[车車营營园園馆館店場场院校站駅路街机機器师師员員会會节節祭展赛賽课課费費区區室厅廳楼樓桥橋湖山島川寺港線城队隊团團品病药藥薬靴服部屋]$/u;

function belongs(word: string, next: string): boolean {
  if (KATAKANA_PART.test(word) && KATAKANA_PART.test(next)) return true;
  return ENDING.test(next) && /^\p{Script=Han}{2}$/u.test(word);
}

function japaneseNounness(word: string): number {
  if (KANJI.test(word)) return 0.9;
  if (KATAKANA.test(word) || LATIN_NAME.test(word)) return 1;
  return MIXED.test(word) ? 0.8 : 0;
}

function chineseNounness(word: string): number {
  if (LATIN_NAME.test(word)) return 1;
  if (!KANJI.test(word) || NO_CHINESE_NOUN.test(word)) return 0;
  return word.length >= 3 ? 1 : 0.8;
}
