/**
 * English words that do not show what a text is about: articles, pronouns, auxiliaries, prepositions, question
 * words, and the stems left of can't, shan't and won't. `may` and `will` are deliberately missing: one is also a
 * month, the other a name, and both are rare enough to do no harm.
 */
const ENGLISH = `
a about above after again against all also am an and any are as at be because been before being below between both but by
can ca cannot could did do does doing done down during each either else ever every few for from further
had has have having he her here hers herself him himself his how however i if in into is it its itself
just let me might mine more most must my myself neither no nor not of off oh ok okay on once only or other ought our ours
ourselves out over own please quite rather really same sha shall she should so some such than that the their theirs
them themselves then there these they this those though through to too under until up upon us very was we were
what whatever when where whether which while who whom whose why with within without wo would yes yet you your yours
yourself yourselves`;

/**
 * Chinese function characters. Alone, and in a pair with one another (我的, 可以, 不是), they make no term; next to any
 * other character they are kept (目的, 会社). Most of Japanese grammar is hiragana, which is left out without a list.
 */
const CHINESE =
  '的了是我你您他她它们吗呢吧啊呀哦嗯啦嘛这那么什个很也就不没有会要在都和与跟到说去对把被让给从为但还能可以因所';

const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.trim().split(/\s+/));

/** Whether a lower-case word is an English function word, which no index or query needs. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** 1 for the UTF-16 unit of a function character. */
const FUNCTION_CODES = new Uint8Array(0x10000);
for (const character of CHINESE) FUNCTION_CODES[character.charCodeAt(0)] = 1;

/** Whether a character, given as its UTF-16 unit, is a function character of Chinese. */
export function isFunctionCode(code: number): boolean {
  return FUNCTION_CODES[code] === 1;
}
