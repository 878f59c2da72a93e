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
  type EdgeRow,
  type EntityRow,
} from '../rows/rows.ts';
import type { DerivationResult } from '../store.ts';
import { EntityNames } from './entityNames.ts';
import type { Session, Value } from './session.ts';
import type { UnitTable } from './units.ts';

const COLUMNS = 'e.id, e.type, e.name, e.aliases, e.salience, e.mentions';
const MENTION = 'x.unit_id AS "unitId", x.entity_id AS "entityId", x.surface, x.confidence';

const namesSchema = entitySchema.omit({ id: true }).partial();
const mentionsSchema = entityMentionSchema.array();

/** Entities and their mentions. Writers must hold the transaction. */
export class EntityRows {
  /** The indexes of names. */
  readonly names: EntityNames;
  readonly #tx: Session;
  readonly #units: UnitTable;
  readonly #now: () => Instant;

  constructor(tx: Session, units: UnitTable, now: () => Instant) {
    this.#tx = tx;
    this.#units = units;
    this.names = new EntityNames(tx);
    this.#now = now;
  }

  async getMany(ids: readonly number[]): Promise<Entity[]> {
    if (ids.length === 0) return [];
    const rows = await this.#tx.all<EntityRow & object>(
      `SELECT ${COLUMNS} FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
         JOIN entity e ON e.memory_id = $1 AND e.id = j.id ORDER BY j.place`,
      ids,
    );
    return rows.map((row) => this.#read(row));
  }

