import type { Verification } from '../store.ts';
import type { Tables } from './tables.ts';

type Problem = Verification['problems'][number];

const noUnit = 'NOT EXISTS (SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = x.unit_id)';
const noEntity = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM entity e WHERE e.memory_id = $1 AND e.id = x.${column})`;

/** Rows that refer to a missing unit or entity. */
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

/** Problems of entities and their mentions, at most `most` of a kind. */
export async function entityProblems(tables: Tables, most: number): Promise<Problem[]> {
  const messages: string[] = [];
  for (const { table, is, says } of DANGLING) {
    const sql = `SELECT DISTINCT ${says} AS message FROM ${table} x WHERE memory_id = $1 AND ${is} LIMIT ${most}`;
    messages.push(...(await tables.session.all<{ message: string }>(sql)).map((row) => row.message));
  }
  const miscounted = await tables.session.all<{ id: number }>(
    `SELECT id FROM entity x WHERE memory_id = $1 AND mentions <> ${COUNTED} LIMIT ${most}`,
  );
  messages.push(...miscounted.map(({ id }) => `The units that speak of entity ${id} are miscounted.`));
  const misnamed = await tables.entities.names.misindexed(most);
  messages.push(...misnamed.map((id) => `Entity ${id} is not found by the keys of its names.`));
  return messages.map((message) => ({ code: 'ENTITY_WRONG', message }));
}

/** Removes rows that refer to missing ones, recounts, and rebuilds the indexes of names. */
export async function reconcileEntities(tables: Tables): Promise<void> {
  for (const { table, is } of DANGLING) {
    await tables.session.run(`DELETE FROM ${table} x WHERE memory_id = $1 AND ${is}`);
  }
  await tables.session.run(
    `UPDATE entity x SET mentions = ${COUNTED} WHERE memory_id = $1 AND mentions <> ${COUNTED}`,
  );
  await tables.entities.names.reindex();
}
