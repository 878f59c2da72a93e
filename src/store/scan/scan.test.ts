import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantize } from '../../vectors/vectors.ts';
import { createVectorScan, type ScanFilter, type ScanMeta, type VectorScan } from './scan.ts';

const META: ScanMeta = { kind: 0, occurredAt: 0, state: 0, sensitivity: 0, scope: 0 };

/** The expected result, equal to the last bit: every row compared in plain JavaScript. */
class PlainScan {
  readonly rows = new Map<number, { vector: Int8Array; meta: ScanMeta }>();

  search(query: Int8Array, filter: ScanFilter, limit: number) {
    return [...this.rows]
      .filter(([unitId, { meta }]) => passes(unitId, meta, filter))
      .map(([unitId, { vector }]) => ({ unitId, score: cosine(query, vector) }))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId)
      .slice(0, limit);
  }
}

function dot(a: Int8Array, b: Int8Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}

function cosine(a: Int8Array, b: Int8Array): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

function passes(unitId: number, meta: ScanMeta, filter: ScanFilter): boolean {
  if (filter.kinds && !filter.kinds.includes(meta.kind)) return false;
  if (filter.from !== undefined && meta.occurredAt < filter.from) return false;
  if (filter.to !== undefined && meta.occurredAt >= filter.to) return false;
  if (filter.maxState !== undefined && meta.state > filter.maxState) return false;
  if (filter.maxSensitivity !== undefined && meta.sensitivity > filter.maxSensitivity) return false;
  if (filter.scope !== undefined && meta.scope !== filter.scope) return false;
  return filter.maxUnitId === undefined || unitId <= filter.maxUnitId;
}

/** Deterministic numbers over the whole range of int8. */
function scatter(dimensions: number, seed: number): Int8Array {
  return Int8Array.from({ length: dimensions }, (_, i) => Math.imul(seed * 4099 + i + 1, 0x9e3779b1) >>> 19);
}

/** Without −128, which `quantize` never returns. */
function asQuery(vector: Int8Array): Int8Array {
  return vector.map((value) => Math.max(-127, value));
}

function filled(dimensions: number, value: number): Int8Array {
  return new Int8Array(dimensions).fill(value);
}

function found(scan: VectorScan, filter: ScanFilter, dimensions = 8): number[] {
  return scan.search(filled(dimensions, 1), filter, 100).map((hit) => hit.unitId);
}

