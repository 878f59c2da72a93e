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
  openEntity,
  readAliases,
  readEntity,
  sealAliases,
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
  /** The names by which they are found. */
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
    return this.#db.all<EntityRow>(sql, JSON.stringify(ids)).map((row) => this.#read(row));
  }

  async find(keys: readonly string[]): Promise<Map<string, Entity[]>> {
    const clear = new Map(keys.map((key) => [this.#db.keys.hashTerm(key), key]));
    const rows = this.#db.all<EntityRow & { key: string }>(
      `SELECT k.key, e.* FROM json_each(?) j CROSS JOIN entity_key k ON k.key = j.value
         CROSS JOIN entity e ON e.id = k.entity_id ORDER BY j.key, e.id`,
      JSON.stringify([...clear.keys()]),
    );
    const byKey = Map.groupBy(rows, (row) => clear.get(row.key) ?? row.key);
    return new Map([...byKey].map(([key, found]) => [key, found.map((row) => this.#read(row))]));
  }

  async list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]> {
    const { type = null, query = '' } = filter;
    const { limit, offset = 0 } = page;
    const named = query === '' ? null : JSON.stringify(this.#namedLike(query));
    const sql = `${SELECT} entity e WHERE (?1 IS NULL OR e.type = ?1)
        AND (?2 IS NULL OR e.id IN (SELECT value FROM json_each(?2)))
      ORDER BY e.mentions DESC, e.id LIMIT +?3 OFFSET ?4`;
    return this.#db.all<EntityRow>(sql, type, named, limit, offset).map((row) => this.#read(row));
  }

  async mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]> {
    const sql = `SELECT ${MENTION} FROM unit_entity x CROSS JOIN unit u ON u.id = x.unit_id
      WHERE x.entity_id = ? ORDER BY u.occurred_at DESC, u.id DESC LIMIT +? OFFSET ?`;
    return this.#db
      .all<UnitEntity & object>(sql, entityId, page.limit, page.offset ?? 0)
      .map((row) => this.#readMention(row));
  }

  async ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]> {
    const sql = `SELECT ${MENTION} FROM json_each(?) j CROSS JOIN unit_entity x ON x.unit_id = j.value
      ORDER BY j.key, x.entity_id`;
    return this.#db
      .all<UnitEntity & object>(sql, JSON.stringify(unitIds))
      .map((row) => this.#readMention(row));
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
   * Replaces the mentions of a unit. Inside the caller's transaction.
   * @throws MemoryError NOT_FOUND for an entity that does not exist, INVALID_INPUT
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
      this.#db.run(KEEP_MENTION, unitId, entityIds[i]!, this.#db.keys.seal(surface), confidence);
    }
    this.#db.run(
      'UPDATE entity SET mentions = mentions + 1 WHERE id IN (SELECT entity_id FROM unit_entity WHERE unit_id = ?)',
      unitId,
    );
    for (const relation of relations) this.#relate(unitId, entityIds, relation);
  }

  /** Removes names that only erased units gave an entity; `others` are the names that it keeps. */
  withdrawNames(entityId: number, gone: readonly string[], others: readonly string[]): void {
    const entity = this.#mustGet(entityId);
    const [goneNames, otherNames] = [new Set(gone.map(foldName)), new Set(others.map(foldName))];
    const isGone = (name: string) => goneNames.has(foldName(name)) && !otherNames.has(foldName(name));
    const [first = ''] = others;
    const aliases = readAliases(entity).filter((alias) => !isGone(alias));
    this.#rename(entity, isGone(entity.name) ? first : entity.name, aliases);
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
    // Two mentions may resolve to the same entity.
    if (fromId !== toId) this.#db.run(KEEP_EDGE, fromId, toId, relation, unitId, weight);
  }

  /** Finds the mentioned entity, or creates it; adds the names of the mention. */
  #resolve(mention: EntityMention): number {
    const known = mention.entityId === null ? this.#named(mention) : this.#mustGet(mention.entityId);
    if (!known) return this.#add(mention);
    this.#rename(known, known.name, [...readAliases(known), mention.name, ...mention.aliases]);
    return known.id;
  }

  #named({ name, type }: EntityMention): EntityRow | undefined {
    const row = this.#db.get<EntityRow>(
      `${SELECT} entity_alias a CROSS JOIN entity e ON e.id = a.entity_id WHERE a.folded = ? AND e.type = ?
       ORDER BY e.id LIMIT 1`,
      this.#db.keys.hashTerm(foldName(name)),
      type,
    );
    return row && openEntity(this.#db.keys, row);
  }

  #add({ type, name, aliases }: EntityMention): number {
    const names = distinctNames(name, aliases);
    const { id } = this.#db.run(
      'INSERT INTO entity (type, name, aliases, mentions) VALUES (?, ?, ?, 0)',
      type,
      this.#db.keys.seal(names.name),
      sealAliases(this.#db.keys, JSON.stringify(names.aliases)),
    );
    this.names.index(id, [names.name, ...names.aliases]);
    return id;
  }

  #rename(entity: EntityRow, name: string, aliases: readonly string[]): void {
    const names = distinctNames(name, aliases);
    const written = JSON.stringify(names.aliases);
    if (names.name === entity.name && written === entity.aliases) return;
    this.#db.run(
      'UPDATE entity SET name = ?, aliases = ? WHERE id = ?',
      this.#db.keys.seal(names.name),
      sealAliases(this.#db.keys, written),
      entity.id,
    );
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

  /** Entities with the text anywhere in a name, or with the same name in another script. */
  #namedLike(query: string): number[] {
    const folded = foldName(query);
    const rows = this.#db.all<EntityRow>(`${SELECT} entity e`).map((row) => openEntity(this.#db.keys, row));
    const alike = rows.filter((row) =>
      [row.name, ...readAliases(row)].some((name) => foldName(name).includes(folded)),
    );
    const keys = wholeNameKeys(query).map((key) => this.#db.keys.hashTerm(key));
    const sql = 'SELECT k.entity_id AS id FROM json_each(?) j CROSS JOIN entity_key k ON k.key = j.value';
    const byKey = this.#db.all<{ id: number }>(sql, JSON.stringify(keys));
    return [...alike, ...byKey].map(({ id }) => id);
  }

  #read(row: EntityRow): Entity {
    return readEntity(openEntity(this.#db.keys, row));
  }

  #readMention(row: UnitEntity): UnitEntity {
    return { ...row, surface: this.#db.keys.open(row.surface) };
  }

  #mustGet(id: number): EntityRow {
    const entity = this.#db.get<EntityRow>(`${SELECT} entity e WHERE e.id = ?`, id);
    if (!entity) throw new MemoryError('NOT_FOUND', `There is no entity ${id}.`);
    return openEntity(this.#db.keys, entity);
  }
}

/** Of several mentions of one entity in one unit, the one with the higher confidence is kept. */
const KEEP_MENTION = `INSERT INTO unit_entity VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET surface = excluded.surface, confidence = excluded.confidence WHERE excluded.confidence > confidence`;

const KEEP_EDGE = `INSERT INTO edge VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight)`;
