/** Flips single bits of a memory's file. If a flip changes stored data, `verify` reports it or the memory does not open. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { expect, test } from 'vitest';
import { isMemoryError, openMemory } from '../../src/engine/engine.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { derived, person } from '../conformance/samples.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { fill } from './rig.ts';

const FLIPS = 200;
const FILE = 'memory_default.db';
const OTHERS = ['keys.db', 'master.key', 'signing.key', 'witness_default.log'];

/** Data that cannot be derived again, and indexes: each column that verify covers. */
const KEPT: Readonly<Record<string, string>> = {
  turns: 'SELECT * FROM turn ORDER BY id',
  // Without access counts, which every recall changes.
  units: `SELECT id, kind, turn_id, payload, topic_tags, conversation_id, turn_index, occurred_at, created_at, updated_at,
    source, state, confidence, salience, sensitivity, pinned, scope, expires_at, reinforcement, emotion, version
    FROM unit ORDER BY id`,
  versions: 'SELECT unit_id, version, payload_hash, at, snapshot FROM unit_version ORDER BY 1, 2',
  entities: 'SELECT id, type, name, aliases FROM entity ORDER BY id',
  names: 'SELECT * FROM entity_alias ORDER BY 1, 2',
  mentions: 'SELECT * FROM unit_entity ORDER BY 1, 2',
  relations: 'SELECT * FROM edge ORDER BY 1, 2, 3, 4',
  links: 'SELECT * FROM link ORDER BY 1, 2, 3',
  members: 'SELECT topic_id, unit_id, mac FROM topic_member ORDER BY 1, 2',
  subtopics: 'SELECT * FROM topic_parent ORDER BY 1, 2',
  topics: 'SELECT id, title, summary, state FROM topic ORDER BY id',
  centroids: 'SELECT * FROM topic_centroid ORDER BY topic_id',
  vectors: 'SELECT unit_id, embedding FROM unit_vector ORDER BY 1',
  checkpoints: 'SELECT * FROM checkpoint ORDER BY 1',
  receipts: 'SELECT * FROM receipt ORDER BY id',
  terms: 'SELECT * FROM term ORDER BY 1',
  times: 'SELECT * FROM unit_time ORDER BY 1, 2, 3',
  conversations: 'SELECT * FROM conversation ORDER BY 1',
};

/** Columns whose bits are flipBit; for numbers, the number of significant bits. */
const COLUMNS: readonly (readonly [table: string, column: string, bits?: number])[] = [
  ['unit', 'occurred_at', 40],
  ['unit', 'created_at', 40],
  ['unit', 'updated_at', 40],
  ['unit', 'source'],
  ['unit', 'state', 2],
  ['unit', 'confidence'],
  ['unit', 'salience'],
  ['unit', 'sensitivity', 2],
  ['unit', 'pinned', 1],
  ['unit', 'topic_tags'],
  ['unit', 'scope', 1],
  ['unit', 'reinforcement', 8],
  ['unit', 'emotion'],
  ['unit', 'version', 3],
  ['unit_version', 'payload_hash'],
  ['unit_version', 'at', 40],
  ['unit_version', 'snapshot'],
  ['entity', 'type'],
  ['entity', 'name'],
  ['entity', 'aliases'],
  ['unit_entity', 'surface'],
  ['unit_entity', 'confidence'],
  ['unit_entity', 'mac'],
  ['edge', 'relation'],
  ['edge', 'weight'],
  ['link', 'relation'],
  ['topic', 'title'],
  ['topic', 'summary'],
];
const FLIPS_OF_COLUMN = 3;

/** Relations and links, of which the rules find none. */
async function relate(dataDir: string): Promise<void> {
  const store = openSqliteStore(join(dataDir, FILE), { memoryId: 'default', timeZone: 'UTC' });
  await store.units.link(1, 2, 'contextual');
  const relations = [{ from: 0, to: 1, relation: 'lives with', weight: 0.5 }];
  const mentions = [person('Mia'), person('Quermel')];
  await store.units.applyDerivation(derived(2, { mentions, relations }));
  const [parent, child] = await store.topics.list({ state: 'active' }, { limit: 2 });
  const topics = [{ type: 'setParents' as const, topicId: child?.id ?? 0, parentIds: [parent?.id ?? 0] }];
  const plan = { at: 0, by: 'rules', operations: [], refresh: [] };
  await store.journal.apply({ key: null, plan, topics, units: [] });
  await store.close();
}

/** Each part as text, or the error when it cannot be read. */
function read(path: string): Record<string, string> {
  try {
    const db = new DatabaseSync(path, { readOnly: true, allowExtension: true });
    try {
      db.loadExtension(getLoadablePath());
      const parts = Object.entries(KEPT).map(([name, sql]) => [name, readPart(db, sql)] as const);
      return Object.fromEntries(parts);
    } finally {
      db.close();
    }
  } catch (error) {
    return { file: String(error) };
  }
}

