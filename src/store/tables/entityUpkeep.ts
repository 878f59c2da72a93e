import { entityMentionSchema, entitySchema } from '../../model/model.ts';
import { openEntity, readEntity, type EntityRow } from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import type { TableParts } from './parts.ts';
import { forEachPageById } from './pageById.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

type Problem = Verification['problems'][number];

const noUnit = 'NOT EXISTS (SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = x.unit_id)';
const noEntity = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM entity e WHERE e.memory_id = $1 AND e.id = x.${column})`;

/** References to units or entities that do not exist. */
const DANGLING: readonly { readonly table: string; readonly is: string; readonly says: string }[] = [
  {
    table: 'unit_entity',
    is: `(${noUnit} OR ${noEntity('entity_id')})`,
    says: "'Unit ' || unit_id || ' mentions entity ' || entity_id || '; one of them does not exist.'",
  },
  {
    table: 'edge',
    is: `(${noUnit} OR ${noEntity('from_entity_id')} OR ${noEntity('to_entity_id')})`,
    says: "'Unit ' || unit_id || ' relates entities ' || from_entity_id || ' and ' || to_entity_id || '; one of the three does not exist.'",
  },
  {
    table: 'derivation',
    is: noUnit,
    says: "'There is a derivation of unit ' || unit_id || ', which does not exist.'",
  },
  {
    table: 'entity_alias',
    is: noEntity('entity_id'),
    says: "'The index of names contains entity ' || entity_id || ', which does not exist.'",
  },
  {
    table: 'entity_key',
    is: noEntity('entity_id'),
    says: "'The index of names contains entity ' || entity_id || ', which does not exist.'",
  },
];

/** What a row of `edge` cannot be. */
const IMPOSSIBLE_EDGE = "(relation = '' OR weight NOT BETWEEN 0 AND 1)";
const PAGE_SIZE = 1_000;

const COUNTED = '(SELECT count(*) FROM unit_entity m WHERE m.memory_id = $1 AND m.entity_id = x.id)';

/** Problems of entities and of rows that refer to them, at most `max` of a kind. */
export function* entityProblems(tables: TableParts, max: number): Steps<Problem[]> {
  const messages: string[] = [];
  for (const { table, is, says } of DANGLING) {
    const sql = `SELECT DISTINCT ${says} AS message FROM ${table} x WHERE memory_id = $1 AND ${is} LIMIT ${max}`;
    messages.push(...(yield* tables.tx.all<{ message: string }>(sql)).map((row) => row.message));
  }
  const miscounted = yield* tables.tx.all<{ id: number }>(
    `SELECT id FROM entity x WHERE memory_id = $1 AND mentions <> ${COUNTED} LIMIT ${max}`,
  );
  messages.push(...miscounted.map(({ id }) => `The number of units that mention entity ${id} is wrong.`));
  const unreadable = yield* unreadableEntities(tables.tx);
  messages.push(...unreadable.slice(0, max).map((id) => `Entity ${id} cannot be read.`));
  // The indexes of names are compared with the names.
  const misnamed = unreadable.length > 0 ? [] : yield* tables.entities.names.misindexed(max);
  messages.push(...misnamed.map((id) => `Entity ${id} cannot be found by its names.`));
  const mentions = yield* unreadableMentions(tables.tx);
  messages.push(
    ...mentions
      .slice(0, max)
      .map(([unitId, entityId]) => `How unit ${unitId} names entity ${entityId} cannot be read.`),
  );
  const edges = yield* tables.tx.all<{ unitId: number }>(
    `SELECT DISTINCT unit_id AS "unitId" FROM edge WHERE memory_id = $1 AND ${IMPOSSIBLE_EDGE} LIMIT ${max}`,
  );
  messages.push(...edges.map(({ unitId }) => `Unit ${unitId} relates entities in a way that cannot be.`));
  return messages.map((message) => ({ code: 'ENTITY_WRONG', message }));
}

/** Entities whose names cannot be decrypted, or of which a field is none that an entity can have. */
function* unreadableEntities(tx: Sql): Steps<number[]> {
  const found: number[] = [];
  const isReadable = (row: EntityRow) =>
    canBeRead(() => entitySchema.parse(readEntity(openEntity(tx.keys, row))));
  yield* forEachPageById<EntityRow>(tx, 'SELECT * FROM entity WHERE memory_id = $1', (rows) => {
    for (const row of rows) if (!isReadable(row)) found.push(row.id);
  });
  return found;
}

/** Mentions, by unit and entity, whose words cannot be decrypted or whose confidence cannot be. */
function* unreadableMentions(tx: Sql): Steps<[number, number][]> {
  const found: [number, number][] = [];
  const { surface: words, confidence: share } = entityMentionSchema.shape;
  for (let after = [0, 0]; ;) {
    const rows = yield* tx.all<{ unit_id: number; entity_id: number; surface: string; confidence: number }>(
      `SELECT unit_id, entity_id, surface, confidence FROM unit_entity WHERE memory_id = $1
         AND (unit_id, entity_id) > (?, ?) ORDER BY unit_id, entity_id LIMIT ${PAGE_SIZE}`,
      ...after,
    );
    for (const { unit_id: unitId, entity_id: entityId, surface, confidence } of rows) {
      const isReadable = canBeRead(() => [words.parse(tx.keys.open(surface)), share.parse(confidence)]);
      if (!isReadable) found.push([unitId, entityId]);
    }
    const last = rows.at(-1);
    if (!last) return found;
    after = [last.unit_id, last.entity_id];
  }
}

function canBeRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/**
 * Deletes what cannot be read and dangling references, counts mentions again and rebuilds the indexes of names.
 */
export function* reconcileEntities(tables: TableParts): Steps<void> {
  for (const id of yield* unreadableEntities(tables.tx)) {
    yield* tables.entities.names.remove(id);
    yield* tables.tx.run('DELETE FROM unit_entity WHERE memory_id = $1 AND entity_id = ?', id);
    const edges = 'DELETE FROM edge WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?)';
    yield* tables.tx.run(edges, id, id);
    yield* tables.tx.run('DELETE FROM entity WHERE memory_id = $1 AND id = ?', id);
  }
  for (const [unitId, entityId] of yield* unreadableMentions(tables.tx)) {
    const sql = 'DELETE FROM unit_entity WHERE memory_id = $1 AND unit_id = ? AND entity_id = ?';
    yield* tables.tx.run(sql, unitId, entityId);
  }
  yield* tables.tx.run(`DELETE FROM edge WHERE memory_id = $1 AND ${IMPOSSIBLE_EDGE}`);
  for (const { table, is } of DANGLING) {
    yield* tables.tx.run(`DELETE FROM ${table} AS x WHERE memory_id = $1 AND ${is}`);
  }
  yield* tables.tx.run(
    `UPDATE entity AS x SET mentions = ${COUNTED} WHERE memory_id = $1 AND mentions <> ${COUNTED}`,
  );
  yield* tables.entities.names.reindex();
}
