import { createHash } from 'node:crypto';
import type { Schemas } from '@qdrant/js-client-rest';
import { MemoryError } from '../../model/model.ts';
import type { QdrantAddress } from './address.ts';
import type { QdrantClient } from './client.ts';

/** A unit's vector as Qdrant has it; beside it only what is needed to filter and to compare. */
export interface Point {
  readonly unitId: number;
  /** Days since 1970, UTC. */
  readonly day: number;
  /** Of the stored vector. */
  readonly digest: string;
}

export type PointPayload = {
  memory: string;
  unit: number;
  day: number;
  digest: string;
};

export interface DayRange {
  readonly gte?: number;
  readonly lte?: number;
}

const PAGE = 1_000;
/** A request stays below Qdrant's default limit of 32 MB, whatever the dimensions. */
const MAX_POINTS = 250;

/** The points of one memory, in one collection for each embedding model. */
export class MemoryPoints {
  readonly #client: QdrantClient;
  readonly #address: QdrantAddress;
  readonly #memoryId: string;
  readonly #shard: { shard_key?: string };

  constructor(client: QdrantClient, address: QdrantAddress, memoryId: string) {
    this.#client = client;
    this.#address = address;
    this.#memoryId = memoryId;
    this.#shard = address.isSharded ? { shard_key: memoryId } : {};
  }

  collectionOf(model: { readonly id: string; readonly dimensions: number }): string {
    const name = `${model.id}_${model.dimensions}`;
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
    return `${this.#address.prefix}_${name.replace(/[^\w.-]+/g, '_').slice(0, 100)}_${digest}`;
  }

  /** Those of every model. */
  async collections(): Promise<string[]> {
    const found = await this.#client.send<Schemas['CollectionsResponse']>('GET', '/collections');
    const names = (found?.collections ?? []).map(({ name }) => name);
    return names.filter((name) => name.startsWith(`${this.#address.prefix}_`));
  }

