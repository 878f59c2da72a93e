/** Migrating a memory between a folder and a database keeps all its data. */
import { readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  internals,
  isMigrated,
  migrateMemory,
  openMemory,
  type Memory,
  type MemoryPlace,
} from '../../src/engine/engine.ts';
import { openPostgresSource } from '../../src/store/postgres/postgres.ts';
import { TRANSFER_ORDER } from '../../src/store/rows/rows.ts';
import { openSqliteSource } from '../../src/store/sqlite/sqlite.ts';
import { pagesOf } from '../../src/store/store.ts';
import type { MigrateRequest } from '../processes/migrate.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const SAMPLE = new URL('../../examples/conversations/en.jsonl', import.meta.url);
/** The number of turns of the sample: enough for rows in every table. */
const TURNS = 60;
const NOW = Date.parse('2026-11-08T12:00:00Z');
const ID = 'ruth';

async function open(place: MemoryPlace): Promise<Memory> {
  return openMemory({
    dataDir: place.dataDir,
    ...(place.store !== undefined && { store: place.store }),
    memoryId: ID,
    timeZone: 'Europe/London',
    embedder: { provider: 'hashed' },
    worker: false,
    reorganize: 'never',
    now: () => NOW,
  });
}

async function using<T>(place: MemoryPlace, body: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = await open(place);
  try {
    return await body(memory);
  } finally {
    await memory.close();
  }
}

async function newFolder(): Promise<MemoryPlace> {
  return { dataDir: temporaryFolder() };
}

async function newDatabasePlace(): Promise<MemoryPlace> {
  return { dataDir: temporaryFolder(), store: await newDatabase(await sharedServer()) };
}

/** A memory with rows in every table. */
async function fill(place: MemoryPlace): Promise<void> {
  await using(place, async (memory) => {
    const file = join(temporaryFolder(), 'sample.jsonl');
    writeFileSync(file, readFileSync(SAMPLE, 'utf8').split('\n').slice(0, TURNS).join('\n'));
    await memory.admin.importFile(file);
    await internals(memory).settle();
    await memory.remember('Ruth likes her tea without milk.');
    await memory.forget({ turn: 5 });
    await memory.admin.checkpoint();
    await internals(memory).settle();
    await memory.add({ conversationId: 'later', speaker: 'Ruth', text: 'Nothing was learnt from this yet.' });
  });
}

async function contents(memory: Memory) {
  const { location: _l, sizeBytes: _s, schemaVersion: _v, ...info } = await memory.admin.info();
  const { problems, chainHead, turns, forgotten, units } = await memory.admin.verify();
  const all = await memory.units.list({ withArchived: true, maxSensitivity: 'secret' }, { limit: 5_000 });
  return {
    info,
    verified: { problems, chainHead, turns, forgotten, units },
    units: all,
    versions: await Promise.all(all.slice(0, 50).map(({ id }) => memory.units.versions(id))),
    entities: await memory.entities.list({}, { limit: 1_000 }),
    topics: await memory.topics.list({}, { limit: 1_000 }),
    conversations: await memory.conversations.list({ limit: 100 }),
    recall: (await memory.recall('the new baby', { limit: 10, now: NOW, count: false })).hits.map(
      ({ unitId, score }) => ({
        unitId,
        score: score.toFixed(9),
      }),
    ),
  };
}

const MIGRATE = fileURLToPath(new URL('../processes/migrate.ts', import.meta.url));

const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));

/** Terms of a memory, which need more memory together than `SMALL_HEAP_MB`. */
const MANY_TERMS = { turns: 3_000, inEach: 50 };
const SMALL_HEAP_MB = 56;

async function fillWithManyTerms({ dataDir }: MemoryPlace): Promise<void> {
  const { turns, inEach } = MANY_TERMS;
  const term = (n: number) => `q${n.toString(36)}x`;
  const memory = await openMemory({
    dataDir,
    memoryId: ID,
    timeZone: 'UTC',
    embedder: null,
    worker: false,
    learn: false,
  });
  await memory.add(
    Array.from({ length: turns }, (_, turnIndex) => ({
      conversationId: 'terms',
      speaker: 'Ruth',
      turnIndex,
      text: Array.from({ length: inEach }, (_, n) => term(turnIndex * inEach + n)).join(' '),
    })),
  );
  await memory.close();
}

