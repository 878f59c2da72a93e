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
import type { DerivationResult, EntityTable } from '../store.ts';
import {
  distinctNames,
  type EdgeRow,
  type EntityRow,
  joinEvidence,
  readAliases,
  readEntity,
} from '../rows/rows.ts';
import type { Database } from './database.ts';
import { EntityNames } from './entityNames.ts';
import type { UnitTable } from './units.ts';

const SELECT = 'SELECT e.id, e.type, e.name, e.aliases, e.salience, e.mentions FROM';
const MENTION = 'x.unit_id AS unitId, x.entity_id AS entityId, x.surface, x.confidence';

const namesSchema = entitySchema.omit({ id: true }).partial();
const mentionsSchema = entityMentionSchema.array();

export class SqliteEntityTable implements EntityTable {
  readonly #db: Database;
  readonly #units: UnitTable;
  /** By which they are found. */
  readonly names: EntityNames;
  readonly #now: () => Instant;

  constructor(db: Database, units: UnitTable, now: () => Instant) {
    this.#db = db;
    this.#units = units;
    this.names = new EntityNames(db);
    this.#now = now;
  }

  async get(ids: readonly number[]): Promise<Entity[]> {
    const sql = `${SELECT} json_each(?) j CROSS JOIN entity e ON e.id = j.value ORDER BY j.key`;
    return this.#db.all<EntityRow>(sql, JSON.stringify(ids)).map(readEntity);
  }

