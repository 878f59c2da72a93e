/**
 * A partial implementation of Qdrant's HTTP API: checks each request, stores points, filters them and ranks them by
 * cosine. Unlike Qdrant, every search is exact, and nothing is stored on disk.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schemas } from '@qdrant/js-client-rest';
import type { z } from 'zod';
import { dot, norm } from '../../src/vectors/vectors.ts';
import * as requests from './requests.ts';

interface KeptPoint {
  readonly vector: number[];
  readonly payload: Record<string, string | number>;
  readonly shardKey: string | undefined;
}

interface Collection {
  readonly made: z.infer<typeof requests.createCollection>;
  readonly indexes: Map<string, z.infer<typeof requests.createFieldIndex>['field_schema']>;
  readonly shardKeys: Set<string>;
  readonly points: Map<string, KeptPoint>;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class QdrantStandIn {
  readonly collections = new Map<string, Collection>();
  /** Method and path of each request. */
  readonly log: string[] = [];
  /** Reasons why requests were invalid. */
  readonly #faults: string[] = [];
  apiKey: string | null = null;
  #server: Server | null = null;
  #port = 0;

  /** Starts on the same port as before. */
  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { status, body } = this.#answer(
          request.method ?? '',
          request.url ?? '',
          Buffer.concat(parts).toString(),
          request.headers['api-key'],
        );
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** @throws Error when a request was invalid */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    if (this.#faults.length > 0) throw new Error(`Not requests of Qdrant: ${this.#faults.join('; ')}`);
  }

  url(rest = ''): string {
    return `qdrant://127.0.0.1:${this.#port}${rest}`;
  }

  /** The points of all collections. */
  points(): KeptPoint[] {
    return [...this.collections.values()].flatMap(({ points }) => [...points.values()]);
  }

  /** Changes or removes (undefined) the points of a unit without Omoide's knowledge. */
  spoil(unitId: number, change: (point: KeptPoint) => KeptPoint | undefined): void {
    for (const { points } of this.collections.values()) {
      for (const [id, point] of points) {
        if (point.payload['unit'] !== unitId) continue;
        const changed = change(point);
        if (changed) points.set(id, changed);
        else points.delete(id);
      }
    }
  }

  #answer(method: string, url: string, body: string, key: unknown): { status: number; body: object } {
    const { pathname } = new URL(url, 'http://localhost');
    this.log.push(`${method} ${pathname}`);
    try {
      if (this.apiKey !== null && key !== this.apiKey) throw new Refusal(401, 'Invalid API key or JWT');
      const result = this.#route(method, pathname, body === '' ? undefined : (JSON.parse(body) as unknown));
      return { status: 200, body: { result, status: 'ok', time: 0.001 } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { status: { error: error.message }, time: 0.001 } };
    }
  }

  #route(method: string, pathname: string, body: unknown): unknown {
    const [, root, name = '', ...rest] = pathname.split('/').map(decodeURIComponent);
    const action = `${method} ${rest.join('/')}`;
    if (root !== 'collections') throw new Refusal(404, 'Not found');
    if (name === '') return this.#list();
    if (action === 'PUT ') return this.#create(name, this.#parse(requests.createCollection, body));
    const collection = this.collections.get(name);
    if (!collection) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
    switch (action) {
      case 'PUT index':
        return index(collection, this.#parse(requests.createFieldIndex, body));
      case 'PUT shards':
        return addShard(collection, this.#parse(requests.createShardKey, body).shard_key);
      case 'PUT points':
        return upsert(collection, this.#parse(requests.upsert, body));
      case 'POST points':
        return get(collection, this.#parse(requests.getPoints, body));
      case 'POST points/delete':
        return remove(collection, this.#parse(requests.deletePoints, body));
      case 'POST points/count':
        return count(collection, this.#parse(requests.countPoints, body));
      case 'POST points/query':
        return query(collection, this.#parse(requests.queryPoints, body));
      case 'POST points/scroll':
        return scroll(collection, this.#parse(requests.scrollPoints, body));
      default:
        throw new Refusal(404, 'Not found');
    }
  }

  #parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    this.#faults.push(parsed.error.message);
    throw new Refusal(400, `Format error in JSON body: ${parsed.error.message}`);
  }

  #list(): Schemas['CollectionsResponse'] {
    return { collections: [...this.collections.keys()].map((name) => ({ name })) };
  }

  #create(name: string, made: Collection['made']): boolean {
    if (this.collections.has(name)) {
      throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    }
    this.collections.set(name, { made, indexes: new Map(), shardKeys: new Set(), points: new Map() });
    return true;
  }
}

const COMPLETED: Schemas['UpdateResult'] = { operation_id: 1, status: 'completed' };

function index(
  { indexes }: Collection,
  { field_name, field_schema }: z.infer<typeof requests.createFieldIndex>,
): Schemas['UpdateResult'] {
  indexes.set(field_name, field_schema);
  return COMPLETED;
}

function addShard({ made, shardKeys }: Collection, shardKey: string): boolean {
  if (made.sharding_method !== 'custom') throw new Refusal(400, 'Bad request: sharding method is not custom');
  if (shardKeys.has(shardKey)) throw new Refusal(400, `Bad request: Sharding key ${shardKey} already exists`);
  shardKeys.add(shardKey);
  return true;
}

/** With custom sharding each request names an existing shard key, without it none. */
function checkShard({ made, shardKeys }: Collection, shardKey: string | undefined): void {
  const isCustom = made.sharding_method === 'custom';
  if (isCustom && shardKey === undefined) throw new Refusal(400, 'Bad request: Shard key not specified');
  if (shardKey !== undefined && !shardKeys.has(shardKey)) {
    throw new Refusal(404, `Not found: Shard key ${shardKey} not found`);
  }
}

function upsert(collection: Collection, body: z.infer<typeof requests.upsert>): Schemas['UpdateResult'] {
  checkShard(collection, body.shard_key);
  const { size } = collection.made.vectors;
  for (const { vector } of body.points) {
    if (vector.length === size) continue;
    throw new Refusal(
      400,
      `Wrong input: Vector dimension error: expected dim: ${size}, got ${vector.length}`,
    );
  }
  for (const { id, vector, payload } of body.points) {
    collection.points.set(String(id), { vector, payload, shardKey: body.shard_key });
  }
  return COMPLETED;
}

function get(collection: Collection, body: z.infer<typeof requests.getPoints>): Schemas['Record'][] {
  checkShard(collection, body.shard_key);
  return body.ids.flatMap((id) => {
    const point = collection.points.get(String(id));
    return point ? [{ id, payload: point.payload }] : [];
  });
}

function remove(
  collection: Collection,
  body: z.infer<typeof requests.deletePoints>,
): Schemas['UpdateResult'] {
  checkShard(collection, body.shard_key);
  const ids = 'points' in body ? body.points : passing(collection, body).map(([id]) => id);
  for (const id of ids) collection.points.delete(String(id));
  return COMPLETED;
}

function count(collection: Collection, body: z.infer<typeof requests.countPoints>): Schemas['CountResult'] {
  return { count: passing(collection, body).length };
}

function query(collection: Collection, body: z.infer<typeof requests.queryPoints>): Schemas['QueryResponse'] {
  const scored = passing(collection, body).map(([id, { vector, payload }]) => ({
    id,
    version: 1,
    score: cosine(Float32Array.from(vector), Float32Array.from(body.query)),
    payload: Object.fromEntries(body.with_payload.map((name) => [name, payload[name]])),
  }));
  return { points: scored.sort((a, b) => b.score - a.score).slice(0, body.limit) };
}

function cosine(a: Float32Array, b: Float32Array): number {
  return dot(a, b) / (norm(a) * norm(b) || 1);
}

function scroll(
  collection: Collection,
  body: z.infer<typeof requests.scrollPoints>,
): Schemas['ScrollResult'] {
  const all = passing(collection, body).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = all.filter(([id]) => body.offset === undefined || id >= String(body.offset));
  const points = rest.slice(0, body.limit).map(([id, { payload }]) => ({ id, payload }));
  return { points, next_page_offset: rest[body.limit]?.[0] ?? null };
}

function passing(
  collection: Collection,
  { filter, shard_key }: { filter: requests.SentFilter; shard_key?: string | undefined },
): [string, KeptPoint][] {
  checkShard(collection, shard_key);
  return [...collection.points].filter(
    ([, { payload, shardKey }]) =>
      (shard_key === undefined || shardKey === shard_key) &&
      filter.must.every((condition) => {
        const value = payload[condition.key];
        if ('match' in condition) return value === condition.match.value;
        const { gte = -Infinity, lte = Infinity } = condition.range;
        return Number(value) >= gte && Number(value) <= lte;
      }),
  );
}