  async find(keys: readonly string[]): Promise<Map<string, Entity[]>> {
    const clear = new Map(keys.map((key) => [this.#tx.keys.hashTerm(key), key]));
    const rows = await this.#tx.all<EntityRow & { key: string }>(
      `SELECT k.key, ${COLUMNS} FROM unnest(?::text[]) WITH ORDINALITY j (key, place)
         JOIN entity_key k ON k.memory_id = $1 AND k.key = j.key
         JOIN entity e ON e.memory_id = $1 AND e.id = k.entity_id ORDER BY j.place, e.id`,
      [...clear.keys()],
    );
    const byKey = Map.groupBy(rows, (row) => clear.get(row.key) ?? row.key);
    return new Map([...byKey].map(([key, entities]) => [key, entities.map((row) => this.#read(row))]));
  }

  async list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]> {
    const { type = null, query = '' } = filter;
    const named = query === '' ? null : await this.#namedLike(query);
    const rows = await this.#tx.all<EntityRow & object>(
      `SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1 AND coalesce(e.type = ?::text, TRUE)
         AND coalesce(e.id = ANY (?::bigint[]), TRUE) ORDER BY e.mentions DESC, e.id LIMIT ? OFFSET ?`,
      type,
      named,
      page.limit,
      page.offset ?? 0,
    );
    return rows.map((row) => this.#read(row));
  }

  /** Entities with a name that contains the words, also in another script. */
  async #namedLike(query: string): Promise<number[]> {
    const folded = foldName(query);
    const rows = await this.#tx.all<EntityRow & object>(
      `SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1`,
    );
    const alike = rows
      .map((row) => openEntity(this.#tx.keys, row))
      .filter((row) => [row.name, ...readAliases(row)].some((name) => foldName(name).includes(folded)));
    const byKey = await this.#tx.all<{ id: number }>(
      'SELECT entity_id AS id FROM entity_key WHERE memory_id = $1 AND key = ANY (?::text[])',
      wholeNameKeys(query).map((key) => this.#tx.keys.hashTerm(key)),
    );
    return [...alike, ...byKey].map(({ id }) => id);
  }

  #read(row: EntityRow): Entity {
    return readEntity(openEntity(this.#tx.keys, row));
  }

  async #mentions(sql: string, ...values: Value[]): Promise<UnitEntity[]> {
    const rows = await this.#tx.all<UnitEntity>(sql, ...values);
    return rows.map((row) => ({ ...row, surface: this.#tx.keys.open(row.surface) }));
  }

  async mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]> {
    return this.#mentions(
      `SELECT ${MENTION} FROM unit_entity x JOIN unit u ON u.memory_id = $1 AND u.id = x.unit_id
       WHERE x.memory_id = $1 AND x.entity_id = ? ORDER BY u.occurred_at DESC, u.id DESC LIMIT ? OFFSET ?`,
      entityId,
      page.limit,
      page.offset ?? 0,
    );
  }

  async ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]> {
    return this.#mentions(
      `SELECT ${MENTION} FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
         JOIN unit_entity x ON x.memory_id = $1 AND x.unit_id = j.id ORDER BY j.place, x.entity_id`,
      unitIds,
    );
  }

  async edgesOf(entityId: number): Promise<Edge[]> {
    const columns = `from_entity_id AS "fromEntityId", to_entity_id AS "toEntityId", relation, unit_id AS "unitId", weight`;
    const rows = await this.#tx.all<EdgeRow & object>(
      `SELECT ${columns} FROM edge WHERE memory_id = $1 AND from_entity_id = ?
       UNION ALL SELECT ${columns} FROM edge WHERE memory_id = $1 AND to_entity_id = ? ORDER BY 1, 2, 3, 4`,
      entityId,
      entityId,
    );
    return joinEvidence(rows);
  }

  async update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Promise<Entity> {
    const { name, aliases, type, salience } = parseInput(namesSchema, set, 'a change of an entity');
    const before = await this.#mustGet(entityId);
    await this.#tx.run(
      'UPDATE entity SET type = ?, salience = ? WHERE memory_id = $1 AND id = ?',
      type ?? before.type,
      salience ?? before.salience,
      entityId,
    );
    await this.#rename(before, name ?? before.name, aliases ?? readAliases(before));
    return readEntity(await this.#mustGet(entityId));
  }

  async merge(from: number, into: number): Promise<Entity> {
    const gone = await this.#mustGet(from);
    const kept = await this.#mustGet(into);
    await this.#moveMentions(from, into);
    await this.#moveEdges(from, into);
    await this.#moveFacts(from, into);
    await this.#tx.run(
      'UPDATE entity SET salience = coalesce(salience, ?) WHERE memory_id = $1 AND id = ?',
      gone.salience,
      into,
    );
    await this.#rename(kept, kept.name, [...readAliases(kept), gone.name, ...readAliases(gone)]);
    await this.names.remove(from);
    await this.#tx.run('DELETE FROM entity WHERE memory_id = $1 AND id = ?', from);
    return readEntity(await this.#mustGet(into));
  }

  /** Removes names that only deleted sources gave an entity; `others` are the names it still has. */
  async withdrawNames(entityId: number, gone: readonly string[], others: readonly string[]): Promise<void> {
    const entity = await this.#mustGet(entityId);
    const [goneNames, otherNames] = [new Set(gone.map(foldName)), new Set(others.map(foldName))];
    const isGone = (name: string) => goneNames.has(foldName(name)) && !otherNames.has(foldName(name));
    const [first = ''] = others;
    const aliases = readAliases(entity).filter((alias) => !isGone(alias));
    await this.#rename(entity, isGone(entity.name) ? first : entity.name, aliases);
  }

  /**
   * Replaces the mentions of a unit.
   * @throws MemoryError NOT_FOUND for an unknown entity, INVALID_INPUT
   */
  async setMentions(
    unitId: number,
    given: readonly EntityMention[],
    relations: DerivationResult['relations'] = [],
  ): Promise<void> {
    const mentions = parseInput(mentionsSchema, given, 'mentions of entities');
    await this.#countMentions(unitId, -1);
    await this.#tx.run('DELETE FROM unit_entity WHERE memory_id = $1 AND unit_id = ?', unitId);
    await this.#tx.run('DELETE FROM edge WHERE memory_id = $1 AND unit_id = ?', unitId);
    const entityIds: number[] = [];
    for (const mention of mentions) entityIds.push(await this.#resolve(mention));
    for (const [i, { surface, confidence }] of mentions.entries()) {
      await this.#tx.run(KEEP_MENTION, unitId, entityIds[i] ?? 0, this.#tx.keys.seal(surface), confidence);
    }
    await this.#countMentions(unitId, 1);
    for (const relation of relations) await this.#relate(unitId, entityIds, relation);
  }

  async #countMentions(unitId: number, by: 1 | -1): Promise<void> {
    await this.#tx.run(
      `UPDATE entity SET mentions = mentions + ${by} WHERE memory_id = $1
         AND id IN (SELECT entity_id FROM unit_entity WHERE memory_id = $1 AND unit_id = ?)`,
      unitId,
    );
  }

  async #relate(
    unitId: number,
    entityIds: readonly number[],
    { from, to, relation, weight }: NonNullable<DerivationResult['relations']>[number],
  ): Promise<void> {
    const [fromId, toId] = [entityIds[from], entityIds[to]];
    if (fromId === undefined || toId === undefined || relation === '' || !(weight >= 0 && weight <= 1)) {
      throw new MemoryError(
        'INVALID_INPUT',
        `Not a relation between two of ${entityIds.length} mentions: ${JSON.stringify({ from, to, relation, weight })}.`,
      );
    }
    // Two of the mentions may resolve to one entity.
    if (fromId !== toId) await this.#tx.run(KEEP_EDGE, fromId, toId, relation, unitId, weight);
  }

  /** The mentioned entity, created if it is new; the names of the mention are added to it. */
  async #resolve(mention: EntityMention): Promise<number> {
    const known =
      mention.entityId === null ? await this.#named(mention) : await this.#mustGet(mention.entityId);
    if (!known) return this.#add(mention);
    await this.#rename(known, known.name, [...readAliases(known), mention.name, ...mention.aliases]);
    return known.id;
  }

