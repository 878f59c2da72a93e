import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { checkMemoryId, MemoryError, type Instant } from '../model/model.ts';
import type { SettingsFile } from './settingsFile.ts';

/**
 * What a token may do; each scope includes those before it. `read`: recall and view everything. `write`: also add,
 * chat, remember and correct. `manage`: also export, import, forget, reorganise, rebuild. `operate`: also settings and
 * tokens.
 */
export const TOKEN_SCOPES = ['read', 'write', 'manage', 'operate'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The identity of a token. */
export interface TokenIdentity {
  readonly id: string;
  readonly name: string;
  /** The only memory it gives access to; null: all memories, and the settings. */
  readonly memoryId: string | null;
  readonly scope: TokenScope;
  /** From this instant on it is not accepted; null: it does not expire. */
  readonly expiresAt: Instant | null;
}

export interface TokenInfo extends TokenIdentity {
  readonly createdAt: Instant;
  /** To the minute; null: never. */
  readonly lastUsedAt: Instant | null;
}

export interface NewToken {
  readonly name: string;
  readonly memoryId?: string;
  readonly scope?: TokenScope;
  readonly expiresAt?: Instant;
}

/** Access tokens. Only a hash is stored, never the token. */
export interface Tokens {
  /**
   * Creates a token of 256 random bits: `omoide_` and 43 letters. It is returned only here.
   * @param access `memoryId`: the only memory it gives access to. `scope`: default `operate`, of one memory
   * `manage`. `expiresAt`: default never
   * @throws MemoryError INVALID_INPUT, INVALID_ID
   */
  create(access: NewToken): { id: string; token: string };
  /** The identity of a token; null when it is not valid. Takes the same time in both cases. */
  verify(token: string): TokenIdentity | null;
  /** Oldest first. */
  list(): TokenInfo[];
  /** Revokes the token. False when there is none with this id. */
  revoke(id: string): boolean;
  /** How many tokens are accepted, including the one given when the settings were opened. */
  count(): number;
}

const PREFIX = 'omoide_';
const RANDOM_BYTES = 32;
const MAX_NAME_LENGTH = 100;
/** The time of last use is written at most this often: it is only for display. */
const USE_WRITE_INTERVAL_MS = 60_000;

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly memory_id: string | null;
  readonly scope: TokenScope;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

interface KnownToken {
  readonly hash: Uint8Array;
  readonly identity: TokenIdentity;
}

/** @param given a token that is accepted without being stored: its name and its value */
export function createTokens(
  file: SettingsFile,
  now: () => Instant,
  given: { readonly name: string; readonly token: string } | null,
): Tokens {
  const handedIn: KnownToken[] = given
    ? [{ hash: hashOf(given.token), identity: configuredIdentity(given.name) }]
    : [];
  let known: { readonly version: number; readonly tokens: readonly KnownToken[] } | null = null;
  const notedAt = new Map<string, Instant>();

  const readKnown = (): readonly KnownToken[] => {
    const version = file.dataVersion();
    if (known?.version !== version)
      known = { version, tokens: [...handedIn, ...readRows(file).map(knownToken)] };
    return known.tokens;
  };
  const noteUse = ({ id }: TokenIdentity) => {
    const at = now();
    if (id === 'given' || at - (notedAt.get(id) ?? -Infinity) < USE_WRITE_INTERVAL_MS) return;
    notedAt.set(id, at);
    try {
      file.run('UPDATE token SET last_used_at = ? WHERE id = ?', at, id);
    } catch {
      // Tokens are accepted even if the disk is full or read-only.
    }
  };

  return {
    create({ name, memoryId, scope = memoryId === undefined ? 'operate' : 'manage', expiresAt }) {
      if (memoryId !== undefined && scope === 'operate')
        throw new MemoryError('INVALID_INPUT', 'A token for one memory cannot have the scope operate.');
      if (expiresAt !== undefined && expiresAt <= now())
        throw new MemoryError('INVALID_INPUT', 'The expiry time is in the past.');
      const token = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
      const id = randomBytes(4).toString('hex');
      file.run(
        'INSERT INTO token (id, name, hash, memory_id, created_at, scope, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        id,
        checkName(name),
        hashOf(token),
        memoryId === undefined ? null : checkMemoryId(memoryId),
        now(),
        scope,
        expiresAt ?? null,
      );
      known = null;
      return { id, token };
    },
    verify(token) {
      const hash = hashOf(token);
      let identity: TokenIdentity | null = null;
      for (const one of readKnown()) if (timingSafeEqual(one.hash, hash)) ({ identity } = one);
      if (identity && identity.expiresAt !== null && identity.expiresAt <= now()) return null;
      if (identity) noteUse(identity);
      return identity;
    },
    list() {
      return readRows(file).map((row) => ({
        ...knownToken(row).identity,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
      }));
    },
    revoke(id) {
      known = null;
      return file.run('DELETE FROM token WHERE id = ?', id) > 0;
    },
    count: () => readKnown().length,
  };
}

function readRows(file: SettingsFile): TokenRow[] {
  return file.all<TokenRow>('SELECT * FROM token ORDER BY created_at, id');
}

function knownToken({
  id,
  name,
  hash,
  memory_id: memoryId,
  scope,
  expires_at: expiresAt,
}: TokenRow): KnownToken {
  return { hash, identity: { id, name, memoryId, scope, expiresAt } };
}

function configuredIdentity(name: string): TokenIdentity {
  return { id: 'given', name, memoryId: null, scope: 'operate', expiresAt: null };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length > 0 && trimmed.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new MemoryError(
    'INVALID_INPUT',
    `The name of a token has 1 to ${MAX_NAME_LENGTH} characters, none of them a control character.`,
  );
}
