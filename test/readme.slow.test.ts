import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from './temporary.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const ENGINE = new URL('../src/engine/engine.ts', import.meta.url).href;

it('the first example of the README recalls what it says', async () => {
  const [, code = ''] = /```ts\n(import \{ openMemory \} from 'omoide';\n.*?)```/su.exec(README) ?? [];
  const folder = temporaryFolder();
  const file = join(folder, 'example.ts');
  writeFileSync(file, code.replace("'omoide'", `'${ENGINE}'`));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^high 那須塩原の吊り橋、すごく揺れた！ /u);
  expect(stdout).toContain('user: 「那須塩原の吊り橋、すごく揺れた！」');
});
