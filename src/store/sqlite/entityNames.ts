import { openEntity, placesOf } from '../rows/rows.ts';
import type { Database } from './database.ts';

/** The two indexes of entity names. Callers hold the transaction. */
export class EntityNames {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Replaces the index entries of an entity. */
  index(entityId: number, names: readonly string[]): void {
    this.remove(entityId);
    const { folded, keys } = placesOf(names);
    for (const name of folded)
      this.#db.run('INSERT INTO entity_alias VALUES (?, ?)', this.#hashed(name), entityId);
    for (const key of keys) this.#db.run('INSERT INTO entity_key VALUES (?, ?)', this.#hashed(key), entityId);
  }

  remove(entityId: number): void {
    this.#db.run('DELETE FROM entity_alias WHERE entity_id = ?', entityId);
    this.#db.run('DELETE FROM entity_key WHERE entity_id = ?', entityId);
  }

  /** Rebuilds both indexes. */
  reindex(): void {
    this.#db.exec('DELETE FROM entity_alias; DELETE FROM entity_key;');
    for (const { id, names } of this.#all()) this.index(id, names);
  }

  /** Entities whose index entries do not match their names, at most `most`. */
  misindexed(most: number): number[] {
    const wrong: number[] = [];
    for (const { id, names } of this.#all()) {
      const { folded, keys } = placesOf(names);
      const isRight =
        isSame(
          this.#allHashed(folded),
          this.#kept('SELECT folded AS place FROM entity_alias WHERE entity_id = ?', id),
        ) &&
        isSame(
          this.#allHashed(keys),
          this.#kept('SELECT key AS place FROM entity_key WHERE entity_id = ?', id),
        );
      if (!isRight) wrong.push(id);
      if (wrong.length === most) break;
    }
    return wrong;
  }

  #all(): { id: number; names: string[] }[] {
    return this.#db
      .all<{ id: number; name: string; aliases: string }>('SELECT id, name, aliases FROM entity')
      .map((row) => openEntity(this.#db.keys, row))
      .map(({ id, name, aliases }) => ({ id, names: [name, ...(JSON.parse(aliases) as string[])] }));
  }

  /** The stored form of a folded name or a key. */
  #hashed(place: string): string {
    return this.#db.keys.hashTerm(place);
  }

  #allHashed(places: ReadonlySet<string>): Set<string> {
    return new Set([...places].map((place) => this.#hashed(place)));
  }

  #kept(sql: string, entityId: number): string[] {
    return this.#db.all<{ place: string }>(sql, entityId).map((row) => row.place);
  }
}

function isSame(expected: ReadonlySet<string>, kept: readonly string[]): boolean {
  return expected.size === kept.length && kept.every((place) => expected.has(place));
}
