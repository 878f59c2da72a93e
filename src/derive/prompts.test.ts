import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillPrompt, placeholdersOf, promptFor } from './prompts.ts';

const FILES = readdirSync(new URL('prompts', import.meta.url));
const KINDS = [...new Set(FILES.map((file) => file.split('.')[0]!))];
const LANGUAGES = ['ja', 'zh', 'en'] as const;

describe('prompts', () => {
  test('exist for every purpose that asks a model', () => {
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

  test.each(KINDS)('%s exists in three languages, with the same version and placeholders', (kind) => {
    const prompts = LANGUAGES.map((language) => promptFor(kind, language));
    expect(new Set(prompts.map(({ version }) => version)).size).toBe(1);
    expect(new Set(prompts.map((prompt) => placeholdersOf(prompt).join())).size).toBe(1);
    expect(placeholdersOf(prompts[0]!)).not.toEqual([]);
    expect(new Set(prompts.map(({ system }) => system)).size).toBe(3);
    expect(FILES.filter((file) => file.startsWith(`${kind}.`))).toHaveLength(3);
  });

  test('insert values unchanged, whatever they contain', () => {
    const prompt = { version: 3, system: 'You are {{name}}.', user: '{{text}}' };
    expect(placeholdersOf(prompt)).toEqual(['name', 'text']);
    expect(fillPrompt(prompt, { name: '$& {{text}}', text: '{{name}}' })).toEqual({
      system: 'You are $& {{text}}.',
      messages: [{ role: 'user', content: '{{name}}' }],
    });
    expect(() => fillPrompt(prompt, { name: 'x' })).toThrow(/text/);
  });
});
