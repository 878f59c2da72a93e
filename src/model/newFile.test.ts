import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { nameNewFile } from './newFile.ts';

/** Like exFAT and some network drives. */
function takeAwayLinks(): void {
  const { linkSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('operation not permitted, link'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  });
}

test.each([
  ['with hard links', () => {}],
  ['without', takeAwayLinks],
])('a new file gets its name and does not replace an existing file: %s', (_where, prepare) => {
  prepare();
  const folder = temporaryFolder();
  const [path, finished] = [join(folder, 'a'), join(folder, 'finished')];
  writeFileSync(finished, 'first');
  expect(nameNewFile(finished, path)).toBe(true);
  writeFileSync(finished, 'second');
  expect(nameNewFile(finished, path)).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(readdirSync(folder)).toEqual(['a']);
});
