/** Whether two texts say the same in nearly the same words. */

/** Not what belongs to a number (1.5, 18:30, -5, 20%) or to a name (C++, C#). */
const PUNCTUATION = /(?!(?<=\d)[.:/-](?=\d)|-(?=\d)|[#%'])[\p{P}\p{Z}\s]/gu;

/**
 * Words that change nothing of what is said: articles, degree, politeness. Everything else counts: who, where, how many,
 * when, and whether at all.
 */
const EMPTY_WORDS = new Set('a an the really very quite so truly'.split(' '));
const EMPTY_CJK = /とても|すごく|本当に|ほんとうに|非常に?|特别|真的|十分|[的很]/g;
/** The topic's particle, which may stand for the subject's; the others say who does what to whom. */
const TOPIC_PARTICLE = /(?<=[\p{Script=Han}\p{Script=Katakana}ー\p{Script=Latin}\p{N}])は/gu;
/** What a sentence politely ends in. */
const POLITE_END = /(?:です|だ|である)?(?:よ|ね|よね)?$/;

/**
 * What is left of a text when nothing but its manner is taken away. Two texts with the same say the same; that they
 * have the same numbers, dates, names and negations follows, since those are left.
 */
export function gistOf(text: string): string {
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
    .map(gistOfWord)
    .filter((word) => word !== '')
    .join(' ');
}

function gistOfWord(word: string): string {
  if (/^[\p{Script=Latin}\p{M}']+$/u.test(word)) {
    if (EMPTY_WORDS.has(word)) return '';
    // “like” and “likes”, “cat” and “cats”; not “lived”.
    return word.replace(/(?<=[^s'])s$/, '');
  }
  return word.replace(POLITE_END, '').replace(EMPTY_CJK, '').replace(TOPIC_PARTICLE, 'が');
}
