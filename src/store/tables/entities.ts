import {
  entityMentionSchema,
  entitySchema,
  MemoryError,
  parseInput,
  type Edge,
  type Entity,
  type EntityMention,
  type Instant,
  type UnitEntity,
} from '../../model/model.ts';
import { foldName, wholeNameKeys } from '../../text/text.ts';
import {
  distinctNames,
  joinEvidence,
  openEntity,
  readAliases,
  readEntity,
  sealAliases,
  sealEntity,
  TRANSFERRED,
  type EdgeRow,
  type EntityRow,
  type Row,
} from '../rows/rows.ts';
import type { DerivationResult } from '../store.ts';
import { EntityNames } from './entityNames.ts';
import { hasRightHash, rehashed, rowHash, WRONG_HASH, type HashedRow } from './rowHashes.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { Steps } from './steps.ts';
import type { UnitRows } from './unitRows.ts';

const COLUMNS = 'e.id, e.type, e.name, e.aliases, e.salience, e.mentions, e.mac';
const MENTION = 'x.unit_id AS "unitId", x.entity_id AS "entityId", x.surface, x.confidence';

const namesSchema = entitySchema.omit({ id: true }).partial();
const mentionsSchema = entityMentionSchema.array();

/** People, places and things, and what speaks of them. Callers that write hold the transaction. */
export class EntityRows {
  /** The names by which they are found. */
  readonly names: EntityNames;
  readonly #tx: Sql;
  readonly #units: UnitRows;
  readonly #now: () => Instant;

  constructor(tx: Sql, units: UnitRows, now: () => Instant) {
    this.#tx = tx;
    this.#units = units;
    this.names = new EntityNames(tx);
    this.#now = now;
  }

