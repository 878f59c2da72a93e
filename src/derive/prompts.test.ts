import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillPrompt, placeholdersOf, promptFor } from './prompts.ts';

const FILES = readdirSync(new URL('prompts', import.meta.url));
const KINDS = [...new Set(FILES.map((file) => file.split('.')[0]!))];
const LANGUAGES = ['ja', 'zh', 'en'] as const;

describe('prompts', () => {
  test('there is one for everything that asks a model', () => {
    expect(KINDS.sort()).toEqual([
      'assign_topic',
      'extract_entities',
      'extract_facts',
      'extract_loops',
      'learn',
      'reflect',
      'refresh_capsule',
      'summarize',
    ]);
  });

  test.each(KINDS)('%s is there in three languages, of one version, with the same to fill in', (kind) => {
    const prompts = LANGUAGES.map((language) => promptFor(kind, language));
    expect(new Set(prompts.map(({ version }) => version)).size).toBe(1);
    expect(new Set(prompts.map((prompt) => placeholdersOf(prompt).join())).size).toBe(1);
    expect(placeholdersOf(prompts[0]!)).not.toEqual([]);
    expect(new Set(prompts.map(({ system }) => system)).size).toBe(3);
    expect(FILES.filter((file) => file.startsWith(`${kind}.`))).toHaveLength(3);
  });

  test('values are put in as they are, whatever they hold', () => {
    const prompt = { version: 3, system: 'You are {{name}}.', user: '{{text}}' };
    expect(placeholdersOf(prompt)).toEqual(['name', 'text']);
    expect(fillPrompt(prompt, { name: '$& {{text}}', text: '{{name}}' })).toEqual({
      system: 'You are $& {{text}}.',
      messages: [{ role: 'user', content: '{{name}}' }],
    });
    expect(() => fillPrompt(prompt, { name: 'x' })).toThrow(/text/);
  });
});
