import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
const append =
  (line: string): Edit =>
  (text) =>
    `${text ?? ''}${line}\n`;

describe('an edit', () => {
  test('creates a file and its folders, changes it, and removes it', async () => {
    const { writer, folder } = open();
    const path = join(folder, 'journal', '2026', 'a.md');
    expect(await writer.edit(path, append('one'))).toBe('one\n');
    expect(await writer.edit(path, append('二'))).toBe('one\n二\n');
    expect(readFileSync(path, 'utf8')).toBe('one\n二\n');
    expect(await writer.edit(path, () => null)).toBeNull();
    expect(existsSync(path)).toBe(false);
    await writer.settled();
    expect(readdirSync(join(folder, 'journal', '2026'))).toEqual([]);
  });

  test('keeps a byte order mark (hidden from the caller), line endings and mode', async () => {
    const { writer, path } = open();
    writeFileSync(path, '\ufeff# T\r\n- a\r\n- b');
    chmodSync(path, 0o640);
    await writer.edit(path, (text) => {
      expect(text).toBe('# T\r\n- a\r\n- b');
      return text?.replace('- a\r\n', '- a\n- new\n') ?? null;
    });
    expect(readFileSync(path, 'utf8')).toBe('\ufeff# T\r\n- a\r\n- new\r\n- b');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await writer.settled();
  });

  test('keeps mixed line endings', async () => {
    const { writer, path } = open();
    writeFileSync(path, 'a\r\nb\nc\r\n');
    await writer.edit(path, append('d'));
    expect(readFileSync(path, 'utf8')).toBe('a\r\nb\nc\r\nd\n');
  });

  test('that reverts our own previous edit is not taken for another program’s change', async () => {
    const { writer, path } = open();
    writeFileSync(path, '');
    await writer.edit(path, append('one'));
    await writer.edit(path, (text) => text?.replace('one', 'one, better') ?? null);
    await writer.edit(path, append('two'));
    await writer.edit(path, (text) => text?.replace('two\n', '') ?? null);
    await writer.edit(path, append('three'));
    await writer.settled();
    expect(readFileSync(path, 'utf8')).toBe('one, better\nthree\n');
  });

  test('that was overwritten together with the text it replaced is repeated with it', async () => {
    const { writer, path } = open();
    writeFileSync(path, 'zero\n');
    await writer.edit(path, append('one'));
    await writer.edit(path, (text) => text?.replace('one', 'one, better') ?? null);
    writeFileSync(path, 'zero\ntheirs\n');
    await writer.settled();
    expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(['', 'one, better', 'theirs', 'zero']);
  });

  test('without changes writes nothing', async () => {
    const { writer, path } = open();
    writeFileSync(path, 'a');
    const before = statSync(path, { bigint: true });
    await writer.edit(path, (text) => text);
    const after = statSync(path, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  test('that throws does not affect others', async () => {
    const { writer, path } = open();
    const failing = () => {
      throw new RangeError('no');
    };
    const all = [writer.edit(path, append('1')), writer.edit(path, failing), writer.edit(path, append('2'))];
    const results = await Promise.allSettled(all);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(readFileSync(path, 'utf8')).toBe('1\n2\n');
  });

  test('is rejected when its text cannot be stored', async () => {
    const { writer, path } = open();
    writeFileSync(path, 'kept');
    const good = writer.edit(path, (text) => text);
    await expect(writer.edit(path, () => 'a\0b')).rejects.toMatchObject({ code: 'INVALID_TEXT' });
    await expect(writer.edit(path, () => '\ud800')).rejects.toMatchObject({ code: 'INVALID_TEXT' });
    await expect(writer.edit(path, () => 'x'.repeat(2_000_000))).rejects.toMatchObject({
      code: 'TEXT_TOO_LONG',
    });
    expect(await good).toBe('kept');
    expect(readFileSync(path, 'utf8')).toBe('kept');
    const bytes = Buffer.from([0x61, 0xff, 0x62]);
    writeFileSync(path, bytes);
    await expect(writer.edit(path, append('x'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(readFileSync(path)).toEqual(bytes);
    await expect(writer.edit(join(path, '..'), append('x'))).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  });
});

describe('another program', () => {
  test('that saves an older text does not undo our edit', async () => {
    const { writer, folder, path } = open();
    writeFileSync(path, '# Tasks\n- first\n');
    const read = readFileSync(path, 'utf8');
    await writer.edit(path, prepend('- agent'));
    writeFileSync(join(folder, 'other'), `${read}- editor\n`);
    renameSync(join(folder, 'other'), path);
    await writer.settled();
    expect(readFileSync(path, 'utf8')).toBe('# Tasks\n- agent\n- first\n- editor\n');
  });

  test('that writes to the replaced file has its change merged', async () => {
    const { writer, path } = open();
    writeFileSync(path, '- first\n');
    const descriptor = openSync(path, 'a');
    await writer.edit(path, append('- agent'));
    appendFileSync(descriptor, '- editor\n');
    closeSync(descriptor);
    await writer.settled();
    expect(readFileSync(path, 'utf8').split('\n').toSorted()).toEqual(['', '- agent', '- editor', '- first']);
  });

  test('that removes the edited line later is respected', async () => {
    const { writer, path } = open();
    writeFileSync(path, '- first\n');
    await writer.edit(path, append('- agent'));
    await writer.settled();
    writeFileSync(path, '- first\n');
    await writer.edit(path, append('- other'));
    await writer.settled();
    expect(readFileSync(path, 'utf8')).toBe('- first\n- other\n');
  });

  test('that changes the file during an edit causes the edit to be repeated', async () => {
    const { writer, path } = open();
    writeFileSync(path, '- first\n');
    let times = 0;
    await writer.edit(path, (text) => {
      times += 1;
      if (times <= 3) writeFileSync(path, `${text}- editor ${times}\n`);
      return `${text}- agent\n`;
    });
    expect(readFileSync(path, 'utf8')).toBe('- first\n- editor 1\n- editor 2\n- editor 3\n- agent\n');
    expect(times).toBe(4);
    await writer.settled();
  });

  test('that changes the file continually causes a copy of the edit to be saved, with an error', async () => {
    const { writer, folder, path } = open();
    writeFileSync(path, '- first\n');
    const edit = writer.edit(path, (text) => {
      writeFileSync(path, `- editor ${Math.random()}\n`);
      return `${text}- agent\n`;
    });
    const error: unknown = await edit.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'NOTE_CONFLICT', details: { path } });
    const copies = readdirSync(folder).filter((name) =>
      /^TASKS\.conflict-\d{8}T\d{6}\.\d{3}Z\.md$/.test(name),
    );
    expect(copies).toHaveLength(1);
    expect(readFileSync(join(folder, copies[0] ?? ''), 'utf8')).toMatch(/- agent\n$/);
    expect(readFileSync(path, 'utf8')).toMatch(/^- editor/);
  });

  test('of ours that died with its lock does not block', async () => {
    const { writer, folder, path } = open();
    const lock = join(folder, '.omoide-TASKS.md.lock');
    writeFileSync(lock, 'somebody');
    utimesSync(lock, new Date(0), new Date(0));
    await writer.edit(path, append('a'));
    await writer.settled();
    expect(readdirSync(folder)).toEqual(['TASKS.md']);
  });
});
