import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/propertyRuns.ts';
import type { Turn } from '../../model/model.ts';
import { beginsExport, formatEnd, formatHeader, formatTurn, readExport, type Origin } from './form.ts';

const HEADER = formatHeader({ memoryId: 'm', timeZone: 'Asia/Tokyo', isLearnt: false });
const ORIGIN: Origin = { source: 'chat', sensitivity: 'normal', scope: 'global', imageSummary: null };

const turn = (given: Partial<Turn>): Turn => ({
  id: 1,
  conversationId: 'c',
  turnIndex: 0,
  speaker: 'user',
  text: 'text',
  occurredAt: 0,
  meta: {},
  salt: 'c2FsdA',
  isForgotten: false,
  contentHash: '',
  chainHash: '',
  rawPointer: null,
  ...given,
});

const bytesOf = (lines: readonly string[]) =>
  new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));

/** The bytes in pieces of one length, which splits lines and characters. */
async function* inPieces(bytes: Uint8Array, length = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const read = (lines: readonly string[]) => readExport(inPieces(bytesOf(lines)), 'It');

/** All kinds of line breaks, which a format of lines must handle. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '\u0085', '\u2028', '"', '\\', 'あ'),
    fc.string({ unit: 'grapheme' }),
  ),
});

test('any text, meta and time is read back unchanged, however the input is split', async () => {
  const meta = fc.dictionary(
    anyText.filter((key) => key !== '__proto__'),
    fc.jsonValue({ noUnicodeString: false }),
  );
  const occurredAt = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31') });
  const length = fc.integer({ min: 1, max: 400 });
  const property = fc.asyncProperty(
    anyText,
    meta,
    occurredAt,
    length,
    async (text, anyMeta, at, pieceLength) => {
      const given = turn({ text, meta: anyMeta as Turn['meta'], occurredAt: at, turnIndex: 3 });
      const lines = [HEADER, formatTurn(given, ORIGIN), formatEnd({ turns: 1, others: 0, chainHead: 'ab' })];
      const items = await Array.fromAsync(readExport(inPieces(bytesOf(lines), pieceLength), 'It'));
      const [header, first, end, ...rest] = items;
      expect(header).toEqual({
        type: 'header',
        header: { memoryId: 'm', timeZone: 'Asia/Tokyo', isLearnt: false },
      });
      expect(first).toMatchObject({
        type: 'turn',
        line: 2,
        turn: { conversationId: 'c', turnIndex: 3, text },
      });
      const { occurredAt: readAt, meta: readMeta = {} } = first?.type === 'turn' ? first.turn : {};
      expect(Date.parse(String(readAt))).toBe(at);
      expect(readMeta).toEqual(JSON.parse(JSON.stringify(anyMeta)));
      expect(end).toMatchObject({ type: 'end', end: { turns: 1, others: 0, chainHead: 'ab' } });
      expect(rest).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: propertyRuns(200) });
});

test('a damaged line is reported by its number, and the following lines are read', async () => {
  const lines = [
    HEADER,
    '{"conversationId":',
    '',
    '{"speaker":"user","text":"no place"}',
    formatTurn(turn({}), ORIGIN),
  ];
  const items = (await Array.fromAsync(read(lines))).slice(1);
  expect(items).toMatchObject([
    { type: 'problem', problem: { line: 2 } },
    { type: 'problem', problem: { line: 4 } },
    { type: 'turn', line: 5 },
  ]);
});

test('input of another format is recognised', async () => {
  expect(beginsExport(bytesOf([HEADER]))).toBe(true);
  expect(beginsExport(bytesOf(['{"role":"user","content":"hi"}']))).toBe(false);
  expect(beginsExport(bytesOf([]))).toBe(false);
  const newer = read([HEADER.replace('"omoide":2', '"omoide":3')]);
  await expect(newer.next()).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  await expect(read([]).next()).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
});
