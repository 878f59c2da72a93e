/** Objects in an S3-compatible bucket, preferably one with object lock. */
import { hash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { MemoryError, messageOf } from '../model/model.ts';
import type { ArchivedObject, ArchivePlace } from './place.ts';

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const DAY_MS = 86_400_000;

interface Bucket {
  /** Without a slash at the end. */
  readonly url: string;
  readonly name: string;
  readonly prefix: string;
  /** How long an object is locked, in days; null: the default of the bucket. */
  readonly days: number | null;
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

/** @throws MemoryError INVALID_INPUT */
export function openBucket(where: string): ArchivePlace {
  const bucket = parseBucket(where);
  return {
    name: bucket.name,
    list: (prefix) => listObjects(bucket, prefix),
    async read({ name, version }) {
      const answer = await bucket.ask(pathOf(bucket, name, version));
      if (answer.status === 404) return null;
      if (!answer.ok) throw await unreadable(bucket, answer);
      return new Uint8Array(await answer.arrayBuffer());
    },
    write: (name, content) => writeObject(bucket, name, content),
    async isLocked({ name, version }) {
      const answer = await bucket.ask(pathOf(bucket, name, version), { method: 'HEAD' });
      const until = Date.parse(answer.headers.get('x-amz-object-lock-retain-until-date') ?? '');
      return until > Date.now() || answer.headers.get('x-amz-object-lock-legal-hold') === 'ON';
    },
  };
}

function parseBucket(where: string): Bucket {
  const wrong = (reason: string) =>
    new MemoryError('INVALID_INPUT', `The archive ${where} cannot be used: ${reason}`);
  if (!URL.canParse(where)) throw wrong('it is not a URL.');
  const { hostname: name, pathname, searchParams } = new URL(where);
  const unknown = [...searchParams.keys()].find((key) => !['endpoint', 'region', 'days'].includes(key));
  if (unknown !== undefined) throw wrong(`it may contain endpoint, region and days, not ${unknown}.`);
  const { env } = process;
  const region = searchParams.get('region') ?? env['AWS_REGION'] ?? 'us-east-1';
  const endpoint =
    searchParams.get('endpoint') ?? env['AWS_ENDPOINT_URL_S3'] ?? `https://s3.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint)) throw wrong('its endpoint is not a URL.');
  const days = searchParams.get('days');
  if (days !== null && !/^[1-9]\d{0,4}$/.test(days)) throw wrong('days must be a whole number above 0.');
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw wrong('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.');
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    service: 's3',
    region,
    retries: RETRIES,
  });
  const url = `${endpoint.replace(/\/+$/, '')}/${name}`;
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  return {
    url,
    name: `s3://${name}${pathname}`,
    prefix: prefix && `${decodeURIComponent(prefix)}/`,
    days: days === null ? null : Number(days),
    ask: (path, init) => ask(client, url + path, init),
  };
}

async function ask(client: AwsClient, url: string, init?: RequestInit): Promise<Response> {
  try {
    return await client.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    const reason = messageOf(cause);
    const code = init?.method === 'PUT' ? 'READ_ONLY' : 'FILE_UNREADABLE';
    throw new MemoryError(code, `The archive cannot be reached: ${reason}`, { cause });
  }
}

function pathOf({ prefix }: Bucket, name: string, version: string | null): string {
  const path = `${prefix}${name}`.split('/').map(encodeURIComponent).join('/');
  return `/${path}${version === null ? '' : `?versionId=${encodeURIComponent(version)}`}`;
}

async function writeObject(
  bucket: Bucket,
  name: string,
  content: Uint8Array,
): Promise<ArchivedObject | null> {
  // Not every server supports the condition of the request below.
  const there = await bucket.ask(pathOf(bucket, name, null), { method: 'HEAD' });
  if (there.ok) return null;
  const answer = await bucket.ask(pathOf(bucket, name, null), {
    method: 'PUT',
    // A copy, since fetch does not accept bytes of shared memory.
    body: new Uint8Array(content),
    headers: {
      'content-type': 'application/octet-stream',
      'if-none-match': '*',
      'x-amz-content-sha256': hash('sha256', content),
      // A request that locks an object must include a checksum of its content.
      'content-md5': hash('md5', content, 'base64'),
      ...lockHeaders(bucket),
    },
  });
  if (answer.status === 412) return null;
  if (!answer.ok) throw new MemoryError('READ_ONLY', await describeAnswer(bucket, 'written', answer));
  return { name, version: answer.headers.get('x-amz-version-id') };
}

function lockHeaders({ days }: Bucket): Record<string, string> {
  if (days === null) return {};
  const until = new Date(Date.now() + days * DAY_MS);
  return {
    'x-amz-object-lock-mode': 'COMPLIANCE',
    'x-amz-object-lock-retain-until-date': until.toISOString(),
  };
}

/** The first version of each object: a client with write access can add versions or a delete marker. */
async function listObjects(bucket: Bucket, prefix: string): Promise<ArchivedObject[]> {
  const first = new Map<string, ArchivedObject>();
  for (let markers = ''; ;) {
    const answer = await bucket.ask(
      `?versions&prefix=${encodeURIComponent(bucket.prefix + prefix)}${markers}`,
    );
    if (!answer.ok) throw await unreadable(bucket, answer);
    const xml = await answer.text();
    // Newest first.
    for (const [, version = ''] of xml.matchAll(/<Version>([^]*?)<\/Version>/g)) {
      const name = field(version, 'Key').slice(bucket.prefix.length);
      const id = field(version, 'VersionId');
      first.set(name, { name, version: id === '' || id === 'null' ? null : id });
    }
    if (field(xml, 'IsTruncated') !== 'true') break;
    const [key, version] = [field(xml, 'NextKeyMarker'), field(xml, 'NextVersionIdMarker')];
    markers = `&key-marker=${encodeURIComponent(key)}&version-id-marker=${encodeURIComponent(version)}`;
  }
  return [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function field(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return text.replaceAll(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole);
}

async function unreadable(bucket: Bucket, answer: Response): Promise<MemoryError> {
  return new MemoryError('FILE_UNREADABLE', await describeAnswer(bucket, 'read', answer));
}

async function describeAnswer({ name }: Bucket, what: string, answer: Response): Promise<string> {
  const code = field(await answer.text(), 'Code');
  return `The archive ${name} cannot be ${what}: it answers ${answer.status}${code && ` ${code}`}.`;
}