describe('a scan', () => {
  test('gives the same result as plain JavaScript after any sequence of changes, for any filter', () => {
    const code = fc.integer({ min: 0, max: 3 });
    const instant = fc.integer({ min: -3, max: 3 }).map((day) => day * 86_400_000);
    const unitId = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(2 ** 40));
    const meta = fc.record({ kind: code, occurredAt: instant, state: code, sensitivity: code, scope: code });
    const filter = fc.record(
      {
        kinds: fc.uniqueArray(code, { maxLength: 3 }),
        from: instant,
        to: instant,
        maxState: code,
        maxSensitivity: code,
        scope: code,
        maxUnitId: unitId,
      },
      { requiredKeys: [] },
    );
    // Few different components make ties; the whole range of them makes extremes.
    const component = fc.oneof(fc.constantFrom(-128, -1, 0, 1, 127), fc.integer({ min: -128, max: 127 }));
    const vectorOf = (dimensions: number) =>
      fc
        .oneof(
          fc.array(component, { minLength: dimensions, maxLength: dimensions }),
          component.map((value) => Array<number>(dimensions).fill(value)),
        )
        .map((values) => Int8Array.from(values));
    const run = fc.integer({ min: 8, max: 50 }).chain((dimensions) => {
      const vector = vectorOf(dimensions);
      return fc.record({
        dimensions: fc.constant(dimensions),
        steps: fc.array(
          fc.oneof(
            { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), unitId, vector, meta }) },
            { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), unitId }) },
            { weight: 1, arbitrary: fc.record({ do: fc.constant('setMeta' as const), unitId, meta }) },
          ),
          { maxLength: 60 },
        ),
        query: vector.map(asQuery),
        filter,
        limit: fc.integer({ min: 0, max: 12 }),
      });
    });
    fc.assert(
      fc.property(run, ({ dimensions, steps, query, filter, limit }) => {
        const scan = createVectorScan(dimensions);
        const plain = new PlainScan();
        for (const step of steps) {
          if (step.do === 'put') {
            scan.put(step.unitId, step.vector, step.meta);
            plain.rows.set(step.unitId, step);
          } else if (step.do === 'remove') {
            scan.remove(step.unitId);
            plain.rows.delete(step.unitId);
          } else {
            scan.setMeta(step.unitId, step.meta);
            const row = plain.rows.get(step.unitId);
            if (row) plain.rows.set(step.unitId, { ...row, meta: step.meta });
          }
        }
        expect(scan.count).toBe(plain.rows.size);
        expect(scan.search(query, {}, limit)).toEqual(plain.search(query, {}, limit));
        expect(scan.search(query, filter, limit)).toEqual(plain.search(query, filter, limit));
      }),
      { numRuns: 300 },
    );
  });

  test.each([[8], [17], [256]])('keeps its rows while it grows, at %i dimensions', (dimensions) => {
    const scan = createVectorScan(dimensions);
    const plain = new PlainScan();
    const reserved = scan.bytes;
    for (let unitId = 1; unitId <= 5003; unitId += 1) {
      const row = { vector: scatter(dimensions, unitId), meta: { ...META, kind: unitId % 7 } };
      scan.put(unitId, row.vector, row.meta);
      plain.rows.set(unitId, row);
    }
    for (let unitId = 3; unitId <= 5003; unitId += 5) {
      scan.remove(unitId);
      plain.rows.delete(unitId);
    }
    expect(scan.bytes).toBeGreaterThan(reserved);
    const query = asQuery(scatter(dimensions, -1));
    for (const limit of [1, 10, 3000, 9999]) {
      expect(scan.search(query, {}, limit)).toEqual(plain.search(query, {}, limit));
      expect(scan.search(query, { kinds: [2, 6] }, limit)).toEqual(
        plain.search(query, { kinds: [2, 6] }, limit),
      );
    }
  });

  test.each([8, 21, 256])('returns vectors of %i dimensions as they were added or changed', (dimensions) => {
    const scan = createVectorScan(dimensions);
    for (let id = 1; id <= 7; id += 1) scan.put(id, scatter(dimensions, id), META);
    scan.put(3, scatter(dimensions, 33), META);
    scan.remove(2);
    const vectors = scan.vectors([7, 2, 3, 99]);
    expect(vectors).toEqual(
      new Map([
        [7, scatter(dimensions, 7)],
        [3, scatter(dimensions, 33)],
      ]),
    );
  });

  test.each([8, 21, 256])('compares single vectors of %i dimensions like a search', (dimensions) => {
    const scan = createVectorScan(dimensions);
    for (let id = 1; id <= 2_001; id += 1) scan.put(id, scatter(dimensions, id), META);
    const query = asQuery(scatter(dimensions, 4_000));
    const all = new Map(scan.search(query, {}, 3_000).map(({ unitId, score }) => [unitId, score]));
    for (const unitIds of [[...all.keys()], [2_001], [5, 4, 4, 7]])
      expect(scan.cosines(query, [...unitIds, 9_999])).toEqual(
        new Map(unitIds.map((unitId) => [unitId, all.get(unitId)])),
      );
  });

  test('does not overflow with the largest vectors', () => {
    const scan = createVectorScan(4096);
    scan.put(1, filled(4096, -128), META);
    scan.put(2, filled(4096, 127), META);
    expect(scan.search(filled(4096, -127), {}, 2)).toEqual([
      { unitId: 1, score: 1 },
      { unitId: 2, score: -1 },
    ]);
  });

  test('compares by angle: vectors of one direction are equal at any scale', () => {
    const scan = createVectorScan(9);
    scan.put(3, filled(9, 1), META);
    scan.put(1, filled(9, 127), META);
    scan.put(2, filled(9, -7), META);
    expect(scan.search(filled(9, 33), {}, 3)).toEqual([
      { unitId: 1, score: 1 },
      { unitId: 3, score: 1 },
      { unitId: 2, score: -1 },
    ]);
  });

  test('returns the smallest ids of a tie, in any order of insertion', () => {
    const scan = createVectorScan(8);
    for (let unitId = 500; unitId >= 1; unitId -= 1) scan.put(unitId, filled(8, 5), META);
    expect(scan.search(filled(8, 1), {}, 3).map((hit) => hit.unitId)).toEqual([1, 2, 3]);
  });

  test('finds nothing when it is empty, was emptied, or the limit is 0', () => {
    const scan = createVectorScan(8);
    expect(found(scan, {})).toEqual([]);
    scan.put(1, filled(8, 1), META);
    expect(scan.search(filled(8, 1), {}, 0)).toEqual([]);
    scan.remove(1);
    expect(scan.count).toBe(0);
    expect(found(scan, {})).toEqual([]);
  });

  test('scores 0 for a zero vector', () => {
    const scan = createVectorScan(8);
    scan.put(1, filled(8, 0), META);
    expect(scan.search(filled(8, 3), {}, 1)).toEqual([{ unitId: 1, score: 0 }]);
    scan.put(1, filled(8, 3), META);
    expect(scan.search(filled(8, 0), {}, 1)).toEqual([{ unitId: 1, score: 0 }]);
  });

  test('gives the same result for a float query and its quantised form', () => {
    const scan = createVectorScan(20);
    for (let unitId = 1; unitId <= 50; unitId += 1) scan.put(unitId, scatter(20, unitId), META);
    const query = Float32Array.from({ length: 20 }, (_, i) => Math.sin(i) / 9);
    expect(scan.search(query, {}, 5)).toEqual(scan.search(quantize(query), {}, 5));
  });

  test('rejects vectors and queries of other dimensions, and keeps its content', () => {
    const scan = createVectorScan(16);
    scan.put(1, filled(16, 1), META);
    expect(() => scan.put(1, filled(15, 9), META)).toThrow(RangeError);
    expect(() => scan.put(2, filled(17, 9), META)).toThrow(RangeError);
    expect(() => scan.search(filled(8, 1), {}, 1)).toThrow(RangeError);
    expect(scan.search(filled(16, 1), {}, 9)).toEqual([{ unitId: 1, score: 1 }]);
  });

  test.each([[7], [4097], [8.5], [Number.NaN]])('cannot be created for %d dimensions', (dimensions) => {
    expect(() => createVectorScan(dimensions)).toThrow(RangeError);
  });
});

