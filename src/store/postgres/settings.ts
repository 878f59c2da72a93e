import type postgres from 'postgres';
import { MemoryError, withoutPassword } from '../../model/model.ts';
import { unescapeText } from './statement.ts';
import { readTls, type TlsSetting } from './tls.ts';

/** The settings in a database URL. */
export interface ConnectionSettings {
  readonly given: string;
  /** One address for each host. */
  readonly urls: readonly string[];
  /** The addresses of the database itself, past a pooler. */
  readonly directUrls: readonly string[];
  /** Without the password. */
  readonly shownUrl: string;
  /** False behind a pooler that gives each transaction another connection. */
  readonly isPrepared: boolean;
  readonly maxConnections: number;
  readonly statementTimeoutMs: number;
  /** How long one host may take to accept a connection. */
  readonly connectTimeoutMs: number;
  readonly tls: TlsSetting;
}

const MAX_CONNECTIONS = 10;
const STATEMENT_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_S = 5;

/** Our own options; the others belong to postgres.js and libpq. */
const OWN = [
  'pooler',
  'direct',
  'max_connections',
  'statement_timeout_ms',
  'connect_timeout',
  'sslmode',
  'sslrootcert',
] as const;

/**
 * Parses `postgres://user:password@host:port,host:port/database?option=value`.
 * @throws MemoryError INVALID_INPUT
 */
export function parseStoreUrl(url: string): ConnectionSettings {
  const [, hosts] = URL_FORM.exec(url) ?? [];
  if (hosts === undefined || !isDecodable(url)) {
    throw new MemoryError(
      'INVALID_INPUT',
      'Give the store as postgres://user:password@host:port/database. In a user or password, write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25.',
    );
  }
  const [base = url, query = ''] = url.split('?');
  const given = new URLSearchParams(query);
  const own = Object.fromEntries(OWN.map((name) => [name, given.get(name)]));
  for (const name of OWN) given.delete(name);
  const whole = given.size > 0 ? `${base}?${given.toString()}` : base;
  if (given.has('ssl'))
    throw new MemoryError('INVALID_INPUT', 'Use sslmode in the URL of the store, not ssl.');
  const directHosts = own['direct'] ?? hosts;
  const allHosts = [hosts, directHosts].flatMap((list) => list.split(','));
  return {
    given: url,
    urls: urlsOf(whole, hosts),
    directUrls: urlsOf(whole, directHosts),
    shownUrl: withoutPassword(base),
    isPrepared: own['pooler'] !== 'transaction',
    maxConnections: wholeNumber('max_connections', own['max_connections'], MAX_CONNECTIONS),
    statementTimeoutMs: wholeNumber(
      'statement_timeout_ms',
      own['statement_timeout_ms'],
      STATEMENT_TIMEOUT_MS,
    ),
    connectTimeoutMs: 1_000 * wholeNumber('connect_timeout', own['connect_timeout'], CONNECT_TIMEOUT_S),
    tls: readTls({
      mode: own['sslmode'],
      rootCert: own['sslrootcert'],
      hosts: allHosts.map((host) => host.replace(/:\d+$/, '')),
      isLocal: allHosts.every(isLocalHost),
    }),
  };
}

/** A password with other characters would be taken for a host or a database, and shown in messages. */
const URL_FORM = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?([^@/?#]*)(?:\/[^@/?#]*)?(?:\?[^@#]*)?$/;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** @param hosts separated by commas */
function urlsOf(url: string, hosts: string): string[] {
  const given = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/?]*/;
  return hosts.split(',').map((host) => url.replace(given, (_, start: string) => start + host));
}

function isLocalHost(host: string): boolean {
  return (
    host === '' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host) || host.startsWith('%2F')
  );
}

function wholeNumber(name: string, given: string | null | undefined, fallback: number): number {
  if (given === null || given === undefined) return fallback;
  const value = Number(given);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new MemoryError('INVALID_INPUT', `${name} in the URL of the store must be a whole number above 0.`);
}

export function connectionOptions(settings: ConnectionSettings): postgres.Options<typeof TYPES> {
  return {
    ssl: settings.tls,
    max: settings.maxConnections,
    prepare: settings.isPrepared,
    fetch_types: false,
    onnotice: () => undefined,
    connect_timeout: settings.connectTimeoutMs / 1_000,
    backoff: (retries: number) => Math.min(0.5, 0.02 * 2 ** retries),
    target_session_attrs: 'primary',
    // Poolers reject unknown settings.
    connection: settings.isPrepared
      ? {
          application_name: 'omoide',
          statement_timeout: settings.statementTimeoutMs,
          // Compiling a statement takes longer than running one of ours.
          jit: 'off',
          // A statement is planned once for all memories. Planning it for each one takes as long as running it, because
          // PostgreSQL considers every partition.
          plan_cache_mode: 'force_generic_plan',
          // Starting workers takes longer than running one of our statements.
          max_parallel_workers_per_gather: '0',
          // Pages are in memory or on a solid state disk.
          random_page_cost: 1.1,
          // A filtered search continues until enough rows pass.
          'hnsw.iterative_scan': 'strict_order',
        }
      : { application_name: 'omoide' },
    types: TYPES,
  };
}

/** Text as it was given, 64-bit integers as numbers, JSON as text, bytes as an array. */
export const TYPES = {
  text: { to: 25, from: [25], serialize: String, parse: unescapeText },
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  json: { to: 114, from: [114, 3802], serialize: String, parse: String },
  bytea: {
    to: 17,
    from: [17],
    serialize: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
    parse: (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  },
};
