/** The prompts about turns, in files `prompts/<kind>.<language>.md`. */
import { readPrompt, type Prompt } from '../llm/llm.ts';
import type { Language } from '../text/text.ts';
import { hasEvidence } from './guard.ts';

export { fillPrompt, placeholdersOf, type Prompt } from '../llm/llm.ts';

const FOLDER = new URL('prompts/', import.meta.url);

/**
 * The prompt of a derivation in the language of its input. A new version of it changes the marks, so results are
 * derived again.
 */
export function promptFor(kind: string, language: Language): Prompt {
  return readPrompt(FOLDER, kind, language);
}

/** Whether a text is copied from the prompt instead of from what was said. */
export function isFromPrompt(words: string, prompt: Prompt): boolean {
  const whole = (['ja', 'zh', 'en'] as const).map((language) => promptFor('learn', language));
  return [prompt, ...whole].some(
    ({ system, user }) => hasEvidence(words, system) || hasEvidence(words, user),
  );
}
