import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forgeTurn, rewriteHashes, withKeys } from '../../../test/forgedTurns.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import { draft, say, START } from '../../../test/conformance/samples.ts';
import { describeStore, type Damage, type OpenStore } from '../../../test/conformance/conformance.ts';
import type { MemoryKeys } from '../../keys/keys.ts';
import { CHAIN_END } from '../tables/turns.ts';
import { toSqlite } from './dialect.ts';
import { openSqliteStore } from './sqlite.ts';
import { type TurnWords } from '../rows/rows.ts';

/** @param copyFromVectors from how many vectors on searches use the copy in memory */
function openIn(copyFromVectors: number): OpenStore {
  return async (options) => {
    const path = join(temporaryFolder(), 'memory_m1.db');
    const stores = [openSqliteStore(path, { ...options, copyFromVectors })];
    onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    const openAnother = async () => {
      const store = openSqliteStore(path, {
        ...options,
        memoryId: 'ignored',
        timeZone: 'UTC',
        copyFromVectors,
      });
      stores.push(store);
      return store;
    };
    return {
      store: stores[0]!,
      openAnother,
      async reopen() {
        for (const store of stores) await store.close();
        return openAnother();
      },
      dump: async () => dump(path),
      damage: async (damage) => spoil(path, damage),
    };
  };
}

function spoil(path: string, damage: Damage): void {
  const db = openRaw(path);
  const triggers = db
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'turn'")
    .all();
  db.exec(
    'PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS turn_is_never_updated; DROP TRIGGER IF EXISTS turn_is_never_deleted; DROP TRIGGER IF EXISTS turn_is_never_replaced',
  );
  let changes: (number | bigint)[] = [];
  withKeys(db, (keys) => {
    changes = damageSql(damage, keys).map(([sql, ...values]) => db.prepare(sql).run(...values).changes);
  });
  const change = forgedWords(damage);
  if (change && 'turnId' in damage) {
    forgeTurn(db, damage.turnId, change);
    changes = [1];
  }
  if (damage.type === 'history rewritten') rewriteHashes(db);
  for (const { sql } of triggers) db.exec(String(sql));
  db.close();
  if (changes.at(-1) === 0) throw new Error(`Nothing was there to damage: ${JSON.stringify(damage)}`);
}

type Statement = [sql: string, ...values: (string | number)[]];

/** Internal tables of FTS5 and sqlite-vec, change logs for copies in memory, and what a rollback keeps. */
const NOT_DUMPED = /^(sqlite_|journal|job$|unit_text|(unit_)?vector_|\w+_change$)/;

function dump(path: string): string {
  const db = openRaw(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const names = tables.map((row) => String(row['name'])).filter((name) => !NOT_DUMPED.test(name));
  const lines = names.flatMap((name) => [
    `-- ${name}`,
    ...db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      // Counters at 0 are left out.
      .filter(
        (row) =>
          !((name === 'indexed' && row['documents'] === 0) || (name === 'speaker' && row['turns'] === 0)),
      )
      .map((row) =>
        JSON.stringify(row, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        ),
      )
      .sort(),
  ]);
  db.close();
  return lines.join('\n');
}

function openRaw(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { allowExtension: true });
  db.loadExtension(getLoadablePath());
  return db;
}

function forgedWords({ type }: Damage): Partial<TurnWords> | null {
  if (type === 'turn had other meta') return { meta: '{"a":1}' };
  return type === 'turn said something else' || type === 'history rewritten'
    ? { text: 'something else' }
    : null;
}

