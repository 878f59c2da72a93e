import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from '../../test/scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** Runs a command with typed lines as input. */
async function typed(lines: readonly string[], ...args: string[]): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env['PATH'], OMOIDE_DATA: join(folder, 'data'), OMOIDE_EMBEDDER: 'hashed' };
  const child = spawn(process.execPath, [CLI, ...args], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const code = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  return { code, output };
}

test('without a model, stores what was said and shows matching memories', async () => {
  const said = await typed(['We crossed the swaying bridge in Nasu.', '/nonsense', '/quit'], 'chat');
  expect(said).toMatchObject({ code: 0, output: expect.stringContaining('No language model is set') });
  expect(said.output).toContain('There is no command /nonsense');
  const asked = await typed(['What did we say about the swaying bridge in Nasu?'], 'chat');
  expect(asked.output).toContain('We crossed the swaying bridge in Nasu.');
  const recalled = await typed([], 'recall', 'the swaying bridge in Nasu', '--json');
  const texts = (JSON.parse(recalled.output) as { hits: { text: string }[] }).hits.map(({ text }) => text);
  expect(texts).toContain('What did we say about the swaying bridge in Nasu?');
  expect(texts).not.toContain('/nonsense');
});

test('without a model, shows nothing of the present chat, which is on the screen', async () => {
  await typed(['We painted the fence blue.', '/quit'], 'chat');
  const { output } = await typed(['The roses are in bloom.', 'What did we talk about last time?'], 'chat');
  expect(output).toContain('We painted the fence blue.');
  expect(output).not.toContain('The roses are in bloom.');
});

test('with a model, stores both turns; a failing model does not end the session', async () => {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  model.reply('It swayed, I remember.');
  const settings = { provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 };
  const setting = JSON.stringify(settings);
  const said = await typed(['We crossed the bridge in Nasu.'], 'chat', '--chat-model', setting);
  expect(said).toMatchObject({ code: 0, output: expect.stringContaining('It swayed, I remember.') });
  const recalled = await typed([], 'recall', 'the bridge in Nasu', '--json');
  expect(recalled.output).toContain('It swayed, I remember.');
  const nobody = JSON.stringify({ ...settings, url: 'http://127.0.0.1:9/v1' });
  const failed = await typed(['Are you there?', '/quit'], 'chat', '--chat-model', nobody);
  expect(failed).toMatchObject({ code: 0, output: expect.stringContaining('Your message is stored') });
});
