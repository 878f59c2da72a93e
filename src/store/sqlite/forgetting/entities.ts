import { KINDS } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import type { SqliteEntityTable } from '../entities.ts';

/** An entity that the units mentioned, with the names they used. */
export interface TouchedEntity {
  readonly id: number;
  readonly surfaces: readonly string[];
}

export function touchedEntities(db: Database, unitIds: readonly number[]): TouchedEntity[] {
  const rows = db.all<{ id: number; surface: string }>(
    `SELECT x.entity_id AS id, x.surface FROM json_each(?) j CROSS JOIN unit_entity x ON x.unit_id = j.value`,
    JSON.stringify(unitIds),
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, mentions]) => ({
    id,
    surfaces: mentions.map(({ surface }) => db.keys.open(surface)),
  }));
}

/** Call after the units are deleted: removes names that no other unit uses. */
export function eraseFromEntities(
  db: Database,
  entities: SqliteEntityTable,
  touched: readonly TouchedEntity[],
): void {
  for (const { id, surfaces } of touched) {
    const others = db
      .all<{ surface: string }>(
        'SELECT surface FROM unit_entity WHERE entity_id = ? GROUP BY surface ORDER BY count(*) DESC, min(unit_id)',
        id,
      )
      .map(({ surface }) => db.keys.open(surface));
    if (others.length > 0) entities.withdrawNames(id, surfaces, others);
  }
}

const FACT = KINDS.indexOf('fact');
const IS_UNUSED = `id = ? AND NOT EXISTS (SELECT 1 FROM unit_entity x WHERE x.entity_id = id)
  AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.from_entity_id = id OR e.to_entity_id = id)
  AND NOT EXISTS (SELECT 1 FROM unit u WHERE u.kind = ${FACT} AND u.payload ->> 'objectEntityId' = entity.id)`;

/** Deletes those of the entities that nothing mentions any more. */
export function eraseUnused(db: Database, entities: SqliteEntityTable, ids: readonly number[]): void {
  for (const id of ids) {
    if (!db.get(`SELECT 1 FROM entity WHERE ${IS_UNUSED}`, id)) continue;
    entities.names.remove(id);
    db.run('DELETE FROM entity WHERE id = ?', id);
  }
}