function damageSql(damage: Damage, keys: MemoryKeys): Statement[] {
  switch (damage.type) {
    case 'turn said something else':
    case 'turn had other meta':
    case 'history rewritten':
      return [];
    case 'turn gone':
      return [['DELETE FROM turn WHERE id = ?', damage.turnId]];
    case 'episode gone':
      return [['DELETE FROM unit WHERE id = ?', damage.unitId]];
    case 'episode moved':
      return [['UPDATE unit SET turn_index = 77 WHERE id = ?', damage.unitId]];
    case 'episode at another time':
      return [['UPDATE unit SET occurred_at = occurred_at + 1 WHERE id = ?', damage.unitId]];
    case 'not in text index':
      return [['DELETE FROM unit_text WHERE rowid = ?', damage.unitId]];
    case 'other terms in text index':
      return [
        ['DELETE FROM unit_text WHERE rowid = ?', damage.unitId],
        ["INSERT INTO unit_text (rowid, terms) VALUES (?, 'other words')", damage.unitId],
      ];
    case 'times gone':
      return [['DELETE FROM unit_time WHERE unit_id = ?', damage.unitId]];
    case 'vector gone':
      return [['DELETE FROM unit_vector WHERE unit_id = ?', damage.unitId]];
    case 'vector changed':
      return changedVector('unit_vector', damage.unitId);
    case 'vector with another state':
      return [['UPDATE unit_vector SET state = 3 WHERE unit_id = ?', damage.unitId]];
    case 'next vector gone':
      return [['DELETE FROM unit_vector_2 WHERE unit_id = ?', damage.unitId]];
    case 'next vector changed':
      return changedVector('unit_vector_2', damage.unitId);
    case 'mentions gone':
      return [['DELETE FROM unit_entity WHERE unit_id = ?', damage.unitId]];
    case 'versions gone':
      return [['DELETE FROM unit_version WHERE unit_id = ?', damage.unitId]];
    case 'row changed':
      return [[`UPDATE ${damage.table} SET ${damage.set} WHERE ${damage.where}`]];
    case 'entity gone':
      return [['DELETE FROM entity WHERE id = ?', damage.entityId]];
    case 'keys gone':
      return [['DELETE FROM entity_key WHERE entity_id = ?', damage.entityId]];
    case 'aliases gone':
      return [['DELETE FROM entity_alias WHERE entity_id = ?', damage.entityId]];
    case 'key of another':
      return [["INSERT INTO entity_key VALUES ('other', ?)", damage.entityId]];
    case 'alias unknown':
      return [
        [
          "UPDATE entity_alias SET folded = 'other' WHERE entity_id = ? AND folded = ?",
          damage.entityId,
          keys.hashTerm('ken'),
        ],
      ];
    case 'mentions miscounted':
      return [['UPDATE entity SET mentions = mentions + 1 WHERE id = ?', damage.entityId]];
    case 'checkpoint forged':
      return [["UPDATE checkpoint SET chain_hash = 'ab' WHERE turn_id = ?", damage.turnId]];
    case 'topics gone':
      return [['DELETE FROM topic_member WHERE unit_id = ?', damage.unitId]];
    case 'members miscounted':
      return [['UPDATE topic SET members = members + 1 WHERE id = ?', damage.topicId]];
    case 'members at another time':
      return [['UPDATE topic SET last_at = last_at + 1 WHERE id = ?', damage.topicId]];
    case 'archived with members':
      return [["UPDATE topic SET state = 'archived' WHERE id = ?", damage.topicId]];
    case 'too strong':
      return [['UPDATE topic SET strength = 1.5 WHERE id = ?', damage.topicId]];
    case 'topic gone':
      return [['DELETE FROM topic WHERE id = ?', damage.topicId]];
    case 'topic below itself':
      return [
        [
          'INSERT INTO topic_parent SELECT parent_id, topic_id, mac FROM topic_parent WHERE topic_id = ?',
          damage.topicId,
        ],
      ];
    case 'other words of topic':
      return [['UPDATE topic SET title = ? WHERE id = ?', keys.seal('other'), damage.topicId]];
    case 'terms of topic gone':
      return [['DELETE FROM topic_term WHERE topic_id = ?', damage.topicId]];
    case 'conversation forgotten':
      return [['DELETE FROM conversation WHERE id = ?', damage.conversationId]];
    case 'conversation miscounted':
      return [['UPDATE conversation SET turns = turns + 1 WHERE id = ?', damage.conversationId]];
    case 'term miscounted':
      return [['UPDATE term SET documents = documents + 1 WHERE term = ?', keys.hashTerm(damage.term)]];
    case 'speaker forgotten':
      return [['DELETE FROM speaker WHERE name = ?', keys.seal(damage.speaker)]];
    case 'kinds forgotten':
      return [['DELETE FROM indexed']];
  }
}

function changedVector(table: string, unitId: number): Statement[] {
  return [
    [`CREATE TEMP TABLE kept AS SELECT * FROM ${table} WHERE unit_id = ?`, unitId],
    [`DELETE FROM ${table} WHERE unit_id = ?`, unitId],
    [
      `INSERT INTO ${table} (unit_id, kind, embedding, occurred_day, state, sensitivity, scope)
       SELECT unit_id, kind, vec_int8(x'${'00'.repeat(15)}01'), occurred_day, state, sensitivity, scope FROM kept`,
    ],
  ];
}

