import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeForgetting } from '../../../test/conformance/forgetting.ts';
import { describeNextVectors } from '../../../test/conformance/nextVectors.ts';
import { atAngle, draft, loop, say, START } from '../../../test/conformance/samples.ts';
import type { OpenStore } from '../../../test/conformance/storeUnderTest.ts';
import {
  describeVectorModel,
  describeVectors,
  describeVectorSearch,
} from '../../../test/conformance/vectors.ts';
import { QdrantStandIn } from '../../../test/qdrant/server.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import { DAY_MS, type Receipt } from '../../model/model.ts';
import { openSqliteStore } from '../sqlite/sqlite.ts';
import type { Store } from '../store.ts';
import { parseQdrantUrl } from './address.ts';
import { withQdrant } from './qdrant.ts';

let qdrant: QdrantStandIn;
/** The reported problems. */
let problems: string[];

beforeEach(async () => {
  qdrant = new QdrantStandIn();
  problems = [];
  await qdrant.start();
  // After the stores are closed.
  onTestFinished(() => qdrant.stop());
});

interface Opening {
  readonly memoryId?: string;
  readonly path?: string;
  /** After the host in Qdrant's address. */
  readonly rest?: string;
}

function open({
  memoryId = 'm1',
  path = join(temporaryFolder(), 'memory_m1.db'),
  rest,
}: Opening = {}): Store {
  const own = openSqliteStore(path, { memoryId, timeZone: 'UTC', now: () => START });
  const store = withQdrant(own, qdrant.url(rest), { onProblem: (message) => problems.push(message) });
  onTestFinished(() => store.close());
  return store;
}

/** Adds turns with vectors at these angles, one day apart, and runs the first search, which checks the points. */
async function filled(store: Store, degrees: readonly number[]): Promise<number[]> {
  const drafts = degrees.map((angle, i) => draft(`at ${angle}`, { occurredAt: START + i * DAY_MS }));
  const unitIds = await say(store, ...drafts);
  const entries = unitIds.map((unitId, i) => ({ unitId, vector: atAngle(degrees[i] ?? 0) }));
  await store.indexes.vectors.upsert('m', entries);
  await settled(store);
  return unitIds;
}

/** Searches until Qdrant answers. */
async function settled(store: Store): Promise<void> {
  await vi.waitFor(async () => {
    qdrant.log.length = 0;
    await store.indexes.vectors.query(atAngle(0), {}, 1);
    expect(asked('query')).toBe(1);
  });
}

function asked(action: string): number {
  return qdrant.log.filter((line) => line.endsWith(`/${action}`)).length;
}

const missing = async (store: Store) => (await store.admin.verify()).problems.map(({ message }) => message);
const rebuild = (store: Store) =>
  store.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: false });

const openUnderTest: OpenStore = async (options) => {
  const path = join(temporaryFolder(), 'memory_m1.db');
  const openStore = () => {
    const opened = withQdrant(openSqliteStore(path, options), qdrant.url(), {
      onProblem: expect.unreachable,
    });
    onTestFinished(() => opened.close());
    return opened;
  };
  const store = openStore();
  const dump = async () => {
    const turns = await store.evidence.page({ afterId: 0, limit: 1_000 });
    const units = await store.units.list({ withArchived: true, maxSensitivity: 'secret' }, { limit: 1_000 });
    return JSON.stringify([turns, units, qdrant.points()]);
  };
  const damage = () => Promise.reject(new Error('These suites damage nothing.'));
  const reopen = async () => {
    await store.close();
    return openStore();
  };
  return { store, openAnother: async () => openStore(), reopen, dump, damage };
};

describe('conformance', () => {
  describeVectors(openUnderTest);
  describeVectorModel(openUnderTest);
  describeVectorSearch(openUnderTest);
  describeNextVectors(openUnderTest);
  describeForgetting(openUnderTest);
});

