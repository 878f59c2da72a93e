/** The prompts of deep recall. */
import { fillPrompt, readPrompt } from '../../llm/llm.ts';
import { localDate } from '../../model/model.ts';
import { snippet, type Language } from '../../text/text.ts';
import type { Question } from '../types.ts';

const FOLDER = new URL('prompts/', import.meta.url);
/** Number of recent lines in the prompt: five exchanges. (Deep recall, phase 1: three to five) */
const CONTEXT_LINES = 10;
/** Maximum length of a line, in UTF-16 units. */
const LINE_CHARS = 400;
const NAME_CHARS = 40;
const NONE = '-';

/** A prompt about an utterance, in its language. @param more additional values for the template */
export function promptAbout(
  kind: 'expand' | 'label',
  { utterance, context, now, timeZone }: Question,
  language: Language,
  more: Readonly<Record<string, string>> = {},
): ReturnType<typeof fillPrompt> {
  const lines = context.slice(-CONTEXT_LINES).map(({ speaker, text }) => line(speaker, text, LINE_CHARS));
  return fillPrompt(readPrompt(FOLDER, kind, language), {
    today: localDate(now, timeZone),
    context: lines.join('\n') || NONE,
    utterance: passage(utterance, LINE_CHARS * 2),
    ...more,
  });
}

export function line(
  speaker: string,
  text: string,
  maxChars: number,
  around: readonly string[] = [],
): string {
  return `${passage(speaker, NAME_CHARS)}: ${passage(text, maxChars, around)}`;
}

/** Text on one line, so that no part of it starts a new line of the prompt. */
export function passage(text: string, maxChars: number, around: readonly string[] = []): string {
  return snippet(text.toWellFormed().replace(/\s+/gu, ' '), { maxChars, around });
}