function readPart(db: DatabaseSync, sql: string): string {
  try {
    const bytesAsText = (_key: string, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    return JSON.stringify(db.prepare(sql).all().map(Object.values), bytesAsText);
  } catch (error) {
    return String(error);
  }
}

/** Whether a problem is reported, or the memory does not open and an error has a code; any other error as text. */
async function isFound(dataDir: string): Promise<boolean | string> {
  try {
    const memory = await openMemory({ dataDir, embedder: null, learn: false, worker: false });
    try {
      return (await memory.admin.verify()).problems.length > 0;
    } finally {
      await memory.close();
    }
  } catch (error) {
    return isMemoryError(error) || String(error instanceof Error ? error.stack : error);
  }
}

/** The first difference between two texts. */
function difference(one: string, other: string): string {
  const at = one.split('').findIndex((letter, i) => letter !== other[i]);
  const from = Math.max(0, at - 60);
  return `${one.slice(from, at + 60)} became ${other.slice(from, at + 60)}`;
}

test(`verify finds ${FLIPS} flipped bits, each of which changes stored data`, async () => {
  const template = temporaryFolder();
  await fill(template);
  await relate(template);
  const bytes = readFileSync(join(template, FILE));
  const whole = read(join(template, FILE));
  expect(Object.entries(whole).filter(([, text]) => text.startsWith('Error') || text === '[]')).toEqual([
    ['receipts', '[]'],
  ]);
  const random = seededRandom();
  const parent = temporaryFolder();
  const missed: string[] = [];
  // Pages reserved for vectors are empty.
  const used = [...bytes.keys()].filter((at) => bytes[at] !== 0);
  for (let changed = 0; changed < FLIPS;) {
    const dataDir = join(parent, 'data');
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { mode: 0o700 });
    for (const name of OTHERS) copyFileSync(join(template, name), join(dataDir, name));
    const [at = 0, bit] = [used[Math.floor(random() * used.length)], Math.floor(random() * 8)];
    const broken = Buffer.from(bytes);
    broken[at] = (broken[at] ?? 0) ^ (1 << bit);
    writeFileSync(join(dataDir, FILE), broken, { mode: 0o600 });
    const now = read(join(dataDir, FILE));
    const parts = Object.keys({ ...whole, ...now }).filter((name) => whole[name] !== now[name]);
    if (parts.length === 0) continue;
    changed += 1;
    const found = await isFound(dataDir);
    if (found === true) continue;
    const [part = ''] = parts;
    missed.push(
      `${found}: bit ${bit} of byte ${at}, ${part}: ${difference(whole[part] ?? '', now[part] ?? '')}`,
    );
  }
  expect(missed).toEqual([]);
});

test(`verify finds flipped bits in each column that it covers`, async () => {
  const template = temporaryFolder();
  await fill(template);
  await relate(template);
  const random = seededRandom();
  const parent = temporaryFolder();
  const missed: string[] = [];
  for (const [table, column, bits] of COLUMNS) {
    for (let flip = 0; flip < FLIPS_OF_COLUMN; flip++) {
      const dataDir = join(parent, 'data');
      rmSync(dataDir, { recursive: true, force: true });
      mkdirSync(dataDir, { mode: 0o700 });
      for (const name of [FILE, ...OTHERS]) copyFileSync(join(template, name), join(dataDir, name));
      const change = flipInColumn(join(dataDir, FILE), { table, column, bits }, random);
      const found = await isFound(dataDir);
      if (found !== true) missed.push(`${found}: ${table}.${column}: ${change}`);
    }
  }
  expect(missed).toEqual([]);
});

/** Flips one bit of one value. */
function flipInColumn(
  path: string,
  { table, column, bits }: { table: string; column: string; bits: number | undefined },
  random: () => number,
): string {
  const db = new DatabaseSync(path);
  try {
    const keys = db
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`)
      .all()
      .map(({ name }) => String(name));
    const rows = db
      .prepare(`SELECT ${keys.join(', ')}, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`)
      .all();
    const { value = null, ...key } = rows[Math.floor(random() * rows.length)] ?? {};
    const where = keys.map((name) => `${name} = ?`).join(' AND ');
    const isText = typeof value === 'string';
    const changed = flipBit(value, bits, random);
    db.prepare(`UPDATE ${table} SET ${column} = ${isText ? 'CAST(? AS TEXT)' : '?'} WHERE ${where}`).run(
      changed,
      ...keys.map((name) => key[name] ?? null),
    );
    return `${shown(value)} became ${shown(changed)}`;
  } finally {
    db.close();
  }
}

function shown(value: SQLInputValue): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
}

/** A bit of a text or of a number. For an integer, one of its lowest `bits`; without `bits`, of a floating-point number. */
function flipBit(value: SQLOutputValue, bits: number | undefined, random: () => number): SQLInputValue {
  if (typeof value === 'number' && bits !== undefined) {
    const bit = 2 ** Math.floor(random() * bits);
    return Math.floor(value / bit) % 2 === 1 ? value - bit : value + bit;
  }
  const bytes = typeof value === 'number' ? Buffer.alloc(8) : Buffer.from(String(value));
  if (typeof value === 'number') bytes.writeDoubleBE(value);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return typeof value === 'number' ? bytes.readDoubleBE() : bytes;
}