/** Copies in a process whose heap is small. Returns its exit code and signal. */
async function copyWithSmallHeap(request: MigrateRequest): Promise<unknown[]> {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${SMALL_HEAP_MB}`, MIGRATE, JSON.stringify(request)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'exit');
}

/** Copies in a process that is killed after this share of the rows. Returns the rows that were copied when it began. */
async function copyUntilKilled(request: MigrateRequest, share: number): Promise<number> {
  const child = spawn(process.execPath, [MIGRATE, JSON.stringify(request)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const counts: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, done, total] = line.split(' ');
    if (what !== 'copied') continue;
    counts.push(Number(done));
    if (Number(done) > share * Number(total)) child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  return counts[0] ?? 0;
}

/** Whether the index of the nearest vectors was created after the schema. */
async function vectorIndex(url: string): Promise<{ oid: number; isNew: boolean }> {
  return withDatabase(url, async (sql) => {
    const [row] = await sql<{ oid: number; outbox: number }[]>`
      SELECT 'unit_vector_near_256'::regclass::oid::bigint AS oid, 'outbox'::regclass::oid::bigint AS outbox`;
    if (!row) throw new Error('There is no index.');
    return { oid: row.oid, isNew: row.oid > row.outbox };
  });
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`a memory that is migrated ${missing ?? ''}`, () => {
  test('has the same contents in the database and back in a folder, and can be used there', async () => {
    const [from, database, back] = [await newFolder(), await newDatabasePlace(), await newFolder()];
    await fill(from);
    const expected = await using(from, contents);
    expect(expected.verified).toMatchObject({ problems: [], forgotten: 1 });
    expect(expected.entities.length).toBeGreaterThan(0);
    expect(expected.topics.length).toBeGreaterThan(0);
    const report = await migrateMemory({ memoryId: ID, from, to: database });
    expect(report).toMatchObject({ memoryId: ID, chainHead: expected.verified.chainHead });
    expect(await using(database, contents)).toEqual(expected);
    expect(await migrateMemory({ memoryId: ID, from: database, to: back })).toEqual(report);
    expect(await using(back, contents)).toEqual(expected);
    const last = Math.max(...expected.units.map(({ id }) => id));
    for (const place of [database, back]) {
      await using(place, async (memory) => {
        const added = await memory.add({ conversationId: 'later', speaker: 'Ruth', text: 'And on it goes.' });
        expect(added.unitId).toBeGreaterThan(last);
        await internals(memory).settle();
        expect((await memory.admin.verify()).problems).toEqual([]);
      });
    }
  });

  test.each(['to the database', 'to a folder'])('continues where it was interrupted: %s', async (way) => {
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    const [from, to] = way === 'to a folder' ? [database, folder] : [folder, database];
    await fill(from);
    const expected = await using(from, contents);
    const interrupt = (share: number) => (done: number, total: number) => {
      if (done > share * total) throw new Error('interrupted');
    };
    for (const share of [0.1, 0.5]) {
      const copied = migrateMemory({ memoryId: ID, from, to, onProgress: interrupt(share) });
      await expect(copied).rejects.toThrow('interrupted');
      await expect(open(to)).rejects.toMatchObject({ code: 'BUSY' });
    }
    const done: number[] = [];
    await migrateMemory({ memoryId: ID, from, to, onProgress: (rows) => done.push(rows) });
    expect(done[0]).toBeGreaterThan(0.4 * (done.at(-1) ?? 0));
    expect(await using(to, contents)).toEqual(expected);
    await expect(migrateMemory({ memoryId: ID, from, to })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each(['to the database', 'to a folder'])('continues after its process was killed: %s', async (way) => {
    const random = seededRandom();
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    const [from, to] = way === 'to a folder' ? [database, folder] : [folder, database];
    await fill(from);
    const expected = await using(from, contents);
    const shares = [random(), random()].sort((a, b) => a - b).map((share) => share * 0.95);
    let copied = 0;
    for (const share of shares) {
      const continuedAt = await copyUntilKilled({ memoryId: ID, from, to }, share);
      expect(continuedAt).toBeGreaterThanOrEqual(copied);
      copied = continuedAt;
      await expect(open(to)).rejects.toMatchObject({ code: 'BUSY' });
    }
    await migrateMemory({ memoryId: ID, from, to });
    expect(await using(to, contents)).toEqual(expected);
  });

  test.each(['to the database', 'to a folder'])('is copied by one process at a time: %s', async (way) => {
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    const [from, to] = way === 'to a folder' ? [database, folder] : [folder, database];
    await fill(from);
    const expected = await using(from, contents);
    const request = { memoryId: ID, from, to };
    const first = spawn(process.execPath, [MIGRATE, JSON.stringify(request)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void first.kill('SIGKILL'));
    const ended = once(first, 'exit');
    await once(first.stdout, 'data');
    first.kill('SIGSTOP');
    await expect(migrateMemory(request)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringContaining('Another process copies') as string,
    });
    first.kill('SIGCONT');
    first.stdout.resume();
    expect(await ended).toEqual([0, null]);
    expect(await using(to, contents)).toEqual(expected);
  });

  test('counts as copied when it is whole and has the same turns', async () => {
    const [from, to] = [await newFolder(), await newDatabasePlace()];
    const request = { memoryId: ID, from, to };
    await fill(from);
    expect(await isMigrated(request)).toBe(false);
    const onProgress = () => {
      throw new Error('interrupted');
    };
    await expect(migrateMemory({ ...request, onProgress })).rejects.toThrow('interrupted');
    expect(await isMigrated(request)).toBe(false);
    await migrateMemory(request);
    expect(await isMigrated(request)).toBe(true);
    expect(await isMigrated({ memoryId: ID, from: to, to: from })).toBe(true);
    await using(to, (memory) => memory.add({ conversationId: 'later', speaker: 'Ruth', text: 'One more.' }));
    expect(await isMigrated(request)).toBe(false);
  });

  test('does not stop the copy of a folder that was interrupted after it', async () => {
    const [from, to] = [await newFolder(), await newDatabasePlace()];
    await fill(from);
    await migrateMemory({ memoryId: ID, from, to });
    const other = await openMemory({ dataDir: from.dataDir, memoryId: 'zoe', embedder: null, worker: false });
    await other.add({ conversationId: 'walk', speaker: 'Zoe', text: 'The herons are back.' });
    await other.close();
    const words = ['migrate', '--json', '--from', from.dataDir, '--to', to.store ?? ''];
    const run = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void run.kill('SIGKILL'));
    const printed = JSON.parse((await Array.fromAsync(run.stdout)).join('')) as unknown;
    expect(printed).toMatchObject({ memories: [{ memoryId: 'zoe', turns: 1 }], copiedBefore: [ID] });
  });

  test('is copied and verified in both directions with a small heap, however many terms it has', async () => {
    const [from, database, back] = [await newFolder(), await newDatabasePlace(), await newFolder()];
    await fillWithManyTerms(from);
    expect(await copyWithSmallHeap({ memoryId: ID, from, to: database })).toEqual([0, null]);
    expect(await copyWithSmallHeap({ memoryId: ID, from: database, to: back })).toEqual([0, null]);
  });

  test('builds the index of vectors after them if there is no other memory in the database, also when interrupted', async () => {
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    const url = database.store ?? '';
    await fill(folder);
    const onProgress = (done: number, total: number) => {
      if (done === total) throw new Error('interrupted');
    };
    await expect(migrateMemory({ memoryId: ID, from: folder, to: database, onProgress })).rejects.toThrow(
      'interrupted',
    );
    // The schema creates the index before the table of events.
    expect(await vectorIndex(url)).toMatchObject({ isNew: false });
    await migrateMemory({ memoryId: ID, from: folder, to: database });
    const { oid, isNew } = await vectorIndex(url);
    expect(isNew).toBe(true);
    const other = await newFolder();
    const memory = await openMemory({
      dataDir: other.dataDir,
      memoryId: 'other',
      embedder: { provider: 'hashed' },
      worker: false,
    });
    await memory.add({ conversationId: 'walk', speaker: 'Ruth', text: 'The herons are back.' });
    await internals(memory).settle();
    await memory.close();
    await migrateMemory({ memoryId: 'other', from: other, to: database });
    expect(await vectorIndex(url)).toEqual({ oid, isNew });
  });

  test('reads every table page by page, without gaps and repetitions, from both stores', async () => {
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    await fill(folder);
    await migrateMemory({ memoryId: ID, from: folder, to: database });
    const sources = [
      openSqliteSource({ path: join(folder.dataDir, `memory_${ID}.db`), memoryId: ID }),
      await openPostgresSource({
        url: database.store ?? '',
        memoryId: ID,
        keys: { folder: database.dataDir },
      }),
    ];
    for (const source of sources) {
      onTestFinished(() => source.close());
      for (const table of TRANSFER_ORDER) {
        const all = await source.page(table, { skip: 0, limit: 100_000 });
        for (const skip of [0, 4]) {
          const pages = await Array.fromAsync(pagesOf(source, table, skip, 3));
          expect({ table, rows: pages.flat() }).toEqual({ table, rows: all.slice(skip) });
        }
      }
    }
  });

  test.each(['to the database', 'to a folder'])('starts again when it changed meanwhile: %s', async (way) => {
    const [folder, database] = [await newFolder(), await newDatabasePlace()];
    const [from, to] = way === 'to a folder' ? [database, folder] : [folder, database];
    await fill(from);
    const interrupt = (done: number, total: number) => {
      if (done > 0.7 * total) throw new Error('interrupted');
    };
    const interrupted = migrateMemory({ memoryId: ID, from, to, onProgress: interrupt });
    await expect(interrupted).rejects.toThrow('interrupted');
    await using(from, (memory) => memory.forget({ turn: 9 }));
    await migrateMemory({ memoryId: ID, from, to });
    const [expected, copied] = [await using(from, contents), await using(to, contents)];
    expect(copied).toEqual(expected);
    expect(copied.verified).toMatchObject({ problems: [], forgotten: 2 });
  });

  test('is rejected when it does not exist', async () => {
    const [from, to] = [await newFolder(), await newDatabasePlace()];
    await expect(migrateMemory({ memoryId: ID, from, to })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
