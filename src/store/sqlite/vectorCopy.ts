import type { ScoredId, UnitFilter } from '../store.ts';
import { ARCHIVED, maxSensitivity } from './filter.ts';
import { KINDS, SCOPES } from '../../model/model.ts';
import type { Database } from './database.ts';
import { createVectorScan, type VectorScan } from './scan/scan.ts';

interface VectorRow {
  unitId: number;
  embedding: Uint8Array;
  kind: number;
  occurredAt: number;
  state: number;
  sensitivity: number;
  scope: number;
}

const SELECT = `SELECT v.unit_id AS unitId, v.embedding, v.kind, u.occurred_at AS occurredAt, v.state, v.sensitivity, v.scope
  FROM unit_vector v CROSS JOIN unit u ON u.id = v.unit_id`;

/**
 * A copy of the vector index in this process's memory, some fifteen times as fast to search as the table. It follows
 * what any process writes by reading on in `vector_change`.
 */
export class VectorCopy {
  readonly #db: Database;
  #scan: VectorScan | null = null;
  /** Id and dimensions of what is copied. */
  #model = '';
  #revision = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  search(
    query: Int8Array,
    model: { id: string; dimensions: number; count: number },
    filter: UnitFilter,
    limit: number,
  ): ScoredId[] {
    return this.#current(model).search(query, scanFilter(filter), limit);
  }

  cosines(
    query: Int8Array,
    model: { id: string; dimensions: number; count: number },
    unitIds: readonly number[],
  ): Map<number, number> {
    return this.#current(model).cosines(query, unitIds);
  }

  /** The copy, brought up to date. */
  #current(model: { id: string; dimensions: number; count: number }): VectorScan {
    const wanted = `${model.id} ${model.dimensions}`;
    if (this.#scan && this.#model === wanted) {
      this.#follow(this.#scan);
      if (this.#scan.count === model.count) return this.#scan;
    }
    this.#model = wanted;
    this.#scan = this.#load(model.dimensions);
    return this.#scan;
  }

  #load(dimensions: number): VectorScan {
    const scan = createVectorScan(dimensions);
    this.#revision = this.#lastRevision();
    for (const row of this.#db.iterate<VectorRow>(SELECT)) put(scan, row);
    return scan;
  }

  #follow(scan: VectorScan): void {
    const changed = this.#db.all<{ revision: number; unitId: number }>(
      'SELECT revision, unit_id AS unitId FROM vector_change WHERE revision > ? ORDER BY revision',
      this.#revision,
    );
    for (const { revision, unitId } of changed) {
      const row = this.#db.get<VectorRow>(`${SELECT} WHERE v.unit_id = ?`, BigInt(unitId));
      if (row) put(scan, row);
      else scan.remove(unitId);
      this.#revision = revision;
    }
  }

  #lastRevision(): number {
    return (
      this.#db.get<{ last: number | null }>('SELECT max(revision) AS last FROM vector_change')?.last ?? 0
    );
  }
}

function put(scan: VectorScan, row: VectorRow): void {
  const vector = new Int8Array(row.embedding.buffer, row.embedding.byteOffset, row.embedding.byteLength);
  scan.put(row.unitId, vector, row);
}

function scanFilter(filter: UnitFilter) {
  return {
    ...(filter.kinds && { kinds: filter.kinds.map((kind) => KINDS.indexOf(kind)) }),
    ...(filter.from !== undefined && { from: filter.from }),
    ...(filter.to !== undefined && { to: filter.to }),
    ...(filter.scope && { scope: SCOPES.indexOf(filter.scope) }),
    ...(!filter.withArchived && filter.asOf === undefined && { maxState: ARCHIVED - 1 }),
    maxSensitivity: maxSensitivity(filter),
  };
}
