import {
  MemoryError,
  type Edge,
  type Entity,
  type EntityMention,
  type Unit,
  type UnitEntity,
} from '../../src/model/model.ts';
import type { DerivationResult, EntityTable, UnitChange } from '../../src/store/store.ts';
import { foldName, nameKeys, wholeNameKeys } from '../../src/text/text.ts';
import type { State, Transact } from './state.ts';

export class ModelEntityTable implements EntityTable {
  readonly #transact: Transact;
  readonly #save: (state: State, change: UnitChange) => Unit;

  constructor(transact: Transact, save: (state: State, change: UnitChange) => Unit) {
    this.#transact = transact;
    this.#save = save;
  }

  async get(ids: readonly number[]): Promise<Entity[]> {
    return this.#transact((state) => {
      const known = ids.flatMap((id) => state.entities.find((entity) => entity.id === id) ?? []);
      return known.map((entity) => seen(state, entity));
    });
  }

  async find(keys: readonly string[]): Promise<Map<string, Entity[]>> {
    return this.#transact((state) => {
      const found = keys.map((key): [string, Entity[]] => [
        key,
        state.entities
          .filter((entity) => namesOf(entity).some((name) => nameKeys(name).includes(key)))
          .map((entity) => seen(state, entity)),
      ]);
      return new Map(found.filter(([, entities]) => entities.length > 0));
    });
  }

  async list(filter: { type?: Entity['type']; query?: string }, page: { limit: number; offset?: number }) {
    const { type, query = '' } = filter;
    const isNamed = (name: string) =>
      foldName(name).includes(foldName(query)) ||
      nameKeys(name).some((key) => wholeNameKeys(query).includes(key));
    return this.#transact((state) =>
      state.entities
        .filter((entity) => (type ?? entity.type) === entity.type && namesOf(entity).some(isNamed))
        .sort((a, b) => mentionsOf(state, b.id).length - mentionsOf(state, a.id).length || a.id - b.id)
        .slice(page.offset ?? 0, (page.offset ?? 0) + page.limit)
        .map((entity) => seen(state, entity)),
    );
  }

  async mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]> {
    const offset = page.offset ?? 0;
    return this.#transact((state) => {
      const at = ({ unitId }: UnitEntity) => state.units[unitId - 1]?.occurredAt ?? 0;
      return mentionsOf(state, entityId)
        .sort((a, b) => at(b) - at(a) || b.unitId - a.unitId)
        .slice(offset, offset + page.limit);
    });
  }

  async ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]> {
    return this.#transact(({ mentions }) =>
      unitIds.flatMap((unitId) =>
        mentions.filter((mention) => mention.unitId === unitId).sort((a, b) => a.entityId - b.entityId),
      ),
    );
  }

  async edgesOf(entityId: number): Promise<Edge[]> {
    return this.#transact(({ relations }) => {
      const said = relations
        .filter((edge) => edge.fromEntityId === entityId || edge.toEntityId === entityId)
        .sort((a, b) => a.unitId - b.unitId);
      const edges = Map.groupBy(said, (edge) => `${edge.fromEntityId} ${edge.toEntityId} ${edge.relation}`);
      return [...edges.values()]
        .map((all) => {
          const { unitId: _, ...edge } = all[0]!;
          const weight = 1 - all.reduce((doubt, said) => doubt * (1 - said.weight), 1);
          return { ...edge, weight, evidence: all.map((said) => said.unitId) };
        })
        .sort(
          (a, b) =>
            a.fromEntityId - b.fromEntityId ||
            a.toEntityId - b.toEntityId ||
            (a.relation < b.relation ? -1 : 1),
        );
    });
  }

  async update(entityId: number, set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>) {
    return this.#transact((state) => {
      const entity = mustFind(state, entityId);
      Object.assign(entity, set);
      rename(entity, entity.aliases);
      return seen(state, entity);
    });
  }

  async merge(from: number, into: number): Promise<Entity> {
    return this.#transact((state) => {
      if (from === into) throw new MemoryError('INVALID_INPUT');
      const [gone, kept] = [mustFind(state, from), mustFind(state, into)];
      state.entities = state.entities.filter((entity) => entity !== gone);
      const mentions = mentionsOf(state, from);
      state.mentions = state.mentions.filter((mention) => mention.entityId !== from);
      for (const mention of mentions) keepMention(state, { ...mention, entityId: into });
      const relations = state.relations;
      state.relations = [];
      const now = (id: number) => (id === from ? into : id);
      for (const edge of relations) {
        keepRelation(state, {
          ...edge,
          fromEntityId: now(edge.fromEntityId),
          toEntityId: now(edge.toEntityId),
        });
      }
      for (const unit of state.units) {
        if (unit.kind !== 'fact' || unit.payload.objectEntityId !== from) continue;
        const content = { kind: 'fact' as const, payload: { ...unit.payload, objectEntityId: into } };
        const reason = `entity ${from} is entity ${into}`;
        this.#save(state, { type: 'update', unitId: unit.id, set: { content }, reason });
      }
      kept.salience ??= gone.salience;
      rename(kept, [...kept.aliases, ...namesOf(gone)]);
      return seen(state, kept);
    });
  }
}

