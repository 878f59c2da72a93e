/** Salience and confidence of an utterance, by its form alone. */
import type { Emotion } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { isQuestion } from '../guard.ts';
import { sentencesOf } from '../sentences.ts';

export interface Utterance {
  readonly text: string;
  readonly language: Language;
  readonly emotion: Emotion;
  /** Whether it mentions a time other than its own day. */
  readonly namesTime: boolean;
  /** Whether it contains a name. */
  readonly names: boolean;
}

/** The intensity of an emotion, 0..1: that of its strongest value. */
export function intensityOf(emotion: Emotion | null): number {
  return Math.max(0, ...Object.values(emotion?.values ?? {}).map(Math.abs));
}

/** The number of words at which the length counts half of its maximum. */
const HALF_LENGTH_WORDS = 12;
/** The highest confidence of rules. */
const SUREST = 0.6;

/**
 * 0.1 + 0.3 × intensity of the emotion + 0.2 × length (1 − 2^(−words/12), where two CJK characters count as a word)
 * + 0.15 if the speaker talks about themselves + 0.1 if it mentions a time + 0.1 if it contains a name + 0.05 if it
 * is a question; between 0.1 and 1.
 */
export function salienceOf(utterance: Utterance): number {
  const { text, language, emotion } = utterance;
  const length = 1 - 2 ** (-wordCount(text) / HALF_LENGTH_WORDS);
  const salience =
    0.1 +
    0.3 * intensityOf(emotion) +
    0.2 * length +
    0.15 * Number(isPersonal(text, language)) +
    0.1 * Number(utterance.namesTime || DATE.test(text)) +
    0.1 * Number(utterance.names || NAME.test(text)) +
    0.05 * Number(asks(text, language));
  return Math.round(salience * 100) / 100;
}

/** 0.6 for statements, 0.45 for questions, 0.4 for hypothetical sentences. */
export function confidenceOf({ text, language }: Utterance): number {
  if (HEDGE[language].test(text)) return 0.4;
  const sentences = sentencesOf(text);
  return sentences.length > 0 && sentences.every((one) => isQuestion(one, language)) ? 0.45 : SUREST;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

function wordCount(text: string): number {
  const characters = text.match(CJK)?.length ?? 0;
  return characters / 2 + (text.match(/[\p{Script=Latin}\p{N}]+/gu)?.length ?? 0);
}

function asks(text: string, language: Language): boolean {
  return sentencesOf(text).some((sentence) => isQuestion(sentence, language));
}

const DATE = /\b(?:19|20)\d\d\b|\d{1,2}月\d{1,2}[日号]|\b\d{1,2}\/\d{1,2}\b/;
/** A person with a title, or the title of a work. */
const NAME = /\p{L}(?:さん|ちゃん|くん|先生)|\p{Script=Han}(?:老师|女士|小姐)|[『《]/u;

const PERSONAL: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:I|I'm|I’m|I've|I’ve|I'll|I’ll|my|mine|we|our)\b/,
  ja: /私|わたし|僕|ぼく(?!ら)|俺|おれ|あたし|うち(?=[のはがも])|自分|(?:母|父|妹|弟|姉|兄|妻|夫|息子|娘|彼女|彼氏)(?=[がはもにとを])|(?:た|てる|ている|ます|ました)(?:よ|んだ|んです|の)/,
  zh: /我(?!们都知道)|俺|咱/,
};

/** Whether the speaker talks about themselves, in a sentence that is not a question. */
function isPersonal(text: string, language: Language): boolean {
  return sentencesOf(text).some((one) => PERSONAL[language].test(one) && !isQuestion(one, language));
}

const HEDGE: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:maybe|perhaps|probably|might|not sure|i guess|i think|supposedly|apparently)\b/i,
  ja: /たぶん|多分|おそらく|かもしれ|かも(?:。|ね|$)|だと思う|っぽい|らしい|気がする/,
  zh: /可能|也许|大概|或许|说不定|好像|估计|应该是|不确定/,
};
