/**
 * Detects emotions in a text by words and signs alone.
 *
 *     not very happy!!        楽しく|なかった        并不|太开心
 *     └ turns  └ word └ ×     └ word  └ turns       └ turns └ word
 *
 * A negated word means a little of the opposite; an intensified word counts more. Emphasis applies to all words.
 */
import { wordCache, type Emotion } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { indexLexicon, type EmotionKey, type Feelings } from './lexicon.ts';
import { feelingsOfSigns } from './signs.ts';
import { ENGLISH } from './wordsEn.ts';
import { JAPANESE } from './wordsJa.ts';
import { CHINESE, simplifyFeelings } from './wordsZh.ts';

const NEGATED = -0.5;
const INTENSIFIED = 1.3;
const DIMINISHED = 0.6;
/** The emotion that a negated emotion turns into. */
const NEGATED_EMOTION: Partial<Record<EmotionKey, EmotionKey>> = {
  joy: 'sadness',
  peace: 'anxiety',
  trust: 'conflict',
  hope: 'sadness',
};
/** Smaller values are left out. */
const MIN_VALUE = 0.05;
/** Only this many UTF-16 units of longer texts are read. */
const MAX_LENGTH = 8_000;

/** One expression of emotion in a text. */
interface Cue {
  readonly feelings: Feelings;
  /** 1; more when intensified, negative when negated. */
  readonly factor: number;
}

export interface Felt {
  /** −1..1; negative when the emotion is denied. */
  readonly values: Emotion['values'];
  /** The matching words of the lexicon. */
  readonly words: ReadonlySet<string>;
}

/** The emotions that words and signs of a text express. */
export function emotionOfCues(text: string, language: Language): Felt {
  const written = text.slice(0, MAX_LENGTH).toWellFormed();
  const sample = written.normalize('NFKC');
  const words = new Set<string>();
  const cues = [
    ...cuesOf(sample, language, words),
    ...feelingsOfSigns(written).map((feelings) => ({ feelings, factor: 1 })),
  ];
  return { values: valuesOf(cues, emphasisOf(sample)), words };
}

/** Each further cue for an emotion reduces the distance to 1; cues against it are combined alike and subtracted. */
function valuesOf(cues: readonly Cue[], emphasis: number): Emotion['values'] {
  const missing = { for: new Map<EmotionKey, number>(), against: new Map<EmotionKey, number>() };
  const add = (key: EmotionKey, strength: number) => {
    const side = strength > 0 ? missing.for : missing.against;
    side.set(key, (side.get(key) ?? 1) * (1 - Math.min(1, Math.abs(strength) * emphasis)));
  };
  for (const { feelings, factor } of cues) {
    for (const [key, strength] of feelings) {
      add(key, strength * factor);
      const instead = factor < 0 ? NEGATED_EMOTION[key] : undefined;
      if (instead) add(instead, -strength * factor);
    }
  }
  const values: Emotion['values'] = {};
  for (const key of new Set([...missing.for.keys(), ...missing.against.keys()])) {
    const value = (missing.against.get(key) ?? 1) - (missing.for.get(key) ?? 1);
    const rounded = Math.round(value * 100) / 100;
    if (Math.abs(rounded) >= MIN_VALUE) values[key] = rounded;
  }
  return values;
}

/** The factor for exclamation marks. */
function emphasisOf(text: string): number {
  const marks = text.match(/[!！]/g)?.length ?? 0;
  return marks === 0 ? 1 : marks === 1 ? 1.15 : 1.3;
}

function cuesOf(text: string, language: Language, words: Set<string>): Cue[] {
  if (language === 'en') return englishCues(text, words);
  return language === 'ja' ? japaneseCues(text, words) : chineseCues(text, words);
}

