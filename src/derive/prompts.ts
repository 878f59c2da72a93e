/** What models are asked about turns, in files: `prompts/<kind>.<language>.md`. */
import { readPrompt, type Prompt } from '../llm/llm.ts';
import type { Language } from '../text/text.ts';

export { fillPrompt, placeholdersOf, type Prompt } from '../llm/llm.ts';

const FOLDER = new URL('prompts/', import.meta.url);

/**
 * The prompt of a derivation in the language of what it reads. With another version of it everything is derived anew
 * that is derived again.
 */
export function promptFor(kind: string, language: Language): Prompt {
  return readPrompt(FOLDER, kind, language);
}
