import type { Edge, Entity, UnitEntity } from '../model/model.ts';

/**
 * People, places and things that units mention, and their relations. The salience of an entity is n / (n + 4) for n
 * units that mention it, unless it was set. The weight of an edge is 1 − Π (1 − w) over the weights of its units.
 */
export interface EntityTable {
  /** Entities by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Entity[]>;
  /** For each key (`nameKeys` of `text`) the entities with that key, lowest id first; keys without any are left out. */
  find(keys: readonly string[]): Promise<Map<string, Entity[]>>;
  /** The most mentioned first; `query` is searched in names and aliases. */
  list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]>;
  /** Units that mention the entity, newest first. */
  mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]>;
  ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]>;
  edgesOf(entityId: number): Promise<Edge[]>;
  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Promise<Entity>;
  /**
   * Merges two entities that are the same: names, mentions, edges and facts of `from` go to `into`.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT when they are the same
   */
  merge(from: number, into: number): Promise<Entity>;
}