/** Replaces the mentions of a unit. */
export function setMentions(
  state: State,
  unitId: number,
  mentions: readonly EntityMention[],
  relations: NonNullable<DerivationResult['relations']>,
): void {
  state.mentions = state.mentions.filter((mention) => mention.unitId !== unitId);
  state.relations = state.relations.filter((relation) => relation.unitId !== unitId);
  const ids = mentions.map((mention) => resolve(state, mention));
  for (const [i, { surface, confidence }] of mentions.entries()) {
    keepMention(state, { unitId, entityId: ids[i]!, surface, confidence });
  }
  for (const { from, to, relation, weight } of relations) {
    const [fromEntityId, toEntityId] = [ids[from], ids[to]];
    if (fromEntityId === undefined || toEntityId === undefined) throw new MemoryError('INVALID_INPUT');
    keepRelation(state, { fromEntityId, toEntityId, relation, weight, unitId });
  }
}

type Kept = State['entities'][number];

function resolve(state: State, mention: EntityMention): number {
  const { entityId, type, name, aliases } = mention;
  const isMeant = (entity: Kept) =>
    entity.type === type && namesOf(entity).some((other) => foldName(other) === foldName(name));
  let entity = entityId === null ? state.entities.find(isMeant) : mustFind(state, entityId);
  if (!entity) {
    entity = { id: (state.lastEntityId += 1), type, name, aliases: [], salience: null };
    state.entities.push(entity);
  }
  rename(entity, [...entity.aliases, name, ...aliases]);
  return entity.id;
}

function rename(entity: Kept, aliases: readonly string[]): void {
  const others = aliases.filter((alias) => foldName(alias) !== foldName(entity.name));
  entity.aliases = others.filter(
    (alias, i) => others.findIndex((other) => foldName(other) === foldName(alias)) === i,
  );
}

function keepMention(state: State, mention: UnitEntity): void {
  const { unitId, entityId } = mention;
  const at = state.mentions.findIndex((other) => other.unitId === unitId && other.entityId === entityId);
  if (at < 0) state.mentions.push(mention);
  else if (mention.confidence > state.mentions[at]!.confidence) state.mentions[at] = mention;
}

function keepRelation({ relations }: State, said: State['relations'][number]): void {
  if (said.fromEntityId === said.toEntityId) return;
  const isSame = (other: typeof said) =>
    JSON.stringify({ ...other, weight: 0 }) === JSON.stringify({ ...said, weight: 0 });
  const known = relations.find(isSame);
  if (known) known.weight = Math.max(known.weight, said.weight);
  else relations.push(said);
}

function namesOf(entity: Kept): string[] {
  return [entity.name, ...entity.aliases];
}

function mentionsOf(state: State, entityId: number): UnitEntity[] {
  return state.mentions.filter((mention) => mention.entityId === entityId);
}

function seen(state: State, entity: Kept): Entity {
  const n = mentionsOf(state, entity.id).length;
  const { id, type, name, aliases, salience } = entity;
  return { id, type, name, aliases: [...aliases], salience: salience ?? n / (n + 4) };
}

function mustFind(state: State, id: number): Kept {
  const entity = state.entities.find((entity) => entity.id === id);
  if (!entity) throw new MemoryError('NOT_FOUND');
  return entity;
}
