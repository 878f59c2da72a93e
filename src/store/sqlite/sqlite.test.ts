import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { describeStore, type Damage, type OpenStore } from '../conformance/conformance.ts';
import { openSqliteStore } from './sqlite.ts';

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
      damage: async (damage) => spoil(path, damage),
    };
  };
}

function spoil(path: string, damage: Damage): void {
  const db = openRaw(path);
  db.exec(
    'PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS turn_is_never_updated; DROP TRIGGER IF EXISTS turn_is_never_deleted',
  );
  const changes = damageSql(damage).map(([sql, ...values]) => db.prepare(sql).run(...values).changes);
  db.close();
  if (changes.at(-1) === 0) throw new Error(`Nothing was there to damage: ${JSON.stringify(damage)}`);
}

function openRaw(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { allowExtension: true });
  db.loadExtension(getLoadablePath());
  return db;
}

function damageSql(damage: Damage): [sql: string, ...values: (string | number)[]][] {
  switch (damage.type) {
    case 'turn said something else':
      return [["UPDATE turn SET text = text || '!' WHERE id = ?", damage.turnId]];
    case 'turn had other meta':
      return [[`UPDATE turn SET meta = '{"a":1}' WHERE id = ?`, damage.turnId]];
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
      return [
        ['CREATE TEMP TABLE kept AS SELECT * FROM unit_vector WHERE unit_id = ?', damage.unitId],
        ['DELETE FROM unit_vector WHERE unit_id = ?', damage.unitId],
        [
          `INSERT INTO unit_vector (unit_id, kind, embedding, occurred_day, state, sensitivity, scope)
           SELECT unit_id, kind, vec_int8(x'${'00'.repeat(15)}01'), occurred_day, state, sensitivity, scope FROM kept`,
        ],
      ];
    case 'vector with another state':
      return [['UPDATE unit_vector SET state = 3 WHERE unit_id = ?', damage.unitId]];
    case 'term miscounted':
      return [['UPDATE term SET documents = documents + 1 WHERE term = ?', damage.term]];
    case 'speaker forgotten':
      return [['DELETE FROM speaker WHERE name = ?', damage.speaker]];
    case 'kinds forgotten':
      return [['DELETE FROM indexed']];
  }
}

describeStore('SQLite, vectors in the table', openIn(Infinity));
describeStore('SQLite, vectors in memory', openIn(0));
