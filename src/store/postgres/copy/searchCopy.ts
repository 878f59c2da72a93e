import { setImmediate as pause } from 'node:timers/promises';
import { FACT, mismatch } from '../../rows/rows.ts';
import { createVectorScan, type VectorScan } from '../../scan/scan.ts';
import type { Adjacent, ScoredId, UnitFilter, VectorModel } from '../../store.ts';
import { dequantize, quantize } from '../../../vectors/vectors.ts';
import type { Session } from '../session.ts';
import type { Copy, CopySize, CopySource } from './types.ts';
import { integersOfHalves } from './numbers.ts';
import { PostingLists } from './postingLists.ts';
import { UnitColumns, type UnitFields } from './unitColumns.ts';

/** Units that are read at a time, without other work between. */
const PAGE_SIZE = 500;
/** The most changed units that are read while a recall waits. */
const MAX_CHANGES = 2_000;

/** The memory as a transaction sees it. */
interface State {
  readonly revision: number;
  readonly lastUnitId: number;
  /** Units in the text index. */
  readonly documents: number;
  /** By Citus, which does not send the revision of a write to the servers that have the rows. */
  readonly isDistributed: boolean;
  /** The vectors that serve; null: none. */
  readonly setId: number | null;
  readonly model: string | null;
  readonly dimensions: number | null;
  readonly vectors: number | null;
}

interface UnitRow extends UnitFields {
  /** Number of terms; null: the unit is not in the text index. */
  readonly length: number | null;
  readonly vector: Uint8Array | null;
}

interface Loading {
  /** Whether there is room for so many bytes. */
  readonly hasRoom: (bytes: number) => boolean;
  readonly isWanted: () => boolean;
}

/** Of a unit without its vector, about: fields, entries in maps, and its share of the lists. */
const UNIT_BYTES = 250;

/**
 * What searches in a large memory read: fields of the units, vectors, and the lists of terms that were searched for. It contains
 * no words. It follows the changes of all processes by their revisions.
 */
export class SearchCopy implements Copy {
  readonly #memory: CopySource;
  readonly #columns = new UnitColumns();
  readonly #lists = new PostingLists();
  readonly #scan: VectorScan | null;
  /** What it is a copy of. */
  #state: State;

  private constructor(memory: CopySource, state: State) {
    this.#memory = memory;
    this.#state = state;
    this.#scan = state.dimensions === null ? null : createVectorScan(state.dimensions);
  }

