import type { Verification } from '../store.ts';
import type { TableParts } from './parts.ts';
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
    says: "'Unit ' || unit_id || ' is said to speak of entity ' || entity_id || '; one of them is missing.'",
  },
  {
    table: 'edge',
    is: `(${noUnit} OR ${noEntity('from_entity_id')} OR ${noEntity('to_entity_id')})`,
    says: "'Unit ' || unit_id || ' is said to relate entities ' || from_entity_id || ' and ' || to_entity_id || '; one of them is missing.'",
  },
  {
    table: 'derivation',
    is: noUnit,
    says: "'A derivation of unit ' || unit_id || ' was kept, which there is not.'",
  },
  {
    table: 'entity_alias',
    is: noEntity('entity_id'),
    says: "'The index of names holds entity ' || entity_id || ', which there is not.'",
  },
  {
    table: 'entity_key',
    is: noEntity('entity_id'),
    says: "'The index of names holds entity ' || entity_id || ', which there is not.'",
  },
];

const COUNTED = '(SELECT count(*) FROM unit_entity m WHERE m.memory_id = $1 AND m.entity_id = x.id)';

/** Problems of entities and of rows that refer to them, at most `most` of a kind. */
export function* entityProblems(tables: TableParts, most: number): Steps<Problem[]> {
  const messages: string[] = [];
  for (const { table, is, says } of DANGLING) {
    const sql = `SELECT DISTINCT ${says} AS message FROM ${table} x WHERE memory_id = $1 AND ${is} LIMIT ${most}`;
    messages.push(...(yield* tables.tx.all<{ message: string }>(sql)).map((row) => row.message));
  }
  const miscounted = yield* tables.tx.all<{ id: number }>(
    `SELECT id FROM entity x WHERE memory_id = $1 AND mentions <> ${COUNTED} LIMIT ${most}`,
  );
  messages.push(...miscounted.map(({ id }) => `The units that speak of entity ${id} are miscounted.`));
  const misnamed = yield* tables.entities.names.misindexed(most);
  messages.push(...misnamed.map((id) => `Entity ${id} is not found by the keys of its names.`));
  return messages.map((message) => ({ code: 'ENTITY_WRONG', message }));
}

/** Deletes dangling references, counts mentions again and rebuilds the indexes of names. */
export function* reconcileEntities(tables: TableParts): Steps<void> {
  for (const { table, is } of DANGLING) {
    yield* tables.tx.run(`DELETE FROM ${table} AS x WHERE memory_id = $1 AND ${is}`);
  }
  yield* tables.tx.run(
    `UPDATE entity AS x SET mentions = ${COUNTED} WHERE memory_id = $1 AND mentions <> ${COUNTED}`,
  );
  yield* tables.entities.names.reindex();
}
