import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { Writer, type Edit } from './write.ts';

function open(): { writer: Writer; folder: string; path: string } {
  const folder = temporaryFolder();
  return { writer: new Writer(() => {}), folder, path: join(folder, 'TASKS.md') };
}

/** As an agent notes something: below the heading, the newest first. */
const prepend =
  (line: string): Edit =>
  (text) =>
    `# Tasks\n${line}\n${(text ?? '').replace(/^# Tasks\n/, '')}`;

/**
 * An independent editor. `append` writes into the file in place; the others read it, add a line at the end, check
 * that the file is unchanged, as editors do before they save, and save it by renaming or in place.
 */
const EDITOR = `
const fs = require('node:fs');
const [kind, path, count] = process.argv.slice(1);
const look = () => fs.statSync(path, { bigint: true, throwIfNoEntry: false });
const isSame = (a, b) => a && b && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
for (let i = 0; i < Number(count); ) {
  const line = '- editor ' + i + '\\n';
  if (kind === 'append') {
    fs.appendFileSync(path, line);
    i++;
    continue;
  }
  const before = look();
  if (!before) continue;
  let text;
  try { text = fs.readFileSync(path, 'utf8'); } catch { continue; }
  if (kind === 'rename') fs.writeFileSync(path + '.tmp', text + line);
  if (!isSame(before, look())) continue;
  if (kind === 'rename') fs.renameSync(path + '.tmp', path);
  else fs.writeFileSync(path, text + line);
  i++;
}
`;

async function runEditor(kind: string, path: string, count: number): Promise<void> {
  const child = spawn(process.execPath, ['-e', EDITOR, kind, path, String(count)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
}

describe('an editor and an agent writing one file a thousand times each', () => {
  test.each([
    ['appending', 'append'],
    ['saving by renaming', 'rename'],
    ['saving in place', 'in place'],
  ])('%s: every line of both occurs once', { timeout: 240_000 }, async (_how, kind) => {
    const count = 1_000;
    const { writer, folder, path } = open();
    writeFileSync(path, '# Tasks\n- first\n');
    const editor = runEditor(kind, path, count);
    for (let i = 0; i < count; i++) await writer.edit(path, prepend(`- agent ${i}`));
    await editor;
    await writer.settled();
    const lines = readFileSync(path, 'utf8').split('\n');
    const wanted = Array.from({ length: count }, (_, i) => [`- agent ${i}`, `- editor ${i}`]).flat();
    expect(lines.filter((line) => line.startsWith('- ')).toSorted()).toEqual(
      [...wanted, '- first'].toSorted(),
    );
    expect(readdirSync(folder)).toEqual(['TASKS.md']);
  });

  test('the same for two agents', { timeout: 240_000 }, async () => {
    const { writer, path } = open();
    const other = new Writer(() => {});
    const edits = Array.from({ length: 200 }, (_, i) => [
      writer.edit(path, prepend(`- a ${i}`)),
      other.edit(path, prepend(`- b ${i}`)),
    ]);
    await Promise.all(edits.flat());
    await Promise.all([writer.settled(), other.settled()]);
    const lines = readFileSync(path, 'utf8').split('\n');
    const wanted = Array.from({ length: 200 }, (_, i) => [`- a ${i}`, `- b ${i}`]).flat();
    expect(lines.filter((line) => line.startsWith('- ')).toSorted()).toEqual(wanted.toSorted());
  });
});
