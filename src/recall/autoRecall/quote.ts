import { snippet } from '../../text/text.ts';
import type { Quote } from '../types.ts';

/** Longest quote, UTF-16 units: two or three sentences. */
const QUOTE_CHARS = 160;

/**
 * The telling part of a turn, word for word: whole sentences, those with most of the words asked for, or the first ones
 * where there are none.
 * @param around words or terms, those that matter more first
 */
export function quoteOf(text: string, around: readonly string[]): Quote {
  const shown = snippet(text, { maxChars: QUOTE_CHARS, around });
  // Where something is left out an ellipsis stands, which is not the speaker's.
  const own = [shown, shown.slice(1), shown.slice(0, -1), shown.slice(1, -1)];
  const words = own.find((part) => text.includes(part)) ?? '';
  const from = text.indexOf(words);
  return { text: words, from, to: from + words.length };
}
