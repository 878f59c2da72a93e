/**
 * Detects the language of a text by its scripts, by characters that only one language uses, and by function words.
 *
 *     今日は|Meeting|で|feedback|をもらった     each run of one script counts for a language; grammar (kana, function words)
 *     ja      en     ja    en       ja       counts more than content, which may be borrowed; quotations count less
 */
import { isStopWord } from './stopwords.ts';

/** The languages in which a memory processes text. Any text in Latin script is processed as English. */
export type Language = 'ja' | 'zh' | 'en';

/** How much of a text is in each language: 0..1, summing to 1, or all 0 when no language can be recognised. */
export type LanguageShares = Readonly<Record<Language, number>>;

/** Only this many UTF-16 units of a longer text are examined. */
const MAX_SAMPLE_LENGTH = 1024;

const CONTENT_WEIGHT = 1;
const HIRAGANA_WEIGHT = 1.5;
/** An English word counts as about two characters of CJK; function words count more, since they are never borrowed. */
const FUNCTION_WORD_WEIGHT = 3;
const QUOTED_WEIGHT = 0.3;

const NOT_LANGUAGE = /https?:\/\/\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|@\w+|<[^<>]{1,64}>/g;
const QUOTED = /「[^「」]*」|『[^『』]*』|《[^《》]*》|“[^“”]*”|"[^"\n]*"/g;
const RUN =
  /(?<cjk>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+)|(?<latin>\p{Script=Latin}[\p{Script=Latin}\p{M}]*(?:['’]\p{Script=Latin}+)?)/gu;
const HIRAGANA = /\p{Script=Hiragana}/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** English words used in every language. */
const INTERJECTION = /^(?:ok|okay|oh|yes|no|please)$/;
/** Kaomoji contain single katakana: (・∀・)ノ ¯\_(ツ)_/¯ */
const LONE_KATAKANA = /^[\p{Script=Katakana}ー]$/u;

/** Words in characters of both languages that are used in one of them and rarely or never in the other. */
const JAPANESE_WORDS =
  /一昨日|明後日|今日|明日|昨日|今朝|今晩|今夜|毎日|毎朝|毎晩|時間|大丈夫|最高|残念|本当|友達|友人|彼女|彼氏|電車|勉強|仕事|会社|映画|写真|病院|無理|元気|誕生日|手紙|切符|受付|部屋|場所|財布|一緒|全部|何時|何処|承知|結構|勿論|是非|目的地|不在|不明(?!白)|都合|^了解$|^了解致/g;
const CHINESE_WORDS =
  /今天|明天|昨天|前天|后天|後天|知道|可以|朋友|晚上|早上|中午|公司|所以|如果|但是|可是|工作|一下|不要|不是|不好|不行|不用|不能|好的|好吃|高中|小心|加油|太好|回家|上班|下班|放假|出差|辛苦|再見|再见|大概|一起|自己|生日|可能|喜歡|最近|謝謝|電影/g;
const CHINESE_GRAMMAR = /[我的也那把跟吃在就他]/g;
const CHINESE_LEANING = /[是了不好去想有要都和]/g;

/** The main language of `text`; `fallback` if unknown (numbers, emoji, other scripts) or if kanji could be either. */
export function detectLanguage(text: string, fallback: Language = 'en'): Language {
  const weights = weigh(text, fallback);
  // A tie goes to the language that needs its own segmentation: CJK processed as English would be lost.
  const ranked: Language[] = weights.ja >= weights.zh ? ['ja', 'zh', 'en'] : ['zh', 'ja', 'en'];
  const heaviest = ranked.reduce((best, next) => (weights[next] > weights[best] ? next : best));
  return weights[heaviest] > 0 ? heaviest : fallback;
}

/** How much of `text` is in each language, in its first 1,024 characters. */
export function languageShares(text: string): LanguageShares {
  const { ja, zh, en } = weigh(text, 'en');
  const sum = ja + zh + en;
  return sum === 0 ? { ja, zh, en } : { ja: ja / sum, zh: zh / sum, en: en / sum };
}

type Weights = Record<Language, number>;

function weigh(text: string, fallback: Language): Weights {
  const sample = text.slice(0, MAX_SAMPLE_LENGTH).normalize('NFKC').replace(NOT_LANGUAGE, ' ');
  const quoted = (sample.match(QUOTED) ?? []).join(' ');
  const unquoted = sample.replace(QUOTED, ' ');
  const own = weighRuns(unquoted, fallback);
  const borrowed = weighRuns(quoted, fallback);
  const total = (language: Language) => own[language] + QUOTED_WEIGHT * borrowed[language];
  return { ja: total('ja'), zh: total('zh'), en: total('en') };
}

function weighRuns(text: string, fallback: Language): Weights {
  const weights: Weights = { ja: 0, zh: 0, en: 0 };
  let undecided = 0;
  for (const { groups } of text.matchAll(RUN)) {
    if (groups?.['latin'] !== undefined) weights.en += weightOfWord(groups['latin']);
    const run = groups?.['cjk'];
    if (run === undefined || LONE_KATAKANA.test(run)) continue;
    const language = languageOfRun(run, fallback);
    if (language === null) undecided += weightOfRun(run);
    else weights[language] += weightOfRun(run);
  }
  // Kanji that could be either take the language of the rest; without a rest, the fallback, or else Chinese.
  weights[weights.ja > weights.zh || (weights.ja === weights.zh && fallback === 'ja') ? 'ja' : 'zh'] +=
    undecided;
  return weights;
}

function weightOfWord(word: string): number {
  const bare = word.toLowerCase().replace(/['’].*/, '');
  return isStopWord(bare) && !INTERJECTION.test(bare) ? FUNCTION_WORD_WEIGHT : CONTENT_WEIGHT;
}

function weightOfRun(run: string): number {
  let weight = 0;
  for (const character of run) weight += HIRAGANA.test(character) ? HIRAGANA_WEIGHT : CONTENT_WEIGHT;
  return weight;
}

/** The language of a run of kanji and kana, or null if it could be either. */
function languageOfRun(run: string, fallback: Language): Language | null {
  const { japaneseOnly, chineseOnly, notSimplified } = scripts();
  let japanese = 1.5 * countOf(run, JAPANESE_WORDS);
  let chinese =
    1.5 * countOf(run, CHINESE_WORDS) + countOf(run, CHINESE_GRAMMAR) + 0.5 * countOf(run, CHINESE_LEANING);
  for (const character of run) {
    if (KANA.test(character) || japaneseOnly.has(character)) japanese += 2;
    else if (chineseOnly.has(character)) chinese += 2;
    else if (notSimplified.has(character)) japanese += 0.5;
  }
  if (fallback === 'ja') japanese += 1;
  if (fallback === 'zh') chinese += 1;
  if (japanese === chinese) return KANA.test(run) ? 'ja' : null;
  return japanese > chinese ? 'ja' : 'zh';
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

interface Scripts {
  /** 気 駅 働 込 々: characters in common use in Japan and in neither Chinese script. */
  readonly japaneseOnly: ReadonlySet<string>;
  /** 们 说 你 們 說 嗎: characters in common use in China or Taiwan and not in Japan. */
  readonly chineseOnly: ReadonlySet<string>;
  /** 東 車 時: written alike in Japan and Taiwan, simplified in China. Alone they count a little for Japanese. */
  readonly notSimplified: ReadonlySet<string>;
}

let known: Scripts | undefined;

/**
 * Derived from the national character sets, whose first levels are the characters in common use: JIS X 0208 (rows 16–47), GB 2312
 * (rows 16–55; its second level to row 87), Big5 (A440–C67E).
 */
function scripts(): Scripts {
  if (known !== undefined) return known;
  const japan = charactersOf('euc-jp', 0xb0, 0xcf, 0xa1);
  const china = charactersOf('gbk', 0xb0, 0xd7, 0xa1);
  const chinaRare = charactersOf('gbk', 0xd8, 0xf7, 0xa1);
  const taiwan = charactersOf('big5', 0xa4, 0xc6, 0x40);
  const simplified = china.union(chinaRare);
  known = {
    japaneseOnly: japan.difference(simplified).difference(taiwan).union(new Set('々〆')),
    chineseOnly: china.union(taiwan).difference(japan),
    notSimplified: japan.intersection(taiwan).difference(simplified),
  };
  return known;
}

/** The ideographs of a double-byte encoding with first bytes from `first` to `last` and second bytes from `second` on. */
function charactersOf(encoding: string, first: number, last: number, second: number): Set<string> {
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead++) {
    for (let trail = second; trail <= 0xfe; trail++) bytes.push(lead, trail, 0x20);
  }
  return new Set(new TextDecoder(encoding).decode(Uint8Array.from(bytes)).match(/\p{Script=Han}/gu));
}
