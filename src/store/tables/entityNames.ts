import { openEntity, placesOf, readAliases } from '../rows/rows.ts';
import { forEachPageById, type IdRange } from './pageById.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

const IN_RANGE = 'entity_id > ? AND entity_id <= ?';

interface NamedEntity {
  readonly id: number;
  readonly names: string[];
}

/** The two indexes of entity names. Callers hold the transaction. */
export class EntityNames {
  readonly #tx: Sql;

  constructor(tx: Sql) {
    this.#tx = tx;
  }

  /** Replaces the index entries of an entity. */
  *index(entityId: number, names: readonly string[]): Steps<void> {
    yield* this.remove(entityId);
    const { folded, keys } = this.#places(names);
    const alias = { folded: 'text', entity_id: 'bigint' } as const;
    yield* this.#tx.insert(
      'entity_alias',
      alias,
      [...folded].map((name) => [name, entityId]),
    );
    yield* this.#tx.insert(
      'entity_key',
      { key: 'text', entity_id: 'bigint' },
      [...keys].map((key) => [key, entityId]),
    );
  }

  *remove(entityId: number): Steps<void> {
    yield* this.#tx.run('DELETE FROM entity_alias WHERE memory_id = $1 AND entity_id = ?', entityId);
    yield* this.#tx.run('DELETE FROM entity_key WHERE memory_id = $1 AND entity_id = ?', entityId);
  }

  /** Rebuilds both indexes. */
  *reindex(): Steps<void> {
    yield* this.#tx.run('DELETE FROM entity_alias WHERE memory_id = $1');
    yield* this.#tx.run('DELETE FROM entity_key WHERE memory_id = $1');
    const index = this.index.bind(this);
    yield* this.#forEachPage(function* (entities) {
      for (const { id, names } of entities) yield* index(id, names);
    });
  }

  /** Entities whose index entries do not match their names, at most `max`. */
  *misindexed(max: number): Steps<number[]> {
    const wrong: number[] = [];
    const misindexedAmong = this.#misindexedAmong.bind(this);
    yield* this.#forEachPage(function* (entities, range) {
      if (wrong.length < max) wrong.push(...(yield* misindexedAmong(entities, range)));
    });
    return wrong.slice(0, max);
  }

  /** How folded names and keys are kept. */
  #places(names: readonly string[]): { folded: Set<string>; keys: Set<string> } {
    const { folded, keys } = placesOf(names);
    const hashed = (places: ReadonlySet<string>) =>
      new Set([...places].map((place) => this.#tx.keys.hashTerm(place)));
    return { folded: hashed(folded), keys: hashed(keys) };
  }

  *#misindexedAmong(entities: readonly NamedEntity[], range: IdRange): Steps<number[]> {
    const aliases = yield* this.#kept(
      `SELECT entity_id AS id, folded AS place FROM entity_alias WHERE memory_id = $1 AND ${IN_RANGE}`,
      range,
    );
    const keyed = yield* this.#kept(
      `SELECT entity_id AS id, key AS place FROM entity_key WHERE memory_id = $1 AND ${IN_RANGE}`,
      range,
    );
    const wrong = entities.filter(({ id, names }) => {
      const { folded, keys } = this.#places(names);
      return !isSame(folded, aliases.get(id) ?? []) || !isSame(keys, keyed.get(id) ?? []);
    });
    return wrong.map(({ id }) => id);
  }

  *#forEachPage(body: (entities: readonly NamedEntity[], range: IdRange) => Steps<unknown>): Steps<void> {
    const select = 'SELECT id, name, aliases FROM entity WHERE memory_id = $1';
    const { keys } = this.#tx;
    type EntityRow = { id: number; name: string; aliases: string };
    yield* forEachPageById<EntityRow>(this.#tx, select, function* (rows, range) {
      const opened = rows.map((row) => openEntity(keys, row));
      const entities = opened.map((row) => ({ id: row.id, names: [row.name, ...readAliases(row)] }));
      yield* body(entities, range);
    });
  }

  *#kept(sql: string, { after, to }: IdRange): Steps<Map<number, string[]>> {
    const places = new Map<number, string[]>();
    for (const { id, place } of yield* this.#tx.all<{ id: number; place: string }>(sql, after, to)) {
      if (!places.has(id)) places.set(id, []);
      places.get(id)?.push(place);
    }
    return places;
  }
}

function isSame(expected: ReadonlySet<string>, kept: readonly string[]): boolean {
  return expected.size === kept.length && kept.every((place) => expected.has(place));
}
