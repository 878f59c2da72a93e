import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCsv } from './csv.ts';
import { splitLines } from './lines.ts';

async function parse(text: string, delimiter = ',') {
  async function* bytes() {
    yield Buffer.from(text);
  }
  return await Array.fromAsync(parseCsv(splitLines(bytes()), delimiter));
}

test('any written CSV is read back, with the line on which each record begins', async () => {
  const unit = fc.constantFrom('a', '日', '"', ',', ';', ' ', '\n', '\r\n', '\t', '😀');
  const rows = fc.array(fc.array(fc.string({ unit, maxLength: 6 }), { minLength: 2, maxLength: 4 }), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      async (rows, delimiter, end) => {
        const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const records = rows.map((row) => row.map(quote).join(delimiter) + end);
        const lineOf = (index: number) => records.slice(0, index).join('').split('\n').length;
        expect(await parse(records.join(''), delimiter)).toEqual(
          rows.map((cells, index) => ({ line: lineOf(index), cells })),
        );
      },
    ),
  );
});

test('reads quotes within a cell, empty cells and empty lines', async () => {
  expect(await parse('a,,c"d"\n\n  \n"x" y,"",\r\nlast')).toEqual([
    { line: 1, cells: ['a', '', 'c"d"'] },
    { line: 4, cells: ['x y', '', ''] },
    { line: 5, cells: ['last'] },
  ]);
});

test('an unclosed quote damages its own line only', async () => {
  expect(await parse('a,b\n1,"x\n2,y\n3,z\n')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: null },
    { line: 3, cells: ['2', 'y'] },
    { line: 4, cells: ['3', 'z'] },
  ]);
});

test('a record that becomes longer than a turn may be is skipped', async () => {
  const records = await parse(`"${`${'x'.repeat(999)}\n`.repeat(4300)}",1\n`);
  expect(records[0]).toEqual({ line: 1, cells: null });
  expect(records[1]).toEqual({ line: 2, cells: ['x'.repeat(999)] });
});
