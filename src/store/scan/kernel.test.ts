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
      const listAddress = query.length * 2;
      const rowsAddress = listAddress + rows.length * 4;
      const outAddress = rowsAddress + rows.length * query.length;
      const parts = [...query, ...query.map((value) => -value)].map((value) => Math.max(0, value));
      new Int8Array(memory.buffer, 0, parts.length).set(parts);
      new Int8Array(memory.buffer, rowsAddress).set(rows.flat());
      // In another order than they lie in.
      const order = rows.map((_, i) => (i * 5) % rows.length);
      const addresses = order.map((row) => rowsAddress + row * query.length);
      new Uint32Array(memory.buffer, listAddress, rows.length).set(addresses);
      const before = new Uint8Array(memory.buffer).slice();

      dots(0, listAddress, query.length, rows.length, outAddress);

      const expected = order.map((row) =>
        rows[row]!.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0),
      );
      expect([...new Int32Array(memory.buffer, outAddress, rows.length)]).toEqual(expected);
      const after = new Uint8Array(memory.buffer).slice();
      after.fill(0, outAddress, outAddress + 4 * rows.length);
      expect(Buffer.compare(after, before)).toBe(0);
    }),
  );
});

test('sums up what the codes of every row select from the tables', () => {
  const dimensions = 48;
  const problem = fc.record({
    rows: fc.array(fc.array(int8, { minLength: dimensions, maxLength: dimensions }), {
      minLength: 1,
      maxLength: 70,
    }),
    thresholds: fc.array(int8, { minLength: dimensions, maxLength: dimensions }),
    tables: fc.array(fc.integer({ min: 0, max: 63 }), {
      minLength: 4 * dimensions,
      maxLength: 4 * dimensions,
    }),
  });
  fc.assert(
    fc.property(problem, ({ rows, thresholds, tables }) => {
      const { memory, encode, sums } = createKernel();
      const codesAddress = tables.length;
      const padded = Math.ceil(rows.length / 32) * 32;
      const outAddress = codesAddress + padded * 32;
      const thresholdsAddress = outAddress + 2 * padded;
      const rowAddress = thresholdsAddress + dimensions;
      new Uint8Array(memory.buffer).fill(0xff, codesAddress, outAddress);
      new Uint8Array(memory.buffer).set(tables);
      new Int8Array(memory.buffer).set(thresholds, thresholdsAddress);
      for (const [i, row] of rows.entries()) {
        new Int8Array(memory.buffer).set(row, rowAddress);
        const codes = codesAddress + Math.floor(i / 32) * 4 * dimensions;
        encode(rowAddress, thresholdsAddress, dimensions, codes, i % 32);
      }

      sums(0, codesAddress, dimensions, padded, outAddress);

      const expected = rows.map((row) => {
        const bits = row.map((value, i): number => (value > thresholds[i]! ? 1 : 0));
        return tables.reduce((sum, value, i) => {
          const four = bits.slice(4 * Math.floor(i / 16)).slice(0, 4);
          const [a = 0, b = 0, c = 0, d = 0] = four;
          return a + 2 * b + 4 * c + 8 * d === i % 16 ? sum + value : sum;
        }, 0);
      });
      expect([...new Uint16Array(memory.buffer, outAddress, rows.length)]).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});
