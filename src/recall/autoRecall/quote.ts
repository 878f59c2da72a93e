import { snippet } from '../../text/text.ts';
import type { Quote } from '../types.ts';

/** Maximum length of a quote in UTF-16 units: two or three sentences. */
const QUOTE_CHARS = 160;

/**
 * The most informative part of a turn, verbatim: the whole sentences that contain most of the given words, or the first
 * sentences when none contains any.
 * @param around words or terms, the most important first
 */
export function quoteOf(text: string, around: readonly string[]): Quote {
  const shown = snippet(text, { maxChars: QUOTE_CHARS, around });
  // Ellipses mark omitted text. They are not part of the original.
  const own = [shown, shown.slice(1), shown.slice(0, -1), shown.slice(1, -1)];
  const words = own.find((part) => text.includes(part)) ?? '';
  const from = text.indexOf(words);
  return { text: words, from, to: from + words.length };
}
