import type { Verification } from '../store.ts';
import type { Database } from './database.ts';
import type { EntityNames } from './entityNames.ts';

type Problem = Verification['problems'][number];

/** References to units or entities that do not exist. */
const DANGLING: readonly { readonly table: string; readonly is: string; readonly says: string }[] = [
  {
    table: 'unit_entity',
    is: 'unit_id NOT IN (SELECT id FROM unit) OR entity_id NOT IN (SELECT id FROM entity)',
    says: "'Unit ' || unit_id || ' is said to speak of entity ' || entity_id || '; one of them is missing.'",
  },
  {
    table: 'edge',
    is: `unit_id NOT IN (SELECT id FROM unit) OR from_entity_id NOT IN (SELECT id FROM entity)
      OR to_entity_id NOT IN (SELECT id FROM entity)`,
    says: "'Unit ' || unit_id || ' is said to relate entities ' || from_entity_id || ' and ' || to_entity_id || '; one of them is missing.'",
  },
  {
    table: 'derivation',
    is: 'unit_id NOT IN (SELECT id FROM unit)',
    says: "'A derivation of unit ' || unit_id || ' was kept, which there is not.'",
  },
  {
    table: 'entity_alias',
    is: 'entity_id NOT IN (SELECT id FROM entity)',
    says: "'The index of names holds entity ' || entity_id || ', which there is not.'",
  },
  {
    table: 'entity_key',
    is: 'entity_id NOT IN (SELECT id FROM entity)',
    says: "'The index of names holds entity ' || entity_id || ', which there is not.'",
  },
];

const MISCOUNTED = 'mentions <> (SELECT count(*) FROM unit_entity x WHERE x.entity_id = entity.id)';

/** Problems of entities and of rows that refer to them, at most `most` of a kind. */
export function entityProblems(db: Database, names: EntityNames, most: number): Problem[] {
  const dangling = DANGLING.flatMap(({ table, is, says }) =>
    db.all<{ message: string }>(`SELECT DISTINCT ${says} AS message FROM ${table} WHERE ${is} LIMIT ${most}`),
  ).map((row) => row.message);
  const miscounted = db
    .all<{ id: number }>(`SELECT id FROM entity WHERE ${MISCOUNTED} LIMIT ${most}`)
    .map(({ id }) => `The units that speak of entity ${id} are miscounted.`);
  const misnamed = names.misindexed(most).map((id) => `Entity ${id} is not found by the keys of its names.`);
  return [...dangling, ...miscounted, ...misnamed].map((message) => ({ code: 'ENTITY_WRONG', message }));
}

/** Deletes dangling references, counts mentions again and rebuilds the indexes of names. */
export function reconcileEntities(db: Database, names: EntityNames): void {
  for (const { table, is } of DANGLING) db.exec(`DELETE FROM ${table} WHERE ${is}`);
  db.exec(
    `UPDATE entity SET mentions = (SELECT count(*) FROM unit_entity x WHERE x.entity_id = entity.id) WHERE ${MISCOUNTED}`,
  );
  names.reindex();
}
