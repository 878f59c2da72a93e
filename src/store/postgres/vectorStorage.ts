import { dot } from '../../vectors/vectors.ts';
import type { CountedSet, SetInfo, VectorPlace, VectorStorage } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { parseVector, vectorText } from './statement.ts';
import type { ServingSet } from './vectorSearch.ts';

const COLUMNS = {
  set_id: 'bigint',
  unit_id: 'bigint',
  kind: 'smallint',
  occurred_at: 'bigint',
  state: 'smallint',
  sensitivity: 'smallint',
  scope: 'smallint',
  dimensions: 'integer',
  squared_length: 'float8',
  embedding: 'halfvec',
} as const;

/** Ids that are read at a time. */
const PAGE_SIZE = 10_000;

/** Marks new units as missing from the set that is prepared, if there is one. */
export async function noteNewUnits(tx: Session, unitIds: readonly number[]): Promise<void> {
  await tx.run(
    `INSERT INTO vector_pending SELECT $1, n.id, 0 FROM vector_set s CROSS JOIN unnest(?::bigint[]) n (id)
     WHERE s.memory_id = $1 AND s.role = 'next' ON CONFLICT (memory_id, unit_id) DO UPDATE SET is_stale = 0`,
    unitIds,
  );
}

/** The vectors of all sets are rows of one table, with the fields of the unit by which they are filtered. */
export class PostgresVectorStorage implements VectorStorage {
  readonly #tx: Session;
  readonly #serving: ServingSet;

  constructor(tx: Session, serving: ServingSet) {
    this.#tx = tx;
    this.#serving = serving;
  }

  async prepare(dimensions: number): Promise<Record<string, never>> {
    await this.#tx.get('SELECT omoide_index_vectors(?::integer) WHERE $1::integer IS NOT NULL', dimensions);
    return {};
  }

  async clear(set: SetInfo): Promise<void> {
    await this.#tx.run('DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ?', set.id);
  }

  async stored(set: SetInfo, unitIds: readonly number[]): Promise<Map<number, Int8Array>> {
    const rows = await this.#tx.all<{ id: number; embedding: string }>(
      `SELECT unit_id AS id, embedding::text FROM unit_vector
       WHERE memory_id = $1 AND set_id = ? AND unit_id = ANY (?::bigint[])`,
      set.id,
      unitIds,
    );
    return new Map(rows.map(({ id, embedding }) => [id, parseVector(embedding)]));
  }

  async insert(
    set: SetInfo,
    vectors: readonly { readonly place: VectorPlace; readonly vector: Int8Array }[],
  ): Promise<void> {
    const rows = vectors.map(({ place, vector }) => {
      const { id, kind, occurred_at, state, sensitivity, scope } = place;
      const filters = [kind, occurred_at, state, sensitivity, scope];
      return [set.id, id, ...filters, set.dimensions, dot(vector, vector), vectorText(vector)];
    });
    await this.#tx.insert('unit_vector', COLUMNS, rows);
  }

  async delete(set: SetInfo, unitIds: readonly number[]): Promise<Int8Array[]> {
    const rows = await this.#tx.all<{ embedding: string }>(
      `DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ? AND unit_id = ANY (?::bigint[])
       RETURNING embedding::text`,
      set.id,
      unitIds,
    );
    return rows.map(({ embedding }) => parseVector(embedding));
  }

  async refresh(
    set: SetInfo,
    { id, state, sensitivity, scope }: Omit<VectorPlace, 'kind' | 'occurred_at'>,
  ): Promise<void> {
    await this.#tx.run(
      `UPDATE unit_vector SET state = ?, sensitivity = ?, scope = ? WHERE memory_id = $1 AND set_id = ? AND unit_id = ?`,
      state,
      sensitivity,
      scope,
      set.id,
      id,
    );
  }

  /** In pages: as rows they would take many times the memory. */
  async unitIds(set: SetInfo): Promise<number[]> {
    const sql = `SELECT unit_id AS id FROM unit_vector WHERE memory_id = $1 AND set_id = ? AND unit_id > ?
      ORDER BY unit_id LIMIT ${PAGE_SIZE}`;
    const ids: number[] = [];
    for (let after = Number.MIN_SAFE_INTEGER; ;) {
      const rows = await this.#tx.all<{ id: number }>(sql, set.id, after);
      for (const { id } of rows) ids.push(id);
      if (rows.length < PAGE_SIZE) return ids;
      after = rows.at(-1)?.id ?? after;
    }
  }

  noteServing(set: CountedSet | null): void {
    this.#serving.seen = set;
  }

  async disagreeing(set: SetInfo): Promise<number[]> {
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT v.unit_id AS id FROM unit_vector v LEFT JOIN unit u ON u.memory_id = $1 AND u.id = v.unit_id
       WHERE v.memory_id = $1 AND v.set_id = ? AND (u.id IS NULL OR u.kind <> v.kind OR u.state <> v.state
         OR u.sensitivity <> v.sensitivity OR u.scope <> v.scope OR u.occurred_at <> v.occurred_at)`,
      set.id,
    );
    return rows.map((row) => row.id);
  }
}
