/** Flips single bits of a memory's file. If a flip changes stored data, `verify` reports it or the memory does not open. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { derived, person } from '../conformance/samples.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { FILE, isFound, read } from './examineFile.ts';
import { Examiner } from './examiner.ts';
import { fill } from './rig.ts';

const FLIPS = 200;
/** A flip that ends the process does not go unnoticed. Seen once in some thousand flips. */
const MAX_ENDED = 2;
const OTHERS = ['keys.db', 'master.key', 'signing.key', 'witness_default.log'];

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
  const examiner = new Examiner(whole);
  onTestFinished(() => examiner.stop());
  let ended = 0;
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
    const examined = await examiner.examine(dataDir);
    if (examined?.changed.length === 0) continue;
    changed += 1;
    if (!examined) ended += 1;
    if (!examined || examined.found === true) continue;
    const { parts: now, found } = examined;
    const [part = ''] = examined.changed;
    missed.push(
      `${found}: bit ${bit} of byte ${at}, ${part}: ${difference(whole[part] ?? '', now[part] ?? '')}`,
    );
  }
  expect(missed).toEqual([]);
  expect(ended).toBeLessThanOrEqual(MAX_ENDED);
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
