/**
 * Prompts for models, in files `<kind>.<language>.md`.
 *
 *     ---
 *     version: 1
 *     ---
 *     # system
 *     Who the model is and what to write …
 *     # user
 *     … {{episode}} …
 */
import { readFileSync } from 'node:fs';
import { MemoryError } from '../model/model.ts';
import type { Language } from '../text/text.ts';

export interface Prompt {
  /** Increase with every change of the prompt or of the reply's form. */
  readonly version: number;
  readonly system: string;
  readonly user: string;
}

const PARTS = /^---\nversion: (?<version>\d+)\n---\n# system\n(?<system>[^]+?)\n# user\n(?<user>[^]+)$/;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

const read = new Map<string, Prompt>();

/** The prompt of a kind in a language; each file is read once. @param folder ends in a slash */
export function readPrompt(folder: URL, kind: string, language: Language): Prompt {
  const { href } = new URL(`${kind}.${language}.md`, folder);
  let prompt = read.get(href);
  if (!prompt) {
    prompt = parsePrompt(readFileSync(new URL(href), 'utf8'), href);
    read.set(href, prompt);
  }
  return prompt;
}

/** @throws MemoryError INVALID_INPUT when the file has another format */
export function parsePrompt(file: string, name: string): Prompt {
  const parts = PARTS.exec(file.replaceAll('\r\n', '\n'))?.groups;
  if (!parts) throw new MemoryError('INVALID_INPUT', `The prompt ${name} is not of the form it must have.`);
  const { version = '', system = '', user = '' } = parts;
  return { version: Number(version), system: system.trim(), user: user.trim() };
}

/** The names of the placeholders, in alphabetical order. */
export function placeholdersOf(prompt: Prompt): string[] {
  const found = [prompt.system, prompt.user].flatMap((part) => [...part.matchAll(PLACEHOLDER)]);
  return [...new Set(found.map((match) => match[1] ?? ''))].sort();
}

/**
 * The prompt with its values, as a request to a LanguageModel. Placeholders inside values are not replaced.
 * @throws MemoryError INVALID_INPUT when a value is missing
 */
export function fillPrompt(
  prompt: Prompt,
  values: Readonly<Record<string, string>>,
): { system: string; messages: [{ role: 'user'; content: string }] } {
  const fill = (part: string) =>
    part.replace(PLACEHOLDER, (_, name: string) => {
      const value = values[name];
      if (value === undefined)
        throw new MemoryError('INVALID_INPUT', `The prompt lacks a value for {{${name}}}.`);
      return value;
    });
  return { system: fill(prompt.system), messages: [{ role: 'user', content: fill(prompt.user) }] };
}
