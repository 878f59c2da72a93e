import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKernel, SOURCE_SHA256 } from './kernel.ts';

test('was compiled from dot.wat', () => {
  const source = readFileSync(new URL('dot.wat', import.meta.url));
  expect(createHash('sha256').update(source).digest('hex')).toBe(SOURCE_SHA256);
});

const int8 = fc.oneof(fc.integer({ min: -128, max: 127 }), fc.constantFrom(-128, 127));
const wanted = fc.oneof(fc.integer({ min: -127, max: 127 }), fc.constantFrom(-127, 127));

test('computes the dot product of every row and writes nowhere else', () => {
  const shape = fc.record({ blocks: fc.integer({ min: 1, max: 6 }), fours: fc.integer({ min: 0, max: 3 }) });
  const problem = shape.chain(({ blocks, fours }) => {
    const length = { minLength: blocks * 16, maxLength: blocks * 16 };
    return fc.record({
      query: fc.array(wanted, length),
      rows: fc.array(fc.array(int8, length), { minLength: fours * 4, maxLength: fours * 4 }),
    });
  });
  fc.assert(
    fc.property(problem, ({ query, rows }) => {
      const { memory, dots } = createKernel();
      const rowsAddress = query.length * 2;
      const outAddress = rowsAddress + rows.length * query.length;
      const parts = [...query, ...query.map((value) => -value)].map((value) => Math.max(0, value));
      new Int8Array(memory.buffer, 0, parts.length).set(parts);
      new Int8Array(memory.buffer, rowsAddress).set(rows.flat());
      const before = new Uint8Array(memory.buffer).slice();

      dots(0, rowsAddress, query.length, rows.length, outAddress);

      const expected = rows.map((row) => row.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0));
      expect([...new Int32Array(memory.buffer, outAddress, rows.length)]).toEqual(expected);
      const after = new Uint8Array(memory.buffer).slice();
      after.fill(0, outAddress, outAddress + 4 * rows.length);
      expect(Buffer.compare(after, before)).toBe(0);
    }),
  );
});
