import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { holdFile, type HeldFile } from './heldFile.ts';
import { replace, removeIfUnchanged, writeTemporaryFile } from './replace.ts';

/** A file that was read, and one made to replace it. */
function prepare(): { folder: string; path: string; held: HeldFile; temporary: string } {
  const folder = temporaryFolder();
  const path = join(folder, 'a.md');
  writeFileSync(path, 'read');
  const held = holdFile(path);
  if (!held) throw new Error('the file was made');
  return { folder, path, held, temporary: writeTemporaryFile(path, Buffer.from('ours'), held) };
}

function saveByRenaming(path: string, text: string): void {
  writeFileSync(`${path}.other`, text);
  renameSync(`${path}.other`, path);
}

describe('replacing', () => {
  test('replaces a file that is unchanged since it was read', () => {
    const { folder, path, held, temporary } = prepare();
    expect(replace(temporary, path, held)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('ours');
    expect(readdirSync(folder)).toEqual(['a.md']);
    held.close();
  });

  test.each([
    ['was written to', (path: string) => writeFileSync(path, 'else')],
    ['was replaced', (path: string) => saveByRenaming(path, 'read')],
  ])('does not change a file that %s', (_how, change) => {
    const { folder, path, held, temporary } = prepare();
    change(path);
    const before = readFileSync(path, 'utf8');
    expect(replace(temporary, path, held)).toBe(false);
    expect(removeIfUnchanged(path, held)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['a.md']);
    held.close();
  });
});
