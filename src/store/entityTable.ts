import type { Edge, Entity, UnitEntity } from '../model/model.ts';

/**
 * People, places and things that units speak of, and how they relate. The salience of an entity is n / (n + 4) where n
 * units speak of it, unless it was set. The weight of an edge is 1 − Π (1 − w) over what each of its units says.
 */
export interface EntityTable {
  /** Entities by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Entity[]>;
  /** For each key (`nameKeys` of `text`) the entities one of whose names has it, lowest id first; others are left out. */
  find(keys: readonly string[]): Promise<Map<string, Entity[]>>;
  /** The most spoken of first; `query` is looked for in names and aliases. */
  list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]>;
  /** Units that speak of the entity, newest first. */
  mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]>;
  ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]>;
  edgesOf(entityId: number): Promise<Edge[]>;
  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Promise<Entity>;
  /**
   * Two that turned out to be one: names, mentions, edges and the facts about it go to `into`.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT when they are the same
   */
  merge(from: number, into: number): Promise<Entity>;
}