describeStore('SQLite, vectors in the table', openIn(Infinity));
describeStore('SQLite, vectors in memory', openIn(0));

function openOne(path: string, copyFromVectors?: number) {
  const options = { memoryId: 'm1', timeZone: 'UTC', now: () => START };
  const store = openSqliteStore(path, {
    ...options,
    ...(copyFromVectors !== undefined && { copyFromVectors }),
  });
  onTestFinished(() => store.close());
  return store;
}

describe('turns', () => {
  test('are continued after one look at each of three indexes, however many there are', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    await say(openOne(path), 'a');
    const db = openRaw(path);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${toSqlite(CHAIN_END)}`).all();
    db.close();
    const steps = plan.map(({ detail }) => String(detail)).join('\n');
    expect(steps).toMatch(/SEARCH unit USING COVERING INDEX/);
    expect(steps).not.toMatch(/SCAN unit|TEMP B-TREE|AUTOMATIC/);
  });

  test.each([
    "UPDATE turn SET sealed = x'00' WHERE id = 1",
    "UPDATE turn SET conversation_id = 'other' WHERE id = 1",
    'UPDATE turn SET occurred_at = 0',
    'DELETE FROM turn WHERE id = 2',
    'DELETE FROM turn',
    "INSERT OR REPLACE INTO turn SELECT 1, 'c9', 0, 0, content_hash, chain_hash, NULL, x'00' FROM turn",
    "REPLACE INTO turn SELECT 9, 'c1', 0, 0, content_hash, chain_hash, NULL, x'00' FROM turn",
    "INSERT INTO turn SELECT * FROM turn WHERE id = 1 ON CONFLICT DO UPDATE SET sealed = x'00'",
  ])('cannot be changed by another program because of the triggers: %s', async (sql) => {
    const path = join(temporaryFolder(), 'memory.db');
    const store = openOne(path);
    await say(store, 'a', 'b');
    const db = openRaw(path);
    expect(() => db.exec(sql)).toThrow('turns are append-only');
    db.close();
    expect(await store.admin.verify()).toMatchObject({ turns: 2, problems: [] });
    expect(await say(store, draft('a', { turnIndex: 0 }))).toEqual([1]);
  });
});

describe('vectors', () => {
  test('move to the copy in memory, and back, as their number crosses the limit', async () => {
    const store = openOne(join(temporaryFolder(), 'memory.db'), 3);
    const unitIds = await say(store, 'a', 'b', 'c', 'd');
    const at = (i: number) => Float32Array.from({ length: 8 }, (_, j) => (j === 0 ? 1 : i / 10));
    const nearest = async () => (await store.indexes.vectors.query(at(0), {}, 9)).map((hit) => hit.unitId);
    for (const [i, unitId] of unitIds.entries()) {
      await store.indexes.vectors.upsert('m', [{ unitId, vector: at(i) }]);
      expect(await nearest()).toEqual(unitIds.slice(0, i + 1));
    }
    await store.indexes.vectors.remove(unitIds.slice(0, 2));
    expect(await nearest()).toEqual(unitIds.slice(2));
    await store.indexes.vectors.upsert('m', [{ unitId: unitIds[0]!, vector: at(9) }]);
    expect(await nearest()).toEqual([unitIds[2], unitIds[3], unitIds[0]]);
  });

  test('of a conversation are found behind more nearer ones than the table would return', async () => {
    const store = openOne(join(temporaryFolder(), 'memory.db'));
    const near = Array.from({ length: 4_200 }, () => draft('near'));
    const unitIds = await say(store, ...near, draft('far', { conversationId: 'far' }));
    const vectors = unitIds.map((unitId, i) => ({
      unitId,
      vector: new Float32Array(8).fill(1, i < 4_200 ? 0 : 7),
    }));
    await store.indexes.vectors.upsert('m', vectors);
    const found = await store.indexes.vectors.query(
      new Float32Array(8).fill(1),
      { conversationId: 'far' },
      5,
    );
    expect(found.map((hit) => hit.unitId)).toEqual(unitIds.slice(-1));
  });
});