const ENGLISH_WORDS = indexLexicon(ENGLISH, /,/);
const PHRASES = patternOf([...ENGLISH_WORDS.keys()].filter((word) => /[ ']/.test(word)));
const ENGLISH_TOKEN = new RegExp(`\\b(?:${PHRASES})\\b|[a-z]+(?:'[a-z]+)?|[.,;:!?\\n]`, 'g');
const ENGLISH_NEGATION = /^(?:not|no|never|hardly|barely|without|nothing|neither|nor|cannot|ain't|.*n't)$/;
const ENGLISH_MORE =
  /^(?:very|so|really|extremely|absolutely|incredibly|super|totally|completely|truly|too|such|most|deeply)$/;
const ENGLISH_LESS = /^(?:slightly|bit|little|somewhat|kinda|fairly|rather)$/;
/** How many words back a negation or an intensifier is searched for. */
const ENGLISH_REACH = 3;

function englishCues(text: string, words: Set<string>): Cue[] {
  const tokens = text.toLowerCase().replaceAll('’', "'").match(ENGLISH_TOKEN) ?? [];
  return tokens.flatMap((token, at) => {
    const word = plainForm(token);
    if (word === null) return [];
    words.add(word);
    const before = tokens.slice(Math.max(0, at - ENGLISH_REACH), at);
    const clause = before.slice(before.findLastIndex((other) => /^(?:[.,;:!?\n]|but)$/.test(other)) + 1);
    return [{ feelings: ENGLISH_WORDS.get(word) ?? [], factor: englishFactor(clause) }];
  });
}

function englishFactor(clause: readonly string[]): number {
  if (clause.some((word) => ENGLISH_NEGATION.test(word)) && !clause.includes('only')) return NEGATED;
  if (clause.some((word) => ENGLISH_LESS.test(word))) return DIMINISHED;
  return clause.some((word) => ENGLISH_MORE.test(word)) ? INTENSIFIED : 1;
}

const remembered = wordCache(new Map<string, string | null>());
const MAX_REMEMBERED = 20_000;

/** Words that resemble a word of emotion. */
const ENGLISH_OTHER = new Set(['honestly', 'hopefully', 'goods', 'likely', 'nicely', 'restaurant']);

/** The form of a word in the lexicon: loved → love, worries → worry; null when there is none. */
function plainForm(token: string): string | null {
  if (ENGLISH_OTHER.has(token)) return null;
  let word = remembered.get(token);
  if (word === undefined) {
    const endings = [
      token,
      ...ENDINGS.flatMap(([ending, plain]) => (ending.test(token) ? [token.replace(ending, plain)] : [])),
    ];
    word = endings.find((form) => ENGLISH_WORDS.has(form)) ?? null;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(token, word);
  }
  return word;
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/'s$/, ''],
  [/s$/, ''],
  [/ies$/, 'y'],
  [/ied$/, 'y'],
  [/(?:ed|ing|ly|er|est|es)$/, ''],
  [/(?:ed|ing|er|est)$/, 'e'],
  [/(.)\1(?:ed|ing)$/, '$1'],
  [/ily$/, 'y'],
  [/i(?:er|est)$/, 'y'],
  [/(?:ful|fully)$/, ''],
];

const JAPANESE_WORDS = indexLexicon(JAPANESE, /\s/);
const JAPANESE_TOKEN = new RegExp(patternOf([...JAPANESE_WORDS.keys()]), 'g');
/** Negations after a word: 楽しく|なかった, 好き|じゃない, 心配|していません; but not 楽しく|ない？ */
const JAPANESE_NEGATION =
  /^(?:[くきしみびりいえけてでにがはもをと]|じゃ|では|って|んで|して|すること|思わ|感じ|らし|でき|れ|っ){0,4}(?:な(?:い|か(?:った|ろ)|く(?!ちゃ|て(?:は|も))|さ[そす])|(?:あり)?ません|ず(?:に)?(?![ーっ]))(?!\s*(?:[?？]|(?:です|でしょう)?か|よね|とね|と[いな]|くちゃ))/;
const JAPANESE_MORE =
  /(?:とても|すごく|すっごく|めっちゃ|めちゃくちゃ|超|本当に|ほんとに|ほんとうに|かなり|大変|非常に|心から|一番|もう)$/;
const JAPANESE_LESS = /(?:ちょっと|少し|すこし|多少|若干|なんとなく|やや)$/;
/** Contexts in which words mean something else: ご希望, お願い, よければ, 辛い料理, 恋人, 草原. */
const JAPANESE_OTHER: readonly (readonly [word: RegExp, before: RegExp | null, after: RegExp | null])[] = [
  [/^希望/, /ご$/, /^(?:しま|する|の|日|者|条件|です|は)/],
  [/^(?:好き|喜ん)/, null, /^な(?:よう|だけ|時|とき)|^でお/],
  [/^願/, /お$/, null],
  [/^(?:よかった|良かった)/, null, /^ら/],
  [/^恋/, null, /^人/],
  [/^辛/, null, /^.{0,6}(?:料理|カレー|味|もの|ラーメン|鍋|食|系|口)/],
  [/^疲れ/, /お$/, null],
  [/^夢/, /悪$/, /^中/],
  [/^面白/, null, /^み/],
  [/^安心/, null, /^してくださ/],
];

function japaneseCues(text: string, words: Set<string>): Cue[] {
  return [...text.matchAll(JAPANESE_TOKEN)].flatMap((match) => {
    const [word] = match;
    const before = text.slice(Math.max(0, match.index - 8), match.index);
    const after = text.slice(match.index + word.length, match.index + word.length + 14);
    const isOther = JAPANESE_OTHER.some(
      ([pattern, left, right]) =>
        pattern.test(word) && (left?.test(before) === true || right?.test(after) === true),
    );
    if (isOther) return [];
    words.add(word);
    const factor = JAPANESE_NEGATION.test(after)
      ? NEGATED
      : adverbFactor(before, JAPANESE_MORE, JAPANESE_LESS);
    return [{ feelings: JAPANESE_WORDS.get(word) ?? [], factor }];
  });
}

const CHINESE_WORDS = indexLexicon(CHINESE, /\s/);
const CHINESE_TOKEN = new RegExp(patternOf([...CHINESE_WORDS.keys()]), 'g');
const CHINESE_NEGATION =
  /(?<!差|要|好|能|是)(?:不|没有?|别|无|并非|毫无|不用|不必|用不着)(?:再|太|是|很|怎么|那么|这么|会|能|要|觉得|感到|让你?|用|够|曾|必|什么|去|多)?$/;
const CHINESE_MORE = /(?:很|非常|太|特别|超级?|好|真|极其|极|十分|最|更|多么|格外|相当)$/;
const CHINESE_LESS = /(?:有点儿?|有些|稍微|略|一点)$/;
/** 麻烦, 不用谢, 可怕 as part of other words. */
const CHINESE_OTHER: readonly (readonly [word: RegExp, before: RegExp | null, after: RegExp | null])[] = [
  [/^烦$/, /麻$/, /^请/],
  [/^怕$/, /[哪恐可]$/, null],
  [/^惨$/, null, /^叫/],
  [/^逗$/, null, /^[留号]/],
  [/^恨$/, /[悔]$/, /^不得/],
  [/^哭$/, null, /^笑不得/],
  [/^不错$/, /^.*(?:差|没)$/, null],
  [/^加油$/, null, /^[站卡机]/],
  [/^照顾好$/, /好好$/, null],
];

function chineseCues(text: string, words: Set<string>): Cue[] {
  const simple = simplifyFeelings(text);
  return [...simple.matchAll(CHINESE_TOKEN)].flatMap((match) => {
    const [word] = match;
    const before = simple.slice(Math.max(0, match.index - 6), match.index);
    const after = simple.slice(match.index + word.length, match.index + word.length + 6);
    const isOther = CHINESE_OTHER.some(
      ([pattern, left, right]) =>
        pattern.test(word) && (left?.test(before) === true || right?.test(after) === true),
    );
    if (isOther) return [];
    words.add(word);
    const factor = CHINESE_NEGATION.test(before) ? NEGATED : adverbFactor(before, CHINESE_MORE, CHINESE_LESS);
    return [{ feelings: CHINESE_WORDS.get(word) ?? [], factor }];
  });
}

function adverbFactor(before: string, more: RegExp, less: RegExp): number {
  if (less.test(before)) return DIMINISHED;
  return more.test(before) ? INTENSIFIED : 1;
}

/** A pattern of the words as alternatives, the longest first. */
function patternOf(words: readonly string[]): string {
  return words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('|');
}
