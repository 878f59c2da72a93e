import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = new URL('../examples/', import.meta.url);
const programs = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

it.each(programs)('examples/%s runs', async (name) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [name], { cwd: FOLDER });
  expect(stderr).toBe('');
  expect(stdout).toContain('那須塩原');
});

it('examples/quickstart.ts prints what its comments say', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['quickstart.ts'], { cwd: FOLDER });
  expect(stdout).toMatch(/^Worth injecting:\n  high +那須塩原に行ってきたよ/u);
  expect(stdout).toContain('user: 「那須塩原に行ってきたよ。');
});
