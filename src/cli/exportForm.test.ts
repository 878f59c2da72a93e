import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Turn } from '../engine/engine.ts';
import { formatEnd, formatHeader, formatTurn, isExport, readExport, type Origin } from './exportForm.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-export-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(lines: readonly string[]): string {
  const path = join(folder, 'export.jsonl');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

const HEADER = formatHeader({ memoryId: 'm', timeZone: 'Asia/Tokyo' }, new Date(0));
const ORIGIN: Origin = { source: 'chat', sensitivity: 'normal', scope: 'global', imageSummary: null };

const turn = (given: Partial<Turn>): Turn => ({
  id: 1,
  conversationId: 'c',
  turnIndex: 0,
  speaker: 'user',
  text: 'text',
  occurredAt: 0,
  meta: {},
  contentHash: '',
  chainHash: '',
  rawPointer: null,
  ...given,
});

/** Line breaks of every kind are what a format of lines could stumble over. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '\u0085', '\u2028', '"', '\\', 'あ'),
    fc.string({ unit: 'grapheme' }),
  ),
});

test('any text, meta and time comes back as it was', async () => {
  const meta = fc.dictionary(
    anyText.filter((key) => key !== '__proto__'),
    fc.jsonValue({ noUnicodeString: false }),
  );
  const occurredAt = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31') });
  const property = fc.asyncProperty(anyText, meta, occurredAt, async (text, anyMeta, at) => {
    const given = turn({ text, meta: anyMeta as Turn['meta'], occurredAt: at, turnIndex: 3 });
    const path = write([HEADER, formatTurn(given, ORIGIN), formatEnd({ turns: 1, chainHead: 'ab' })]);
    const [header, read, end, ...rest] = await Array.fromAsync(readExport(path));
    expect(header).toEqual({ type: 'header', header: { memoryId: 'm', timeZone: 'Asia/Tokyo' } });
    expect(read).toMatchObject({ type: 'turn', line: 2, turn: { conversationId: 'c', turnIndex: 3, text } });
    const { occurredAt: readAt, meta: readMeta = {} } = read?.type === 'turn' ? read.turn : {};
    expect(Date.parse(String(readAt))).toBe(at);
    expect(readMeta).toEqual(JSON.parse(JSON.stringify(anyMeta)));
    expect(end).toMatchObject({ type: 'end', end: { turns: 1, chainHead: 'ab' } });
    expect(rest).toEqual([]);
  });
  await fc.assert(property, { numRuns: 60 });
});

test('a damaged line is told by its number, and those after it are read', async () => {
  const path = write([
    HEADER,
    '{"conversationId":',
    '',
    '{"speaker":"user","text":"no place"}',
    formatTurn(turn({}), ORIGIN),
  ]);
  const items = (await Array.fromAsync(readExport(path))).slice(1);
  expect(items).toMatchObject([
    { type: 'problem', problem: { line: 2 } },
    { type: 'problem', problem: { line: 4 } },
    { type: 'turn', line: 5 },
  ]);
});

test('what is no export is told from one', async () => {
  expect(await isExport(write([HEADER]))).toBe(true);
  expect(await isExport(write(['{"role":"user","content":"hi"}']))).toBe(false);
  expect(await isExport(write([]))).toBe(false);
  await expect(isExport(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  const newer = write([HEADER.replace('"omoide":1', '"omoide":2')]);
  await expect(readExport(newer).next()).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  await expect(readExport(write([])).next()).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
});
