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