describe('among many rows', () => {
  const DIMENSIONS = 512;
  const COUNT = 7_500;
  const scan = createVectorScan(DIMENSIONS);
  const plain = new PlainScan();
  /** From −63 to 64, unrelated for other arguments. */
  const random = (seed: number, i: number) => {
    const mixed = Math.imul(seed * DIMENSIONS + i + 1, 0x9e3779b1);
    return (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 25) - 63;
  };
  /** Near one of 300 directions. */
  const vectorOf = (unitId: number) =>
    Int8Array.from({ length: DIMENSIONS }, (_, i) => random(unitId % 300, i) + random(1_000 + unitId, i) / 2);
  for (let unitId = 1; unitId <= COUNT + 500; unitId++) {
    const row = { vector: vectorOf(unitId), meta: { ...META, kind: unitId % 50, scope: unitId % 3 } };
    scan.put(unitId, row.vector, row.meta);
    plain.rows.set(unitId, row);
  }
  // The first search makes the codes; then rows change their places and their vectors.
  scan.search(asQuery(vectorOf(1)), {}, 15);
  for (let unitId = 7; unitId <= 3_507; unitId += 7) {
    scan.remove(unitId);
    plain.rows.delete(unitId);
  }
  for (const [unitId, row] of [...plain.rows].slice(0, 1_000)) {
    const vector = vectorOf(unitId + 11);
    scan.put(unitId, vector, row.meta);
    plain.rows.set(unitId, { ...row, vector });
  }

  test.each<[string, ScanFilter]>([
    ['without a filter', {}],
    ['with a filter that most pass', { scope: 1 }],
    ['with a filter that few pass', { kinds: [9] }],
  ])('finds the nearest %s', (_, filter) => {
    for (let seed = 0; seed < 12; seed++) {
      const query = asQuery(vectorOf(10_000 + seed));
      expect(scan.search(query, filter, 15)).toEqual(plain.search(query, filter, 15));
    }
  });
});

describe('a filter', () => {
  const scan = createVectorScan(8);
  const metas: Partial<ScanMeta>[] = [
    {},
    { kind: 5 },
    { occurredAt: 100 },
    { state: 3 },
    { sensitivity: 2 },
    { scope: 1 },
  ];
  metas.forEach((meta, i) => scan.put(i + 1, filled(8, 1), { ...META, ...meta }));

  test.each<[ScanFilter, number[]]>([
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ kinds: [5] }, [2]],
    [{ kinds: [0, 5] }, [1, 2, 3, 4, 5, 6]],
    [{ kinds: [] }, []],
    [{ from: 100 }, [3]],
    [{ from: 101 }, []],
    [{ to: 100 }, [1, 2, 4, 5, 6]],
    [{ from: 0, to: 101, kinds: [5] }, [2]],
    [{ maxState: 2 }, [1, 2, 3, 5, 6]],
    [{ maxSensitivity: 1 }, [1, 2, 3, 4, 6]],
    [{ scope: 1 }, [6]],
    [{ scope: 0 }, [1, 2, 3, 4, 5]],
    [{ maxUnitId: 2 }, [1, 2]],
    [{ maxUnitId: 0 }, []],
  ])('%o accepts %o', (filter, unitIds) => {
    expect(found(scan, filter)).toEqual(unitIds);
  });
});
