import { createHash } from 'node:crypto';
import { DAY_MS, SENSITIVITIES, type Instant } from '../../model/model.ts';
import { feelingPages } from '../pages.ts';
import type { Store, UnitFilter } from '../store.ts';
import type { MemoryPoints, Point } from './points.ts';

const PAGE = 1_000;
const ALL: UnitFilter = { withArchived: true, maxSensitivity: SENSITIVITIES.at(-1) ?? 'secret' };

/** Units whose points are not what they must be. */
export interface Differences {
  /** Of which Qdrant has no point. */
  readonly missing: readonly number[];
  /** Of which it has another vector or day. */
  readonly stale: readonly number[];
  /** Which do not exist, or have no vector. */
  readonly orphans: readonly number[];
}

/** Keeps Qdrant's points of a memory equal to the vectors in its store. */
export class PointMirror {
  readonly #store: Store;
  readonly #points: MemoryPoints;

  constructor(store: Store, points: MemoryPoints) {
    this.#store = store;
    this.#points = points;
  }

  /** Brings the points of these units into line. */
  async follow(unitIds: readonly number[]): Promise<void> {
    const { vectors } = this.#store.indexes;
    for (const ids of chunks(unitIds)) {
      const model = await vectors.model();
      if (model) await this.#points.put(this.#points.collectionOf(model), await this.#wanted(ids));
      // They may have been forgotten meanwhile.
      const kept = await vectors.get(ids);
      await this.#points.remove(ids.filter((id) => !kept.has(id)));
    }
  }

  /** Whether there are as many points as vectors. */
  async isComplete(): Promise<boolean> {
    const model = await this.#store.indexes.vectors.model();
    return !model || (await this.#points.count(this.#points.collectionOf(model))) === model.count;
  }

  /** Compares every point. */
  async compare(): Promise<Differences> {
    const compared = await Array.fromAsync(this.#compared());
    const orphans = await Array.fromAsync(this.#orphans());
    return {
      missing: compared.flatMap(({ missing }) => missing),
      stale: compared.flatMap(({ stale }) => stale),
      orphans: await this.#unknown(orphans.flatMap(({ unitIds }) => unitIds)),
    };
  }

  /**
   * Makes what is missing or stale again from the store's vectors, and takes away what does not belong.
   * @param signal ends it early
   */
  async repair(signal?: AbortSignal): Promise<void> {
    for await (const { missing, stale } of this.#compared()) {
      if (signal?.aborted) return;
      await this.follow([...missing, ...stale]);
    }
    for await (const { collection, unitIds } of this.#orphans()) {
      if (signal?.aborted) return;
      if (collection === (await this.#collection())) await this.#points.remove(unitIds);
      else await this.#points.clear(collection);
    }
  }

  async #collection(): Promise<string | null> {
    const model = await this.#store.indexes.vectors.model();
    return model && this.#points.collectionOf(model);
  }

  /** The points that these units must have, with their vectors. */
  async #wanted(unitIds: readonly number[]): Promise<(Point & { vector: Float32Array })[]> {
    const stored = await this.#store.indexes.vectors.get(unitIds);
    const units = await this.#store.units.get([...stored.keys()]);
    return units.flatMap(({ id, occurredAt }) => {
      const vector = stored.get(id);
      return vector ? [{ unitId: id, day: dayOf(occurredAt), digest: digestOf(vector), vector }] : [];
    });
  }

  async *#compared(): AsyncGenerator<{ missing: number[]; stale: number[] }> {
    const collection = await this.#collection();
    if (collection === null) return;
    for await (const units of feelingPages(this.#store, ALL, { limit: PAGE })) {
      const unitIds = units.map(({ unitId }) => unitId);
      const stored = await this.#store.indexes.vectors.get(unitIds);
      const points = await this.#points.get(collection, [...stored.keys()]);
      const missing = [...stored.keys()].filter((id) => !points.has(id));
      const stale = units.flatMap(({ unitId, occurredAt }) => {
        const [point, vector] = [points.get(unitId), stored.get(unitId)];
        const isSame = point?.day === dayOf(occurredAt) && vector && point.digest === digestOf(vector);
        return point && !isSame ? [unitId] : [];
      });
      yield { missing, stale };
    }
  }

  /** Points without a vector in the store, and all of other models. */
  async *#orphans(): AsyncGenerator<{ collection: string; unitIds: number[] }> {
    const current = await this.#collection();
    for (const collection of await this.#points.collections()) {
      for await (const page of this.#points.pages(collection)) {
        const unitIds = page.map(({ unitId }) => unitId);
        const stored = collection === current ? await this.#store.indexes.vectors.get(unitIds) : new Map();
        const orphans = unitIds.filter((id) => !stored.has(id));
        if (orphans.length > 0) yield { collection, unitIds: orphans };
      }
    }
  }

  /** Those that are no units: a unit whose words changed waits for its next vector, and is not found meanwhile. */
  async #unknown(unitIds: readonly number[]): Promise<number[]> {
    const unknown: number[] = [];
    for (const ids of chunks(unitIds)) {
      const known = new Set(await this.#store.units.filter(ids, ALL));
      unknown.push(...ids.filter((id) => !known.has(id)));
    }
    return unknown;
  }
}

export function dayOf(at: Instant): number {
  return Math.floor(at / DAY_MS);
}

function digestOf(vector: Float32Array): string {
  return createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest('base64url')
    .slice(0, 16);
}

function* chunks(unitIds: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < unitIds.length; at += PAGE) yield unitIds.slice(at, at + PAGE);
}