describe('a collection', () => {
  test('is created for each model, with indexes of memory and day', async () => {
    const store = open();
    await filled(store, [0, 30]);
    const [[name, collection] = []] = qdrant.collections;
    expect(name).toMatch(/^omoide_m_16_[\da-f]{8}$/);
    expect(collection?.made).toEqual({
      vectors: { size: 16, distance: 'Cosine' },
      hnsw_config: { m: 0, payload_m: 16 },
    });
    expect(Object.fromEntries(collection?.indexes ?? [])).toEqual({
      memory: { type: 'keyword', is_tenant: true },
      day: 'integer',
    });
    expect(qdrant.points().map(({ payload }) => payload)).toMatchObject([
      { memory: 'm1', unit: 1, day: 19_844 },
      { memory: 'm1', unit: 2, day: 19_845 },
    ]);
  });

  test('keeps memories apart, and with shards=memory each has a shard key', async () => {
    const [one, other] = [
      open({ rest: '/x?shards=memory' }),
      open({ memoryId: 'm2', rest: '/x?shards=memory' }),
    ];
    const [first] = await filled(one, [0]);
    await filled(other, [1, 2]);
    const [collection] = qdrant.collections.values();
    expect(collection?.made.sharding_method).toBe('custom');
    expect(collection?.shardKeys).toEqual(new Set(['m1', 'm2']));
    expect(qdrant.points().map(({ shardKey }) => shardKey)).toEqual(['m1', 'm2', 'm2']);
    expect(await one.indexes.vectors.query(atAngle(2), {}, 9)).toMatchObject([{ unitId: first }]);
    expect(await missing(one)).toEqual([]);
  });

  test('of an earlier model is emptied when the next is in use', async () => {
    const store = open();
    const unitIds = await filled(store, [0, 90]);
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds);
    const entries = unitIds.map((unitId, i) => ({ unitId, vector: atAngle(i * 45) }));
    await store.indexes.vectors.upsertNext('n', entries);
    expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
    await settled(store);
    expect([...qdrant.collections].map(([name, { points }]) => [name.slice(0, 9), points.size])).toEqual([
      ['omoide_m_', 0],
      ['omoide_n_', 2],
    ]);
    expect(await missing(store)).toEqual([]);
  });
});

describe('a search', () => {
  test('runs in Qdrant within days, and is scored and filtered by the store', async () => {
    const store = open();
    const [a, b, c] = await filled(store, [0, 10, 20]);
    const found = await store.indexes.vectors.query(atAngle(0), { from: START + DAY_MS }, 9);
    expect(found.map(({ unitId }) => unitId)).toEqual([b, c]);
    expect(found[0]?.score).toBeCloseTo(Math.cos(Math.PI / 18), 2);
    const own = await store.indexes.vectors.cosines(atAngle(0), [b ?? 0]);
    expect(found[0]?.score).toBe(own.get(b ?? 0));
    const before = { to: START + 2 * DAY_MS, exceptUnitIds: [b ?? 0] };
    expect(await store.indexes.vectors.query(atAngle(0), before, 9)).toMatchObject([{ unitId: a }]);
    expect(asked('query')).toBe(3);
  });

  test('of a memory that is not in Qdrant yet runs in the store while the points are created', async () => {
    const path = join(temporaryFolder(), 'memory_m1.db');
    const own = openSqliteStore(path, { memoryId: 'm1', timeZone: 'UTC', now: () => START });
    const unitIds = await say(own, 'a', 'b');
    await own.indexes.vectors.upsert(
      'm',
      unitIds.map((unitId) => ({ unitId, vector: atAngle(unitId) })),
    );
    await own.close();
    const store = open({ path });
    expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toHaveLength(2);
    expect(asked('query')).toBe(0);
    await settled(store);
    expect(await missing(store)).toEqual([]);
  });

  test('continues without Qdrant, which is reported once, and missing points are added later', async () => {
    const store = open();
    const [a] = await filled(store, [0, 10]);
    await qdrant.stop();
    expect(await store.indexes.vectors.query(atAngle(0), {}, 1)).toMatchObject([{ unitId: a }]);
    const [c] = await say(store, 'at 5');
    await store.indexes.vectors.upsert('m', [{ unitId: c ?? 0, vector: atAngle(5) }]);
    expect(await store.indexes.vectors.query(atAngle(5), {}, 1)).toMatchObject([{ unitId: c }]);
    expect(problems).toEqual([
      expect.stringMatching(
        /^Qdrant at http:\/\/127\.0\.0\.1:\d+ cannot be reached: .* own vectors are searched\.$/,
      ),
    ]);
    expect(await missing(store)).toEqual([expect.stringContaining('could not be compared')]);
    await qdrant.start();
    await vi.waitFor(() => settled(store), { timeout: 20_000 });
    expect(qdrant.points()).toHaveLength(3);
    expect(await missing(store)).toEqual([]);
  });
});

