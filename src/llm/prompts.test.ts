import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { fillPrompt, parsePrompt, placeholdersOf, readPrompt } from './prompts.ts';

const FILE = '---\nversion: 3\n---\n# system\nBe {{manner}}.\n# user\nSay {{what}}, {{manner}}ly.\n';

test('a prompt is read from its file, filled in, and sent', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'greet.ja.md'), FILE.replaceAll('\n', '\r\n'));
  const prompt = readPrompt(pathToFileURL(`${folder}/`), 'greet', 'ja');
  expect(prompt.version).toBe(3);
  expect(placeholdersOf(prompt)).toEqual(['manner', 'what']);
  expect(fillPrompt(prompt, { manner: 'kind', what: '{{manner}} $& things' })).toEqual({
    system: 'Be kind.',
    messages: [{ role: 'user', content: 'Say {{manner}} $& things, kindly.' }],
  });
});

test('a missing value is reported', () => {
  expect(() => parsePrompt('# system\nx\n# user\ny', 'odd.md')).toThrow(/odd\.md/);
  expect(() => fillPrompt(parsePrompt(FILE, 'x'), { what: 'hi' })).toThrow(/\{\{manner\}\}/);
});
