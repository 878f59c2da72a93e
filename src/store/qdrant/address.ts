import { MemoryError } from '../../model/model.ts';

export interface QdrantAddress {
  /** `https://host:port`. */
  readonly origin: string;
  /** Every collection's name begins with it. */
  readonly prefix: string;
  /** Null without authentication. */
  readonly apiKey: string | null;
  /** Whether each memory has a shard key of its own; only a Qdrant cluster has shard keys. */
  readonly isSharded: boolean;
}

const DEFAULT_PORT = '6333';
const OPTIONS = ['tls', 'shards'];
const LOCAL_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Reads `qdrant://HOST:PORT/PREFIX?tls=off&shards=memory`. The API key is in `QDRANT_API_KEY`.
 * @throws MemoryError INVALID_INPUT
 */
export function parseQdrantUrl(url: string): QdrantAddress {
  const wrong = (reason: string) =>
    new MemoryError('INVALID_INPUT', `The vector index ${url} cannot be used: ${reason}`);
  if (!url.startsWith('qdrant://') || !URL.canParse(url)) throw wrong('write qdrant://HOST:PORT/PREFIX.');
  const { hostname, port, pathname, searchParams, username, password } = new URL(url);
  if (hostname === '') throw wrong('it names no host.');
  if (username || password)
    throw new MemoryError('INVALID_INPUT', 'Give Qdrant’s API key in QDRANT_API_KEY.');
  const unknown = [...searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw wrong(`its options are ${OPTIONS.join(' and ')}, not ${unknown}.`);
  const prefix = pathname.replace(/^\/|\/$/g, '') || 'omoide';
  if (!/^[\w-]{1,60}$/.test(prefix)) throw wrong('a prefix contains only letters, digits, - and _.');
  const tls = searchParams.get('tls') ?? (LOCAL_HOST.test(hostname) ? 'off' : 'on');
  if (tls !== 'on' && tls !== 'off') throw wrong('tls must be on or off.');
  const shards = searchParams.get('shards');
  if (shards !== null && shards !== 'memory') throw wrong('shards must be memory.');
  return {
    origin: `${tls === 'on' ? 'https' : 'http'}://${hostname}:${port || DEFAULT_PORT}`,
    prefix,
    apiKey: process.env['QDRANT_API_KEY'] || null,
    isSharded: shards === 'memory',
  };
}
