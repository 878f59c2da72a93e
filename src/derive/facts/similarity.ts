/** Compares objects of facts by meaning, independently of wording. */
import { diceWith, terms } from '../../text/text.ts';

/** The Dice coefficient of character n-grams from which two wordings count as the same. */
const ALIKE = 0.85;

/** The same words, ignoring order, inflection and small errors; numbers must be equal. */
export function isAlike(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)];
  if (a === b) return true;
  if (numbersOf(a) !== numbersOf(b)) return false;
  const [termsA, termsB] = [new Set(terms(one)), new Set(terms(other))];
  if (termsA.size > 0 && termsA.size === termsB.size && termsA.isSubsetOf(termsB)) return true;
  return diceWith(one)(other) >= ALIKE;
}

/** Parts of a place name after which a smaller place may begin: 神奈川県横浜市, 四川省成都. */
const AFTER_LARGER = /[都道府県省市区州縣\s,、・の的]$/u;

/** Whether one is a more precise form of the other: Osaka and Osaka in Japan, 大阪 and 大阪市, 健太 and 田中健太. */
export function isCloser(one: string, other: string): boolean {
  const [short = '', long = ''] = [bare(one), bare(other)].sort((a, b) => a.length - b.length);
  if (short === '' || numbersOf(short) !== numbersOf(long)) return false;
  if (!/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(short)) {
    const words = new Set(terms(short));
    return words.size > 0 && words.isSubsetOf(new Set(terms(long)));
  }
  const at = long.indexOf(short);
  // Not 京都 in 東京都.
  return at === 0 || (at > 0 && AFTER_LARGER.test(long.slice(0, at)));
}

/** Whether one name is part of the other: 健太 and 田中健太, Ken and Ken Tanaka. */
export function isPartOfName(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)];
  return isCloser(one, other) || a.endsWith(b) || b.endsWith(a);
}

function bare(words: string): string {
  return words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .replace(/^(?:an?|the) /, '')
    .trim();
}

function numbersOf(words: string): string {
  return (words.match(/\d+/g) ?? []).join(' ');
}
