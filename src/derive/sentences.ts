import { splitSentences } from '../text/text.ts';

/** The non-empty sentences of a text, trimmed. */
export function sentencesOf(text: string): string[] {
  return splitSentences(text).flatMap((sentence) => (/[\p{L}\p{N}]/u.test(sentence) ? sentence.trim() : []));
}
