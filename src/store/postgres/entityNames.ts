import { openEntity, placesOf } from '../rows/rows.ts';
import type { Session } from './session.ts';

/** The two indexes by which entities are found. */
export class EntityNames {
  readonly #tx: Session;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  /** Replaces an entity's entries in the indexes. */
  async index(entityId: number, names: readonly string[]): Promise<void> {
    await this.remove(entityId);
    const { folded, keys } = this.#places(names);
    const alias = { folded: 'text', entity_id: 'bigint' } as const;
    await this.#tx.insert(
      'entity_alias',
      alias,
      [...folded].map((name) => [name, entityId]),
    );
    await this.#tx.insert(
      'entity_key',
      { key: 'text', entity_id: 'bigint' },
      [...keys].map((key) => [key, entityId]),
    );
  }

  async remove(entityId: number): Promise<void> {
    await this.#tx.run('DELETE FROM entity_alias WHERE memory_id = $1 AND entity_id = ?', entityId);
    await this.#tx.run('DELETE FROM entity_key WHERE memory_id = $1 AND entity_id = ?', entityId);
  }

  /** Rebuilds both indexes. */
  async reindex(): Promise<void> {
    await this.#tx.run('DELETE FROM entity_alias WHERE memory_id = $1');
    await this.#tx.run('DELETE FROM entity_key WHERE memory_id = $1');
    for (const { id, names } of await this.#all()) await this.index(id, names);
  }

  /** Entities whose index entries differ from their names, at most `most`. */
  async misindexed(most: number): Promise<number[]> {
    const aliases = await this.#kept(
      'SELECT entity_id AS id, folded AS place FROM entity_alias WHERE memory_id = $1',
    );
    const keyed = await this.#kept(
      'SELECT entity_id AS id, key AS place FROM entity_key WHERE memory_id = $1',
    );
    const wrong = (await this.#all()).filter(({ id, names }) => {
      const { folded, keys } = this.#places(names);
      return !isSame(folded, aliases.get(id) ?? []) || !isSame(keys, keyed.get(id) ?? []);
    });
    return wrong.slice(0, most).map(({ id }) => id);
  }

  /** The folded names and keys as they are stored. */
  #places(names: readonly string[]): { folded: Set<string>; keys: Set<string> } {
    const { folded, keys } = placesOf(names);
    const hashed = (places: ReadonlySet<string>) =>
      new Set([...places].map((place) => this.#tx.keys.hashTerm(place)));
    return { folded: hashed(folded), keys: hashed(keys) };
  }

  async #all(): Promise<{ id: number; names: string[] }[]> {
    const rows = await this.#tx.all<{ id: number; name: string; aliases: string }>(
      'SELECT id, name, aliases FROM entity WHERE memory_id = $1 ORDER BY id',
    );
    const opened = rows.map((row) => openEntity(this.#tx.keys, row));
    return opened.map(({ id, name, aliases }) => ({
      id,
      names: [name, ...(JSON.parse(aliases) as string[])],
    }));
  }

  async #kept(sql: string): Promise<Map<number, string[]>> {
    const places = new Map<number, string[]>();
    for (const { id, place } of await this.#tx.all<{ id: number; place: string }>(sql)) {
      if (!places.has(id)) places.set(id, []);
      places.get(id)?.push(place);
    }
    return places;
  }
}

function isSame(expected: ReadonlySet<string>, kept: readonly string[]): boolean {
  return expected.size === kept.length && kept.every((place) => expected.has(place));
}
