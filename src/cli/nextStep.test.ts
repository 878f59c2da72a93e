import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../test/cli/runCommand.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { ERROR_CODES, type ErrorCode } from '../engine/engine.ts';
import { nextStep } from './nextStep.ts';

/** Errors that new users meet, and the next step that they are shown. */
test.each([
  ['there is no memory yet', ['recall', 'hi', '--data', 'FOLDER'], '“omoide ingest FILE” creates one'],
  ['there is no such file', ['ingest', 'FOLDER/nofile.json', '--data', 'FOLDER'], '→ Check the path'],
  ['the file is not an export', ['ingest', 'FOLDER/other.txt', '--data', 'FOLDER'], '→ Use the file or ZIP'],
  ['the folder has no such file', ['ingest', 'FOLDER/empty', '--data', 'FOLDER'], 'docs/importing.md'],
  [
    'the file is not a memory',
    ['recall', 'hi', '--data', 'FOLDER', '--memory', 'bad'],
    '→ Choose another folder',
  ],
  ['the data folder is a file', ['ingest', 'FOLDER/talk.jsonl', '--data', 'FOLDER/other.txt'], 'with --data'],
  ['there is no such model', ['serve', '--data', 'FOLDER', '--chat-model', 'gpt5'], 'ollama:MODEL'],
  ['an argument is missing', ['recall', '--data', 'FOLDER'], '--help'],
  ['a command is misspelt', ['rcall', 'hi'], 'Did you mean recall?'],
])('when %s', async (_, args, told) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'other.txt'), 'hello\n');
  writeFileSync(join(folder, 'talk.jsonl'), '{"role":"user","content":"Hello."}\n');
  writeFileSync(join(folder, 'memory_bad.db'), 'garbage '.repeat(100));
  const { code, stderr } = await runCommand(...args.map((word) => word.replace('FOLDER', folder)));
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(told);
});

test('leaves a message that already names a command unchanged', () => {
  expect(nextStep('KEY_MISSING', 'no key')).toContain('OMOIDE_MASTER_KEY');
  expect(nextStep('KEY_MISSING', 'no key; “omoide key” tells more')).toBeNull();
  expect(nextStep('TURN_CONFLICT', 'another text')).toBeNull();
});

test('every page named by a next step exists', () => {
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    for (const [page] of (nextStep(code, '') ?? '').matchAll(/docs\/\w+\.md/g))
      expect(readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')).not.toBe('');
  }
});