describe('points', () => {
  test('that were lost, are stale or belong to nothing are found by verify and repaired by rebuild', async () => {
    const store = open();
    const [a = 0, b = 0] = await filled(store, [0, 10, 20]);
    // A copy of the memory with later turns, and another memory.
    await filled(open(), [0, 10, 20, 30]);
    await filled(open({ memoryId: 'm2' }), [0]);
    const inFirst =
      (change: Parameters<QdrantStandIn['spoil']>[1]): typeof change =>
      (point) =>
        point.payload['memory'] === 'm1' ? change(point) : point;
    qdrant.spoil(
      a,
      inFirst(() => undefined),
    );
    qdrant.spoil(
      b,
      inFirst((point) => ({ ...point, payload: { ...point.payload, day: 1 } })),
    );
    expect(await missing(store)).toEqual([
      `Qdrant lacks the vectors of 1 units (${a}).`,
      `Qdrant has other vectors or days of 1 units (${b}).`,
      'Qdrant has vectors of 1 units (4), which do not exist.',
    ]);
    await rebuild(store);
    expect(await missing(store)).toEqual([]);
    expect(qdrant.points().map(({ payload }) => payload['memory'])).toContain('m2');
    expect(await store.indexes.vectors.query(atAngle(0), {}, 1)).toMatchObject([{ unitId: a }]);
  });

  test('are deleted with forgotten text; without Qdrant nothing is forgotten', async () => {
    const store = open();
    const [a = 0, b = 0] = await filled(store, [0, 10]);
    const erasure = {
      turnIds: [a],
      unitIds: [],
      reworded: [],
      topics: [],
      jobs: [],
      receipt: receiptOf(a),
    };
    await qdrant.stop();
    await expect(store.forgetting.erase(erasure)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringMatching(/^Nothing was forgotten: Qdrant at http/),
    });
    expect(await store.units.get([a])).toHaveLength(1);
    await qdrant.start();
    await store.forgetting.erase(erasure);
    expect(await store.units.get([a])).toEqual([]);
    expect(qdrant.points().map(({ payload }) => payload['unit'])).toEqual([b]);
  });

  test('are not created for a unit that was forgotten while its vector was computed', async () => {
    const store = open();
    const [a = 0] = await filled(store, [0, 10]);
    await store.forgetting.erase({
      turnIds: [a],
      unitIds: [],
      reworded: [],
      topics: [],
      jobs: [],
      receipt: receiptOf(a),
    });
    await store.indexes.vectors.upsert('m', [{ unitId: a, vector: atAngle(0) }]);
    expect(qdrant.points()).toHaveLength(1);
  });

  test('of changed words are not found', async () => {
    const store = open();
    const [{ id } = { id: 0 }] = await store.units.save([
      {
        type: 'add',
        unit: (await import('../../model/model.ts')).newUnitSchema.parse({ content: loop('x') }),
        reason: 'r',
      },
    ]);
    await filled(store, [90]);
    await store.indexes.vectors.upsert('m', [{ unitId: id, vector: atAngle(0) }]);
    expect(await store.indexes.vectors.query(atAngle(0), {}, 1)).toMatchObject([{ unitId: id }]);
    await store.indexes.vectors.remove([id]);
    expect(await store.indexes.vectors.query(atAngle(0), {}, 1)).not.toMatchObject([{ unitId: id }]);
    expect(qdrant.points()).toHaveLength(1);
  });
});

describe('an address', () => {
  test.each([
    ['qdrant://localhost', { origin: 'http://localhost:6333', prefix: 'omoide', isSharded: false }],
    ['qdrant://db.example.com:7000/a', { origin: 'https://db.example.com:7000', prefix: 'a' }],
    [
      'qdrant://db.example.com/?tls=off&shards=memory',
      { origin: 'http://db.example.com:6333', isSharded: true },
    ],
  ])('%s', (url, expected) => {
    expect(parseQdrantUrl(url)).toMatchObject(expected);
  });

  test.each([
    'http://localhost:6333',
    'qdrant://',
    'qdrant://localhost/a/b',
    'qdrant://localhost?ssl=1',
    'qdrant://localhost?tls=maybe',
    'qdrant://localhost?shards=day',
    'qdrant://:secret@localhost',
  ])('%s is rejected', (url) => {
    expect(() => parseQdrantUrl(url)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test('takes the key from QDRANT_API_KEY; without it Qdrant’s rejection is reported', async () => {
    qdrant.apiKey = 'secret';
    const store = open();
    await say(store, 'a');
    await store.indexes.vectors.upsert('m', [{ unitId: 1, vector: atAngle(0) }]);
    expect(problems).toEqual([expect.stringContaining('rejected the request: Invalid API key')]);
    vi.stubEnv('QDRANT_API_KEY', 'secret');
    const other = open({ memoryId: 'm2' });
    await filled(other, [0]);
    expect(problems).toHaveLength(1);
  });
});

function receiptOf(unitId: number): Receipt {
  return {
    format: 'omoide receipt',
    version: 1,
    memoryId: 'm1',
    at: START,
    what: 'turn',
    turns: [[unitId, unitId]],
    turnsHash: '',
    units: [[unitId, unitId]],
    counts: {},
    headBefore: '',
    headAfter: '',
    publicKey: '',
    signature: '',
  };
}