  async #named({ name, type }: EntityMention): Promise<EntityRow | undefined> {
    const row = await this.#tx.get<EntityRow & object>(
      `SELECT ${COLUMNS} FROM entity_alias a JOIN entity e ON e.memory_id = $1 AND e.id = a.entity_id
       WHERE a.memory_id = $1 AND a.folded = ? AND e.type = ? ORDER BY e.id LIMIT 1`,
      this.#tx.keys.hashTerm(foldName(name)),
      type,
    );
    return row && openEntity(this.#tx.keys, row);
  }

  async #add({ type, name, aliases }: EntityMention): Promise<number> {
    const names = distinctNames(name, aliases);
    const id = await this.#tx.nextIds('entity');
    const sql =
      'INSERT INTO entity (memory_id, id, type, name, aliases, mentions) VALUES ($1, ?, ?, ?, ?, 0)';
    const { keys } = this.#tx;
    const aliasText = sealAliases(keys, JSON.stringify(names.aliases));
    await this.#tx.run(sql, id, type, keys.seal(names.name), aliasText);
    await this.names.index(id, [names.name, ...names.aliases]);
    return id;
  }

  async #rename(entity: EntityRow, name: string, aliases: readonly string[]): Promise<void> {
    const names = distinctNames(name, aliases);
    const written = JSON.stringify(names.aliases);
    if (names.name === entity.name && written === entity.aliases) return;
    const sql = 'UPDATE entity SET name = ?, aliases = ? WHERE memory_id = $1 AND id = ?';
    const { keys } = this.#tx;
    await this.#tx.run(sql, keys.seal(names.name), sealAliases(keys, written), entity.id);
    await this.names.index(entity.id, [names.name, ...names.aliases]);
  }

  async #moveMentions(from: number, into: number): Promise<void> {
    await this.#tx.run(
      `INSERT INTO unit_entity AS x SELECT $1, unit_id, ?::bigint, surface, confidence FROM unit_entity
         WHERE memory_id = $1 AND entity_id = ?
       ON CONFLICT (memory_id, unit_id, entity_id) DO UPDATE
         SET surface = excluded.surface, confidence = excluded.confidence WHERE excluded.confidence > x.confidence`,
      into,
      from,
    );
    await this.#tx.run('DELETE FROM unit_entity WHERE memory_id = $1 AND entity_id = ?', from);
    await this.#tx.run(
      `UPDATE entity SET mentions = (SELECT count(*) FROM unit_entity x WHERE x.memory_id = $1 AND x.entity_id = entity.id)
       WHERE memory_id = $1 AND id = ?`,
      into,
    );
  }

  async #moveEdges(from: number, into: number): Promise<void> {
    // Two edges may become one, and one INSERT must not conflict with itself.
    await this.#tx.run(
      `WITH moved AS (SELECT CASE from_entity_id WHEN ?::bigint THEN ?::bigint ELSE from_entity_id END AS a,
           CASE to_entity_id WHEN ?::bigint THEN ?::bigint ELSE to_entity_id END AS b, relation, unit_id, weight
         FROM edge WHERE memory_id = $1 AND (from_entity_id = ?::bigint OR to_entity_id = ?::bigint))
       INSERT INTO edge AS e SELECT $1, a, b, relation, unit_id, max(weight) FROM moved GROUP BY a, b, relation, unit_id
       ON CONFLICT (memory_id, from_entity_id, to_entity_id, relation, unit_id)
         DO UPDATE SET weight = greatest(e.weight, excluded.weight)`,
      from,
      into,
      from,
      into,
      from,
      from,
    );
    await this.#tx.run(
      'DELETE FROM edge WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?)',
      from,
      from,
    );
    await this.#tx.run(
      'DELETE FROM edge WHERE memory_id = $1 AND from_entity_id = ? AND to_entity_id = ?',
      into,
      into,
    );
  }

  async #moveFacts(from: number, into: number): Promise<void> {
    const now = this.#now();
    for (const fact of await this.#units.factsAbout(from)) {
      const content = { kind: 'fact' as const, payload: { ...fact.payload, objectEntityId: into } };
      const reason = `entity ${from} is entity ${into}`;
      await this.#units.save({ type: 'update', unitId: fact.id, set: { content }, reason }, now);
    }
  }

  async #mustGet(id: number): Promise<EntityRow> {
    const sql = `SELECT ${COLUMNS} FROM entity e WHERE e.memory_id = $1 AND e.id = ?`;
    const entity = await this.#tx.get<EntityRow & object>(sql, id);
    if (!entity) throw new MemoryError('NOT_FOUND', `There is no entity ${id}.`);
    return openEntity(this.#tx.keys, entity);
  }
}

/** Of two surfaces of one entity in one unit, keeps the one with the higher confidence. */
const KEEP_MENTION = `INSERT INTO unit_entity AS x VALUES ($1, ?, ?, ?, ?)
  ON CONFLICT (memory_id, unit_id, entity_id) DO UPDATE
  SET surface = excluded.surface, confidence = excluded.confidence WHERE excluded.confidence > x.confidence`;

const KEEP_EDGE = `INSERT INTO edge AS e VALUES ($1, ?, ?, ?, ?, ?)
  ON CONFLICT (memory_id, from_entity_id, to_entity_id, relation, unit_id)
  DO UPDATE SET weight = greatest(e.weight, excluded.weight)`;
