import { splitSentences } from '../text/text.ts';

/** The sentences of a text that say anything, trimmed. */
export function sentencesOf(text: string): string[] {
  return splitSentences(text).flatMap((sentence) => (/[\p{L}\p{N}]/u.test(sentence) ? sentence.trim() : []));
}
