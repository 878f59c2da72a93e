/** Decides whether two texts say the same in nearly the same words. */

/** Except punctuation that belongs to a number (1.5, 18:30, -5, 20%) or to a name (C++, C#). */
const PUNCTUATION = /(?!(?<=\d)[.:/-](?=\d)|-(?=\d)|[#%'])[\p{P}\p{Z}\s]/gu;

/**
 * Words that do not change the meaning: articles, degree, politeness. All other words count: who, where, how many,
 * when, and negations.
 */
const EMPTY_WORDS = new Set('a an the really very quite so truly'.split(' '));
const EMPTY_CJK = /とても|すごく|本当に|ほんとうに|非常に?|特别|真的|十分|[的很]/g;
/** The topic particle, which can replace the subject particle; other particles say who does what to whom. */
const TOPIC_PARTICLE = /(?<=[\p{Script=Han}\p{Script=Katakana}ー\p{Script=Latin}\p{N}])は/gu;
/** Polite endings of sentences. */
const POLITE_END = /(?:です|だ|である)?(?:よ|ね|よね)?$/;

/**
 * A text without differences of style. Texts with the same result say the same; numbers, dates, names and negations
 * are kept, so these are the same too.
 */
export function normalizeStatement(text: string): string {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[’ʼ]/g, "'")
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replaceAll('−', '-')
    .replaceAll(PUNCTUATION, ' ')
    .trim();
  return folded
    .split(' ')
    .map(normalizeWord)
    .filter((word) => word !== '')
    .join(' ');
}

function normalizeWord(word: string): string {
  if (/^[\p{Script=Latin}\p{M}']+$/u.test(word)) {
    if (EMPTY_WORDS.has(word)) return '';
    // “like” and “likes”, “cat” and “cats” are equal; “lived” is not equal to “live”.
    return word.replace(/(?<=[^s'])s$/, '');
  }
  return word.replace(POLITE_END, '').replace(EMPTY_CJK, '').replace(TOPIC_PARTICLE, 'が');
}
