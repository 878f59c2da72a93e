import type { ScoredId, UnitFilter } from '../store.ts';
import { KINDS, SCOPES } from '../../model/model.ts';
import type { Database } from './database.ts';
import { createVectorScan, type VectorScan } from '../scan/scan.ts';
import type { VectorSet } from '../tables/tables.ts';
import { int8Of, type SqliteVectorStorage } from './vectorStorage.ts';
import { ARCHIVED, leavesOutArchived, maxSensitivity } from '../rows/rows.ts';

interface VectorRow {
  unitId: number;
  embedding: Uint8Array;
  kind: number;
  occurredAt: number;
  state: number;
  sensitivity: number;
  scope: number;
}

function select(table: string): string {
  return `SELECT v.unit_id AS unitId, v.embedding, v.kind, u.occurred_at AS occurredAt, v.state, v.sensitivity, v.scope
    FROM ${table} v CROSS JOIN unit u ON u.id = v.unit_id`;
}

/**
 * A copy of the vector index in this process's memory, some fifteen times as fast to search as the table. It
 * follows changes of all processes by reading `vector_change`.
 */
export class VectorCopy {
  readonly #db: Database;
  readonly #storage: SqliteVectorStorage;
  #scan: VectorScan | null = null;
  /** Id of the set that is copied. */
  #setId = 0;
  #revision = 0;

  constructor(db: Database, storage: SqliteVectorStorage) {
    this.#db = db;
    this.#storage = storage;
  }

  /** Whether this set is copied. */
  isOf(set: VectorSet): boolean {
    return this.#scan !== null && this.#setId === set.id;
  }

  search(query: Int8Array, set: VectorSet, filter: UnitFilter, limit: number): ScoredId[] {
    return this.#current(set).search(query, scanFilter(filter), limit);
  }

  cosines(query: Int8Array, set: VectorSet, unitIds: readonly number[]): Map<number, number> {
    return this.#current(set).cosines(query, unitIds);
  }

  /** The vectors of these units that have one. */
  vectors(set: VectorSet, unitIds: readonly number[]): Map<number, Int8Array> {
    return this.#current(set).vectors(unitIds);
  }

  /** The copy, brought up to date. */
  #current(set: VectorSet): VectorScan {
    if (this.#scan && this.isOf(set)) {
      this.#follow(this.#scan, set);
      if (this.#scan.count === set.count) return this.#scan;
    }
    this.#setId = set.id;
    this.#scan = this.#load(set);
    return this.#scan;
  }

  #load(set: VectorSet): VectorScan {
    const scan = createVectorScan(set.dimensions);
    this.#revision = this.#lastRevision();
    for (const row of this.#db.iterate<VectorRow>(select(this.#storage.tableOf(set)))) put(scan, row);
    return scan;
  }

  #follow(scan: VectorScan, set: VectorSet): void {
    const changed = this.#db.all<{ revision: number; unitId: number }>(
      'SELECT revision, unit_id AS unitId FROM vector_change WHERE revision > ? ORDER BY revision',
      this.#revision,
    );
    const sql = `${select(this.#storage.tableOf(set))} WHERE v.unit_id = ?`;
    for (const { revision, unitId } of changed) {
      const row = this.#db.get<VectorRow>(sql, BigInt(unitId));
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
  scan.put(row.unitId, int8Of(row.embedding), row);
}

function scanFilter(filter: UnitFilter) {
  return {
    ...(filter.kinds && { kinds: filter.kinds.map((kind) => KINDS.indexOf(kind)) }),
    ...(filter.from !== undefined && { from: filter.from }),
    ...(filter.to !== undefined && { to: filter.to }),
    ...(filter.scope && { scope: SCOPES.indexOf(filter.scope) }),
    ...(leavesOutArchived(filter) && { maxState: ARCHIVED - 1 }),
    maxSensitivity: maxSensitivity(filter),
  };
}