  /** Reads all, in small parts; takes seconds. Null without room, when too much changed meanwhile, or when it is not wanted. */
  static async load(memory: CopySource, { hasRoom, isWanted }: Loading): Promise<SearchCopy | null> {
    const state = await memory.read((_, tx) => readState(tx));
    const { lastUnitId, dimensions } = state;
    if (state.isDistributed) return null;
    // A vector takes an eighth more for its code.
    if (!hasRoom(lastUnitId * (UNIT_BYTES + 1.125 * (dimensions ?? 0)))) return null;
    const copy = new SearchCopy(memory, state);
    for (let first = 1; first <= lastUnitId; first += PAGE_SIZE) {
      const ids = Array.from({ length: Math.min(PAGE_SIZE, lastUnitId + 1 - first) }, (_, i) => first + i);
      await memory.ask((_, session) => copy.#put(session, ids));
      await pause();
      if (!isWanted()) return null;
    }
    await memory.ask((_, session) => copy.#lists.readAhead(session, pause));
    return (await copy.follow()) ? copy : null;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get size(): CopySize {
    const arrays = this.#columns.arrayBytes + this.#lists.bytes + (this.#scan?.bytes ?? 0);
    const others = this.#columns.bytes - this.#columns.arrayBytes;
    const rows = ENTRY_BYTES * (this.#scan?.count ?? 0);
    return { bytes: arrays + others + rows, arrayBytes: arrays };
  }

  /** Reads what was changed since the last time. False when it is not a copy any more and must be made anew. */
  async follow(): Promise<boolean> {
    return this.#memory.read(async (_, tx) => {
      const state = await readState(tx);
      if (state.setId !== this.#state.setId) return false;
      const changed = await readChanged(tx, this.#state);
      if (changed.length > MAX_CHANGES) return false;
      const known = this.#state.lastUnitId;
      const isOld = ({ id, isReworded }: Changed) => isReworded && id <= known;
      if (changed.some(isOld)) this.#lists.clear();
      const ids = changed.map(({ id }) => id);
      for (let at = 0; at < ids.length; at += PAGE_SIZE) await this.#put(tx, ids.slice(at, at + PAGE_SIZE));
      await this.#lists.append(
        tx,
        ids.filter((id) => id > known),
      );
      this.#state = state;
      // What was deleted is not among the changes.
      return this.#lists.documents === state.documents && (this.#scan?.count ?? 0) === (state.vectors ?? 0);
    });
  }

  model(): VectorModel | null {
    const { model, dimensions, vectors } = this.#state;
    return model === null || dimensions === null || !vectors
      ? null
      : { id: model, dimensions, count: vectors };
  }

  filter(unitIds: readonly number[], filter: UnitFilter): number[] | undefined {
    const passes = this.#columns.passing(filter);
    return passes ? unitIds.filter((id) => this.#columns.has(id) && passes(id)) : undefined;
  }

  adjacent(unitIds: readonly number[], filter: UnitFilter, reach: number): Adjacent[] | undefined {
    const passes = this.#columns.passing(filter);
    return passes ? this.#columns.adjacent(unitIds, passes, reach) : undefined;
  }

  searchText(
    terms: readonly string[],
    filter: UnitFilter,
    limit: number,
  ): Promise<ScoredId[]> | ScoredId[] | undefined {
    const passes = this.#columns.passing(filter);
    if (!passes) return undefined;
    if (limit <= 0 || terms.length === 0) return [];
    return this.#memory.ask(async ({ textIndex }, session) => {
      const { totals, wanted } = await textIndex.wanted(terms, limit);
      return this.#lists.search(session, wanted, totals, { passes, limit });
    });
  }

  searchVectors(vector: Float32Array, filter: UnitFilter, limit: number): ScoredId[] | undefined {
    const passes = this.#columns.passing(filter);
    if (!passes) return undefined;
    return limit <= 0 ? [] : (this.#scanFor(vector)?.search(quantize(vector), { passes }, limit) ?? []);
  }

  cosines(vector: Float32Array, unitIds: readonly number[]): Map<number, number> {
    return this.#scanFor(vector)?.cosines(quantize(vector), unitIds) ?? new Map();
  }

  unitVectors(unitIds: readonly number[]): Map<number, Float32Array> {
    const vectors = this.#scan?.vectors(unitIds) ?? [];
    return new Map([...vectors].map(([unitId, vector]) => [unitId, dequantize(vector)]));
  }

  /** Null without vectors. @throws MemoryError MODEL_MISMATCH for a vector of other dimensions */
  #scanFor(vector: Float32Array): VectorScan | null {
    const model = this.model();
    if (model && model.dimensions !== vector.length)
      throw mismatch({ model: model.id, dimensions: model.dimensions }, 'the query', vector.length);
    return model && this.#scan;
  }

  async #put(session: Session, unitIds: readonly number[]): Promise<void> {
    const rows = await session.all<UnitRow>(UNITS, unitIds, this.#state.setId);
    for (const row of rows) {
      this.#columns.put(row);
      this.#lists.setLength(row.id, row.length);
      if (row.vector === null) this.#scan?.remove(row.id);
      else this.#scan?.put(row.id, integersOfHalves(row.vector, this.#state.dimensions ?? 0), row);
    }
  }
}

/** Of an entry in a map of numbers, about. */
const ENTRY_BYTES = 40;

async function readState(tx: Session): Promise<State> {
  const state = await tx.get<State>(
    `SELECT (SELECT last FROM counter WHERE memory_id = $1 AND name = 'revision') AS revision,
       (SELECT last FROM counter WHERE memory_id = $1 AND name = 'unit') AS "lastUnitId",
       (SELECT coalesce(sum(documents), 0)::bigint FROM indexed WHERE memory_id = $1) AS documents,
       to_regclass('pg_dist_partition') IS NOT NULL AS "isDistributed", s.id AS "setId", s.model, s.dimensions, s.count AS vectors
     FROM (SELECT 1) o LEFT JOIN vector_set s ON s.memory_id = $1 AND s.role = 'serving'`,
  );
  return { ...state!, revision: state?.revision ?? 0, lastUnitId: state?.lastUnitId ?? 0 };
}

interface Changed {
  readonly id: number;
  readonly isReworded: boolean;
}

/** At most one more than is read at once, in ascending order. */
async function readChanged(tx: Session, { revision, setId }: State): Promise<Changed[]> {
  return tx.all<Changed>(
    `SELECT c.id, bool_or(c.is_reworded) AS "isReworded" FROM (
       SELECT id, FALSE AS is_reworded FROM unit WHERE memory_id = $1 AND revision > ?
       UNION ALL SELECT unit_id, TRUE FROM unit_text WHERE memory_id = $1 AND revision > ?
       UNION ALL SELECT unit_id, FALSE FROM unit_vector WHERE memory_id = $1 AND set_id = ? AND revision > ?) c
     GROUP BY c.id ORDER BY c.id LIMIT ${MAX_CHANGES + 1}`,
    revision,
    revision,
    setId,
    revision,
  );
}

const UNITS = `SELECT u.id, u.kind, u.turn_id AS "turnId", u.conversation_id AS "conversationId",
    u.turn_index AS "turnIndex", u.occurred_at AS "occurredAt", u.state, u.sensitivity, u.scope, u.pinned,
    u.expires_at AS "expiresAt", CASE WHEN u.kind = ${FACT} THEN (u.payload ->> 'validFrom')::float8 END AS "validFrom",
    CASE WHEN u.kind = ${FACT} THEN (u.payload ->> 'validTo')::float8 END AS "validTo",
    x.length, halfvec_send(v.embedding) AS vector
  FROM unnest(?::bigint[]) j (id) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  LEFT JOIN unit_text x ON x.memory_id = $1 AND x.unit_id = u.id
  LEFT JOIN unit_vector v ON v.memory_id = $1 AND v.set_id = ? AND v.unit_id = u.id`;
