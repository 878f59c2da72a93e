import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { readProfileFiles } from './profiles.ts';

function write(folder: string, file: string, content: unknown): string {
  const path = join(folder, file);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const profile = (name: string) => ({ name, base: 'fast' as const, weights: { recency: 0 } });

test('reads profiles from files, each with a different name', async () => {
  const folder = temporaryFolder();
  const [calm, keen] = [write(folder, 'a.json', profile('calm')), write(folder, 'b.json', profile('keen'))];
  expect(await readProfileFiles([calm, keen])).toEqual([profile('calm'), profile('keen')]);
  const other = write(folder, 'c.json', profile('calm'));
  await expect(readProfileFiles([calm, keen, other])).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: `${other}: its profile has the same name "calm" as that of ${calm}.`,
  });
});

test.each([
  ['invalid JSON', '{', 'INVALID_INPUT', 'is not JSON'],
  ['a duplicate name', profile('fast'), 'INVALID_INPUT', 'is a shipped profile'],
  ['an unknown feature', { ...profile('x'), weights: { luck: 1 } }, 'INVALID_INPUT', '"luck"'],
])('names a file with %s', async (_what, content, code, reason) => {
  const path = write(temporaryFolder(), 'odd.json', content);
  const error = { code, message: expect.stringContaining(reason) as string };
  await expect(readProfileFiles([path])).rejects.toMatchObject(error);
  await expect(readProfileFiles([path])).rejects.toThrow(path);
});
