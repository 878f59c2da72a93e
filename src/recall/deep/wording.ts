/** What the prompts of deep recall say, and how. */
import { fillPrompt, readPrompt } from '../../llm/llm.ts';
import { localDate } from '../../model/model.ts';
import { snippet, type Language } from '../../text/text.ts';
import type { Question } from '../types.ts';

const FOLDER = new URL('prompts/', import.meta.url);
/** Lines of the recent conversation that are shown: five exchanges. (Deep recall, phase 1: three to five) */
const CONTEXT_LINES = 10;
/** Longest line, UTF-16 units. */
const LINE_CHARS = 400;
const NAME_CHARS = 40;
const NONE = '-';

/** A prompt about an utterance, in its language. @param more further values to be filled in */
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

/** Words on one line, so that none of them begins a line of the prompt. */
export function passage(text: string, maxChars: number, around: readonly string[] = []): string {
  return snippet(text.toWellFormed().replace(/\s+/gu, ' '), { maxChars, around });
}
