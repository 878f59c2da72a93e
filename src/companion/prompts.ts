import { readFileSync } from 'node:fs';
import type { Language } from '../text/text.ts';

type PromptName =
  | 'guard'
  | 'notification'
  | 'meta_request'
  | 'reminder'
  | 'image'
  | 'unasked'
  | 'unseen_image';

const read = new Map<string, string>();

/** The prompt with this name and language, with its `{placeholders}` filled. */
export function prompt(
  name: PromptName,
  language: Language,
  places: Readonly<Record<string, string>> = {},
): string {
  const file = `./prompts/${name}.${language}.md`;
  let words = read.get(file);
  if (words === undefined) {
    words = readFileSync(new URL(file, import.meta.url), 'utf8').trim();
    read.set(file, words);
  }
  return words.replace(/\{(\w+)\}/gu, (whole, place: string) => places[place] ?? whole);
}