  *getMany(ids: readonly number[]): Steps<Entity[]> {
    if (ids.length === 0) return [];
    const sql = `SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1 AND e.id = ANY (?::bigint[])`;
    const rows = yield* this.#tx.all<EntityRow>(sql, ids);
    const byId = new Map(rows.map((row) => [row.id, this.#read(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  *find(keys: readonly string[]): Steps<Map<string, Entity[]>> {
    const clear = new Map(keys.map((key) => [this.#tx.keys.hashTerm(key), key]));
    const rows = yield* this.#tx.all<EntityRow & { key: string }>(
      `SELECT k.key, ${COLUMNS} FROM entity_key k JOIN entity e ON e.memory_id = $1 AND e.id = k.entity_id
       WHERE k.memory_id = $1 AND k.key = ANY (?::text[]) ORDER BY e.id`,
      [...clear.keys()],
    );
    const byKey = Map.groupBy(rows, (row) => row.key);
    const found = [...clear].filter(([kept]) => byKey.has(kept));
    return new Map(found.map(([kept, key]) => [key, (byKey.get(kept) ?? []).map((row) => this.#read(row))]));
  }

  *list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Steps<Entity[]> {
    const { type, query } = filter;
    const conditions = [...(type ? ['e.type = ?'] : []), ...(query ? ['e.id = ANY (?::bigint[])'] : [])];
    const values = [...(type ? [type] : []), ...(query ? [yield* this.#namedLike(query)] : [])];
    const rows = yield* this.#tx.all<EntityRow>(
      `SELECT ${COLUMNS} FROM entity e WHERE ${['e.memory_id = $1', ...conditions].join(' AND ')}
       ORDER BY e.mentions DESC, e.id LIMIT ? OFFSET ?`,
      ...values,
      page.limit,
      page.offset ?? 0,
    );
    return rows.map((row) => this.#read(row));
  }

  /** Entities with the text anywhere in a name, or with the same name in another script. */
  *#namedLike(query: string): Steps<number[]> {
    const folded = foldName(query);
    const rows = yield* this.#tx.all<EntityRow>(`SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1`);
    const alike = rows
      .map((row) => openEntity(this.#tx.keys, row))
      .filter((row) => [row.name, ...readAliases(row)].some((name) => foldName(name).includes(folded)));
    const byKey = yield* this.#tx.all<{ id: number }>(
      'SELECT entity_id AS id FROM entity_key WHERE memory_id = $1 AND key = ANY (?::text[])',
      wholeNameKeys(query).map((key) => this.#tx.keys.hashTerm(key)),
    );
    return [...alike, ...byKey].map(({ id }) => id);
  }

  #read(row: EntityRow): Entity {
    return readEntity(openEntity(this.#tx.keys, row));
  }

  *#mentions(sql: string, ...values: SqlValue[]): Steps<UnitEntity[]> {
    const rows = yield* this.#tx.all<UnitEntity>(sql, ...values);
    return rows.map((row) => ({ ...row, surface: this.#tx.keys.open(row.surface) }));
  }

  *mentionsOf(entityId: number, page: { limit: number; offset?: number }): Steps<UnitEntity[]> {
    return yield* this.#mentions(
      `SELECT ${MENTION} FROM unit_entity x JOIN unit u ON u.memory_id = $1 AND u.id = x.unit_id
       WHERE x.memory_id = $1 AND x.entity_id = ? ORDER BY u.occurred_at DESC, u.id DESC LIMIT ? OFFSET ?`,
      entityId,
      page.limit,
      page.offset ?? 0,
    );
  }

  *ofUnits(unitIds: readonly number[]): Steps<UnitEntity[]> {
    const rows = yield* this.#mentions(
      `SELECT ${MENTION} FROM unit_entity x WHERE x.memory_id = $1 AND x.unit_id = ANY (?::bigint[])
       ORDER BY x.entity_id`,
      unitIds,
    );
    const byUnit = Map.groupBy(rows, (row) => row.unitId);
    return unitIds.flatMap((unitId) => byUnit.get(unitId) ?? []);
  }

  *edgesOf(entityId: number): Steps<Edge[]> {
    const columns = `from_entity_id AS "fromEntityId", to_entity_id AS "toEntityId", relation, unit_id AS "unitId", weight`;
    const rows = yield* this.#tx.all<EdgeRow>(
      `SELECT ${columns} FROM edge WHERE memory_id = $1 AND from_entity_id = ?
       UNION ALL SELECT ${columns} FROM edge WHERE memory_id = $1 AND to_entity_id = ? ORDER BY 1, 2, 3, 4`,
      entityId,
      entityId,
    );
    return joinEvidence(rows);
  }

  *update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Steps<Entity> {
    const { name, aliases, type, salience } = parseInput(namesSchema, set, 'a change of an entity');
    const before = yield* this.#mustGet(entityId);
    yield* this.#write(before, {
      type: type ?? before.type,
      salience: salience ?? before.salience,
      name: name ?? before.name,
      aliases: aliases ?? readAliases(before),
    });
    return readEntity(yield* this.#mustGet(entityId));
  }

  *merge(from: number, into: number): Steps<Entity> {
    if (from === into) throw new MemoryError('INVALID_INPUT', 'An entity cannot be merged into itself.');
    const gone = yield* this.#mustGet(from);
    const kept = yield* this.#mustGet(into);
    yield* this.#moveMentions(from, into);
    yield* this.#moveEdges(from, into);
    yield* this.#moveFacts(from, into);
    const aliases = [...readAliases(kept), gone.name, ...readAliases(gone)];
    const { type, name, salience } = kept;
    yield* this.#write(kept, { type, name, salience: salience ?? gone.salience, aliases }, gone);
    yield* this.names.remove(from);
    yield* this.#tx.run('DELETE FROM entity WHERE memory_id = $1 AND id = ?', from);
    return readEntity(yield* this.#mustGet(into));
  }

  /** Removes names that only erased units gave an entity; `others` are the names that it keeps. */
  *withdrawNames(entityId: number, gone: readonly string[], others: readonly string[]): Steps<void> {
    const entity = yield* this.#mustGet(entityId);
    const [goneNames, otherNames] = [new Set(gone.map(foldName)), new Set(others.map(foldName))];
    const isGone = (name: string) => goneNames.has(foldName(name)) && !otherNames.has(foldName(name));
    const [first = ''] = others;
    const aliases = readAliases(entity).filter((alias) => !isGone(alias));
    yield* this.#rename(entity, isGone(entity.name) ? first : entity.name, aliases);
  }

  /**
   * Replaces the mentions of a unit. Inside the caller's transaction.
   * @throws MemoryError NOT_FOUND for an entity that does not exist, INVALID_INPUT
   */
  *setMentions(
    unitId: number,
    given: readonly EntityMention[],
    relations: DerivationResult['relations'] = [],
  ): Steps<void> {
    const mentions = parseInput(mentionsSchema, given, 'mentions of entities');
    yield* this.#countMentions(unitId, -1);
    yield* this.#tx.run('DELETE FROM unit_entity WHERE memory_id = $1 AND unit_id = ?', unitId);
    yield* this.#tx.run('DELETE FROM edge WHERE memory_id = $1 AND unit_id = ?', unitId);
    const entityIds: number[] = [];
    for (const mention of mentions) entityIds.push(yield* this.#resolve(mention));
    const { keys } = this.#tx;
    for (const [i, { surface, confidence }] of mentions.entries()) {
      const row = { unit_id: unitId, entity_id: entityIds[i] ?? 0, surface: keys.seal(surface), confidence };
      yield* this.#tx.insert(...mentionsToKeep([{ ...row, mac: rowHash(keys, 'unit_entity', row) }]));
    }
    yield* this.#countMentions(unitId, 1);
    for (const relation of relations) yield* this.#relate(unitId, entityIds, relation);
  }

  *#countMentions(unitId: number, by: 1 | -1): Steps<void> {
    yield* this.#tx.run(
      `UPDATE entity SET mentions = mentions + ${by} WHERE memory_id = $1
         AND id IN (SELECT entity_id FROM unit_entity WHERE memory_id = $1 AND unit_id = ?)`,
      unitId,
    );
  }

  *#relate(
    unitId: number,
    entityIds: readonly number[],
    { from, to, relation, weight }: NonNullable<DerivationResult['relations']>[number],
  ): Steps<void> {
    const [fromId, toId] = [entityIds[from], entityIds[to]];
    if (fromId === undefined || toId === undefined || relation === '' || !(weight >= 0 && weight <= 1)) {
      throw new MemoryError(
        'INVALID_INPUT',
        `Not a relation between two of ${entityIds.length} mentions: ${JSON.stringify({ from, to, relation, weight })}.`,
      );
    }
    // Two of the mentions may turn out to be one entity.
    if (fromId === toId) return;
    const row = { from_entity_id: fromId, to_entity_id: toId, relation, unit_id: unitId, weight };
    yield* this.#tx.insert(...edgesToKeep([{ ...row, mac: rowHash(this.#tx.keys, 'edge', row) }]));
  }

  /** Finds the mentioned entity, or creates it; adds the names of the mention. */
  *#resolve(mention: EntityMention): Steps<number> {
    const known =
      mention.entityId === null ? yield* this.#named(mention) : yield* this.#mustGet(mention.entityId);
    if (!known) return yield* this.#add(mention);
    yield* this.#rename(known, known.name, [...readAliases(known), mention.name, ...mention.aliases]);
    return known.id;
  }

  *#named({ name, type }: EntityMention): Steps<EntityRow | undefined> {
    const row = yield* this.#tx.get<EntityRow>(
      `SELECT ${COLUMNS} FROM entity_alias a JOIN entity e ON e.memory_id = $1 AND e.id = a.entity_id
       WHERE a.memory_id = $1 AND a.folded = ? AND e.type = ? ORDER BY e.id LIMIT 1`,
      this.#tx.keys.hashTerm(foldName(name)),
      type,
    );
    return row && openEntity(this.#tx.keys, row);
  }

  *#add({ type, name, aliases }: EntityMention): Steps<number> {
    const names = distinctNames(name, aliases);
    const { keys } = this.#tx;
    const row = {
      type,
      name: keys.seal(names.name),
      aliases: sealAliases(keys, JSON.stringify(names.aliases)),
      salience: null,
    };
    const id = yield* this.#tx.insertNew('entity', { ...row, mentions: 0, mac: '' });
    const sql = 'UPDATE entity SET mac = ? WHERE memory_id = $1 AND id = ?';
    yield* this.#tx.run(sql, rowHash(keys, 'entity', { id, ...row }), id);
    yield* this.names.index(id, [names.name, ...names.aliases]);
    return id;
  }

  *#rename(entity: EntityRow, name: string, aliases: readonly string[]): Steps<void> {
    const { type, salience } = entity;
    yield* this.#write(entity, { type, salience, name, aliases });
  }

  /** @param source another entity from which some of it comes */
  *#write(before: EntityRow, set: EntitySet, source?: EntityRow): Steps<void> {
    const { name, aliases } = distinctNames(set.name, set.aliases);
    const after = { ...before, ...set, name, aliases: JSON.stringify(aliases) };
    const hasNewNames = after.name !== before.name || after.aliases !== before.aliases;
    if (!hasNewNames && after.type === before.type && after.salience === before.salience) return;
    const { keys } = this.#tx;
    const sealed = sealEntity(keys, after);
    const isRight = [before, ...(source ? [source] : [])].every((row) =>
      hasRightHash(keys, 'entity', sealEntity(keys, row)),
    );
    yield* this.#tx.run(
      'UPDATE entity SET type = ?, name = ?, aliases = ?, salience = ?, mac = ? WHERE memory_id = $1 AND id = ?',
      sealed.type,
      sealed.name,
      sealed.aliases,
      sealed.salience,
      isRight ? rowHash(keys, 'entity', sealed) : WRONG_HASH,
      before.id,
    );
    if (hasNewNames) yield* this.names.index(before.id, [name, ...aliases]);
  }

  *#moveMentions(from: number, into: number): Steps<void> {
    const rows = yield* this.#tx.all<MentionRow>(
      'SELECT unit_id, entity_id, surface, confidence, mac FROM unit_entity WHERE memory_id = $1 AND entity_id = ?',
      from,
    );
    const moved = rows.map((row) => rehashed(this.#tx.keys, 'unit_entity', row, { ...row, entity_id: into }));
    yield* this.#tx.insert(...mentionsToKeep(moved));
    yield* this.#tx.run('DELETE FROM unit_entity WHERE memory_id = $1 AND entity_id = ?', from);
    yield* this.#tx.run(
      `UPDATE entity SET mentions = (SELECT count(*) FROM unit_entity x WHERE x.memory_id = $1 AND x.entity_id = entity.id)
       WHERE memory_id = $1 AND id = ?`,
      into,
    );
  }

  *#moveEdges(from: number, into: number): Steps<void> {
    const rows = yield* this.#tx.all<KeptEdgeRow>(
      `SELECT from_entity_id, to_entity_id, relation, unit_id, weight, mac FROM edge
       WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?) ORDER BY weight DESC`,
      from,
      from,
    );
    const idOf = (id: number) => (id === from ? into : id);
    const moved = new Map<string, KeptEdgeRow>();
    for (const row of rows) {
      const after = {
        ...row,
        from_entity_id: idOf(row.from_entity_id),
        to_entity_id: idOf(row.to_entity_id),
      };
      const name = JSON.stringify([after.from_entity_id, after.to_entity_id, row.relation, row.unit_id]);
      // An edge between the two is none now. Of two edges that become one, the one with the higher weight is kept.
      if (after.from_entity_id !== after.to_entity_id && !moved.has(name)) {
        moved.set(name, rehashed(this.#tx.keys, 'edge', row, after));
      }
    }
    yield* this.#tx.insert(...edgesToKeep([...moved.values()]));
    yield* this.#tx.run(
      'DELETE FROM edge WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?)',
      from,
      from,
    );
  }

  *#moveFacts(from: number, into: number): Steps<void> {
    const now = this.#now();
    for (const fact of yield* this.#units.factsAbout(from)) {
      const content = { kind: 'fact' as const, payload: { ...fact.payload, objectEntityId: into } };
      const reason = `entity ${from} is entity ${into}`;
      yield* this.#units.save({ type: 'update', unitId: fact.id, set: { content }, reason }, now);
    }
  }

  *#mustGet(id: number): Steps<EntityRow> {
    const sql = `SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1 AND e.id = ?`;
    const entity = yield* this.#tx.get<EntityRow>(sql, id);
    if (!entity) throw new MemoryError('NOT_FOUND', `There is no entity ${id}.`);
    return openEntity(this.#tx.keys, entity);
  }
}

type EntitySet = Pick<EntityRow, 'type' | 'name' | 'salience'> & { readonly aliases: readonly string[] };
type MentionRow = HashedRow<'unit_entity'> & { readonly mac: string };
type KeptEdgeRow = HashedRow<'edge'> & {
  readonly from_entity_id: number;
  readonly to_entity_id: number;
  readonly mac: string;
};

/** Of several mentions of one entity in one unit, the one with the higher confidence is kept. */
function mentionsToKeep(rows: readonly MentionRow[]): Parameters<Sql['insert']> {
  const tail = `ON CONFLICT (memory_id, unit_id, entity_id) DO UPDATE
    SET surface = excluded.surface, confidence = excluded.confidence, mac = excluded.mac
    WHERE excluded.confidence > unit_entity.confidence`;
  return rowsToKeep('unit_entity', rows, tail);
}

/** Of several edges that differ only in their weights, the one with the highest is kept. */
function edgesToKeep(rows: readonly KeptEdgeRow[]): Parameters<Sql['insert']> {
  const tail = `ON CONFLICT (memory_id, from_entity_id, to_entity_id, relation, unit_id) DO UPDATE
    SET weight = excluded.weight, mac = excluded.mac WHERE excluded.weight > edge.weight`;
  return rowsToKeep('edge', rows, tail);
}

function rowsToKeep(
  table: 'unit_entity' | 'edge',
  rows: readonly Row[],
  tail: string,
): Parameters<Sql['insert']> {
  const { columns } = TRANSFERRED[table];
  return [table, columns, rows.map((row) => Object.keys(columns).map((name) => row[name] ?? null)), tail];
}