  async find(keys: readonly string[]): Promise<Map<string, Entity[]>> {
    const rows = this.#db.all<EntityRow & { key: string }>(
      `SELECT k.key, e.* FROM json_each(?) j CROSS JOIN entity_key k ON k.key = j.value
         CROSS JOIN entity e ON e.id = k.entity_id ORDER BY j.key, e.id`,
      JSON.stringify([...new Set(keys)]),
    );
    const byKey = Map.groupBy(rows, (row) => row.key);
    return new Map([...byKey].map(([key, entities]) => [key, entities.map(readEntity)]));
  }

  async list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]> {
    const { type = null, query = '' } = filter;
    const sql = `${SELECT} entity e WHERE (?1 IS NULL OR e.type = ?1) AND (?2 = '' OR ${IS_NAMED})
      ORDER BY e.mentions DESC, e.id LIMIT +?4 OFFSET ?5`;
    const keys = JSON.stringify(wholeNameKeys(query));
    return this.#db
      .all<EntityRow>(sql, type, foldName(query), keys, page.limit, page.offset ?? 0)
      .map(readEntity);
  }

  async mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]> {
    const sql = `SELECT ${MENTION} FROM unit_entity x CROSS JOIN unit u ON u.id = x.unit_id
      WHERE x.entity_id = ? ORDER BY u.occurred_at DESC, u.id DESC LIMIT +? OFFSET ?`;
    return this.#db.all<UnitEntity & object>(sql, entityId, page.limit, page.offset ?? 0).map(plain);
  }

  async ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]> {
    const sql = `SELECT ${MENTION} FROM json_each(?) j CROSS JOIN unit_entity x ON x.unit_id = j.value
      ORDER BY j.key, x.entity_id`;
    return this.#db.all<UnitEntity & object>(sql, JSON.stringify(unitIds)).map(plain);
  }

  async edgesOf(entityId: number): Promise<Edge[]> {
    const rows = this.#db.all<EdgeRow>(
      `SELECT from_entity_id AS fromEntityId, to_entity_id AS toEntityId, relation, unit_id AS unitId, weight
       FROM (SELECT * FROM edge WHERE from_entity_id = ?1 UNION ALL SELECT * FROM edge WHERE to_entity_id = ?1)
       ORDER BY fromEntityId, toEntityId, relation, unitId`,
      entityId,
    );
    return joinEvidence(rows);
  }

  async update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Promise<Entity> {
    const { name, aliases, type, salience } = parseInput(namesSchema, set, 'a change of an entity');
    return this.#db.write(() => {
      const before = this.#mustGet(entityId);
      this.#db.run(
        'UPDATE entity SET type = ?, salience = ? WHERE id = ?',
        type ?? before.type,
        salience ?? before.salience,
        entityId,
      );
      this.#rename(before, name ?? before.name, aliases ?? readAliases(before));
      return readEntity(this.#mustGet(entityId));
    });
  }

  async merge(from: number, into: number): Promise<Entity> {
    if (from === into) throw new MemoryError('INVALID_INPUT', 'An entity cannot be merged into itself.');
    return this.#db.write(() => {
      const gone = this.#mustGet(from);
      const kept = this.#mustGet(into);
      this.#moveMentions(from, into);
      this.#moveEdges(from, into);
      this.#moveFacts(from, into);
      this.#db.run('UPDATE entity SET salience = coalesce(salience, ?) WHERE id = ?', gone.salience, into);
      this.#rename(kept, kept.name, [...readAliases(kept), gone.name, ...readAliases(gone)]);
      this.names.remove(from);
      this.#db.run('DELETE FROM entity WHERE id = ?', from);
      return readEntity(this.#mustGet(into));
    });
  }

  /**
   * Whom and what a unit speaks of, in place of what was known of it. Inside the caller's transaction.
   * @throws MemoryError NOT_FOUND for an entity that is not there, INVALID_INPUT
   */
  setMentions(
    unitId: number,
    given: readonly EntityMention[],
    relations: DerivationResult['relations'] = [],
  ): void {
    const mentions = parseInput(mentionsSchema, given, 'mentions of entities');
    this.#db.run(
      'UPDATE entity SET mentions = mentions - 1 WHERE id IN (SELECT entity_id FROM unit_entity WHERE unit_id = ?)',
      unitId,
    );
    this.#db.run('DELETE FROM unit_entity WHERE unit_id = ?', unitId);
    this.#db.run('DELETE FROM edge WHERE unit_id = ?', unitId);
    const entityIds = mentions.map((mention) => this.#resolve(mention));
    for (const [i, { surface, confidence }] of mentions.entries()) {
      this.#db.run(KEEP_MENTION, unitId, entityIds[i]!, surface, confidence);
    }
    this.#db.run(
      'UPDATE entity SET mentions = mentions + 1 WHERE id IN (SELECT entity_id FROM unit_entity WHERE unit_id = ?)',
      unitId,
    );
    for (const relation of relations) this.#relate(unitId, entityIds, relation);
  }

  #relate(
    unitId: number,
    entityIds: readonly number[],
    { from, to, relation, weight }: NonNullable<DerivationResult['relations']>[number],
  ): void {
    const [fromId, toId] = [entityIds[from], entityIds[to]];
    if (fromId === undefined || toId === undefined || relation === '' || !(weight >= 0 && weight <= 1)) {
      throw new MemoryError(
        'INVALID_INPUT',
        `Not a relation between two of ${entityIds.length} mentions: ${JSON.stringify({ from, to, relation, weight })}.`,
      );
    }
    // Two of the mentions may turn out to be one entity.
    if (fromId !== toId) this.#db.run(KEEP_EDGE, fromId, toId, relation, unitId, weight);
  }

  /** The entity that is meant, made when it is a new one; it goes by the names it has here too. */
  #resolve(mention: EntityMention): number {
    const known = mention.entityId === null ? this.#named(mention) : this.#mustGet(mention.entityId);
    if (!known) return this.#add(mention);
    this.#rename(known, known.name, [...readAliases(known), mention.name, ...mention.aliases]);
    return known.id;
  }

  #named({ name, type }: EntityMention): EntityRow | undefined {
    return this.#db.get<EntityRow>(
      `${SELECT} entity_alias a CROSS JOIN entity e ON e.id = a.entity_id WHERE a.folded = ? AND e.type = ?
       ORDER BY e.id LIMIT 1`,
      foldName(name),
      type,
    );
  }

  #add({ type, name, aliases }: EntityMention): number {
    const names = distinctNames(name, aliases);
    const { id } = this.#db.run(
      'INSERT INTO entity (type, name, aliases, mentions) VALUES (?, ?, ?, 0)',
      type,
      names.name,
      JSON.stringify(names.aliases),
    );
    this.names.index(id, [names.name, ...names.aliases]);
    return id;
  }

  #rename(entity: EntityRow, name: string, aliases: readonly string[]): void {
    const names = distinctNames(name, aliases);
    const written = JSON.stringify(names.aliases);
    if (names.name === entity.name && written === entity.aliases) return;
    this.#db.run('UPDATE entity SET name = ?, aliases = ? WHERE id = ?', names.name, written, entity.id);
    this.names.index(entity.id, [names.name, ...names.aliases]);
  }

  #moveMentions(from: number, into: number): void {
    this.#db.run(
      `INSERT INTO unit_entity SELECT unit_id, ?, surface, confidence FROM unit_entity WHERE entity_id = ?
       ON CONFLICT DO UPDATE SET surface = excluded.surface, confidence = excluded.confidence
       WHERE excluded.confidence > confidence`,
      into,
      from,
    );
    this.#db.run('DELETE FROM unit_entity WHERE entity_id = ?', from);
    this.#db.run(
      'UPDATE entity SET mentions = (SELECT count(*) FROM unit_entity WHERE entity_id = id) WHERE id = ?',
      into,
    );
  }

  #moveEdges(from: number, into: number): void {
    this.#db.run(
      `INSERT INTO edge
       SELECT iif(from_entity_id = ?1, ?2, from_entity_id), iif(to_entity_id = ?1, ?2, to_entity_id), relation, unit_id, weight
       FROM edge WHERE from_entity_id = ?1 OR to_entity_id = ?1
       ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight)`,
      from,
      into,
    );
    this.#db.run('DELETE FROM edge WHERE from_entity_id = ?1 OR to_entity_id = ?1', from);
    this.#db.run('DELETE FROM edge WHERE from_entity_id = ?1 AND to_entity_id = ?1', into);
  }

  #moveFacts(from: number, into: number): void {
    const now = this.#now();
    for (const fact of this.#units.factsAbout(from)) {
      const content = { kind: 'fact' as const, payload: { ...fact.payload, objectEntityId: into } };
      const reason = `entity ${from} is entity ${into}`;
      this.#units.save({ type: 'update', unitId: fact.id, set: { content }, reason }, now);
    }
  }

  #mustGet(id: number): EntityRow {
    const entity = this.#db.get<EntityRow>(`${SELECT} entity e WHERE e.id = ?`, id);
    if (!entity) throw new MemoryError('NOT_FOUND', `There is no entity ${id}.`);
    return entity;
  }
}

const IS_NAMED = `e.id IN (SELECT entity_id FROM entity_alias WHERE instr(folded, ?2) > 0
  UNION ALL SELECT k.entity_id FROM json_each(?3) j CROSS JOIN entity_key k ON k.key = j.value)`;

/** Of two surfaces of one entity in one unit the surer stays. */
const KEEP_MENTION = `INSERT INTO unit_entity VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET surface = excluded.surface, confidence = excluded.confidence WHERE excluded.confidence > confidence`;

const KEEP_EDGE = `INSERT INTO edge VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight)`;

function plain(row: UnitEntity): UnitEntity {
  return { ...row };
}
