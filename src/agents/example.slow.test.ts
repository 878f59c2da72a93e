import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { promptText, startScriptedModel } from '../../test/scriptedModel/scriptedModel.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/ai-sdk.ts', import.meta.url));

test('the example program gives the model what was said in another conversation, and the tools', async () => {
  const server = await startScriptedModel();
  onTestFinished(() => server.close());
  server.answer((body) =>
    promptText(body).includes('風ですごく揺れた') ? '橋のこと、聞いたよ。' : 'うん。',
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [EXAMPLE, server.url, 'any']);
  expect(stderr).toBe('');
  expect(stdout).toContain('はな: あの吊り橋、また渡りたいな。\nソラ: 橋のこと、聞いたよ。');
  const tools = (server.chats[0]?.['tools'] ?? []) as { function: { name: string; description: string } }[];
  expect(tools.map((one) => one.function.name)).toEqual(['recall', 'explore', 'remember', 'forget']);
});