  async put(collection: string, points: readonly (Point & { vector: Float32Array })[]): Promise<void> {
    for (let at = 0; at < points.length; at += MAX_POINTS) {
      const some = points.slice(at, at + MAX_POINTS);
      const body: Schemas['PointsList'] = {
        points: some.map((point) => this.#format(point)),
        ...this.#shard,
      };
      const path = `/collections/${collection}/points`;
      if (await this.#client.send('PUT', path, { body, isWrite: true })) continue;
      await this.#create(collection, points[0]?.vector.length ?? 0);
      await this.#client.send('PUT', path, { body, isWrite: true });
    }
  }

  /** From every collection. */
  async remove(unitIds: readonly number[]): Promise<void> {
    if (unitIds.length === 0) return;
    for (const collection of await this.collections()) {
      for (let at = 0; at < unitIds.length; at += PAGE) {
        const points = unitIds.slice(at, at + PAGE).map((unitId) => this.#pointId(unitId));
        await this.#delete(collection, { points, ...this.#shard });
      }
    }
  }

  /** All of the memory in this collection. */
  async clear(collection: string): Promise<void> {
    await this.#delete(collection, { filter: this.#filter(), ...this.#shard });
  }

  async count(collection: string): Promise<number> {
    const body: Schemas['CountRequest'] = { filter: this.#filter(), exact: true, ...this.#shard };
    const path = `/collections/${collection}/points/count`;
    return (await this.#client.send<Schemas['CountResult']>('POST', path, { body }))?.count ?? 0;
  }

  /** Ids of units, nearest first; null when there is no such collection. */
  async nearest(
    collection: string,
    vector: Float32Array,
    { days, limit }: { readonly days: DayRange; readonly limit: number },
  ): Promise<number[] | null> {
    const body: Schemas['QueryRequest'] = {
      query: [...vector],
      filter: this.#filter(days),
      limit,
      with_payload: ['unit'],
      ...this.#shard,
    };
    const path = `/collections/${collection}/points/query`;
    const found = await this.#client.send<Schemas['QueryResponse']>('POST', path, { body });
    return found && found.points.map(({ payload }) => Number(payload?.['unit']));
  }

  /** The points of these units, by unit. */
  async get(collection: string, unitIds: readonly number[]): Promise<Map<number, Point>> {
    const body: Schemas['PointRequest'] = {
      ids: unitIds.map((unitId) => this.#pointId(unitId)),
      with_payload: true,
      ...this.#shard,
    };
    const path = `/collections/${collection}/points`;
    const records = await this.#client.send<Schemas['Record'][]>('POST', path, { body });
    return new Map((records ?? []).map((record) => parsePoint(record)).map((point) => [point.unitId, point]));
  }

  /** All of the memory in this collection, a page at a time. */
  async *pages(collection: string): AsyncGenerator<Point[]> {
    const path = `/collections/${collection}/points/scroll`;
    for (let offset: Schemas['ScrollResult']['next_page_offset']; offset !== null;) {
      const body: Schemas['ScrollRequest'] = {
        filter: this.#filter(),
        limit: PAGE,
        with_payload: true,
        ...(offset !== undefined && { offset }),
        ...this.#shard,
      };
      const found = await this.#client.send<Schemas['ScrollResult']>('POST', path, { body });
      if (!found) return;
      yield found.points.map(parsePoint);
      offset = found.next_page_offset ?? null;
    }
  }

  async #delete(collection: string, body: Schemas['PointsSelector']): Promise<void> {
    await this.#client.send('POST', `/collections/${collection}/points/delete`, { body, isWrite: true });
  }

  /** Another process may do the same at the same time. */
  async #create(collection: string, dimensions: number): Promise<void> {
    const path = `/collections/${collection}`;
    const body: Schemas['CreateCollection'] = {
      vectors: { size: dimensions, distance: 'Cosine' },
      // Every search is of one memory: a graph for each memory, none for all.
      hnsw_config: { m: 0, payload_m: 16 },
      ...(this.#address.isSharded && { sharding_method: 'custom' }),
    };
    await this.#make(path, body);
    const memory: Schemas['CreateFieldIndex'] = {
      field_name: 'memory',
      field_schema: { type: 'keyword', is_tenant: true },
    };
    const day: Schemas['CreateFieldIndex'] = { field_name: 'day', field_schema: 'integer' };
    for (const index of [memory, day]) {
      await this.#client.send('PUT', `${path}/index`, { body: index, isWrite: true });
    }
    const shard: Schemas['CreateShardingKey'] = { shard_key: this.#memoryId };
    if (this.#address.isSharded) await this.#make(`${path}/shards`, shard);
  }

  /** Makes it unless it exists. */
  async #make(path: string, body: object): Promise<void> {
    try {
      await this.#client.send('PUT', path, { body });
    } catch (error) {
      if (!(error instanceof MemoryError && /already exists/i.test(error.message))) throw error;
    }
  }

  #format(point: Point & { vector: Float32Array }): Schemas['PointStruct'] {
    const { unitId, day, digest, vector } = point;
    const payload: PointPayload = { memory: this.#memoryId, unit: unitId, day, digest };
    return { id: this.#pointId(unitId), vector: [...vector], payload };
  }

  #filter(days: DayRange = {}): Schemas['Filter'] {
    const memory = { key: 'memory', match: { value: this.#memoryId } };
    return { must: Object.keys(days).length > 0 ? [memory, { key: 'day', range: days }] : [memory] };
  }

  /** A UUID (version 8) of the memory and the unit, since all memories share a collection. */
  #pointId(unitId: number): string {
    const bytes = createHash('sha256').update(`${this.#memoryId}\n${unitId}`).digest().subarray(0, 16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x80;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

function parsePoint({ payload }: Schemas['Record']): Point {
  return {
    unitId: Number(payload?.['unit']),
    day: Number(payload?.['day']),
    digest: String(payload?.['digest']),
  };
}
