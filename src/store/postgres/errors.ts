import { isMemoryError, MemoryError, type ErrorCode, messageOf } from '../../model/model.ts';

interface Meaning {
  readonly code: ErrorCode;
  /** What the user can do. */
  readonly advice?: string;
}

/** What the codes of PostgreSQL mean for a user; all others are STORE_FAILED. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '53100': {
    code: 'DISK_FULL',
    advice: 'Free some space on the disk of PostgreSQL: acknowledged data is kept.',
  },
  '25006': { code: 'READ_ONLY', advice: 'Use the address of the primary, or promote the standby.' },
  '57014': {
    code: 'BUSY',
    advice: 'Try again, or raise statement_timeout_ms in the URL of the store.',
  },
  '55P03': { code: 'BUSY' },
  '40001': { code: 'BUSY' },
  '40P01': { code: 'BUSY' },
  '53300': {
    code: 'BUSY',
    advice: 'Lower max_connections in the URL of the store, or raise it in PostgreSQL.',
  },
  '08P01': {
    code: 'INVALID_INPUT',
    advice: 'Behind PgBouncer, add pooler=transaction and direct=HOST:PORT to the URL of the store.',
  },
  '28P01': { code: 'INVALID_INPUT', advice: 'Check the user in the URL of the store, and PGPASSWORD.' },
  '28000': { code: 'INVALID_INPUT', advice: 'Check the user in the URL of the store, and pg_hba.conf.' },
  '3D000': {
    code: 'INVALID_INPUT',
    advice: 'Check the URL of the store, or create the database (docs/postgres.md).',
  },
  '42501': {
    code: 'STORE_FAILED',
    advice:
      "The owner of the tables can give a role its rights: SELECT omoide_grant('ROLE') (docs/postgres.md).",
  },
};

/**
 * Errors after which the transaction is retried: deadlocks, servers that stop, start or are standbys, and an index that
 * another memory created at the same time.
 */
const AGAIN = new Set(['40001', '40P01', '57P01', '57P02', '57P03', '25006', '53300', '42P07']);
/** The unique index that reports the same as 42P07, a moment earlier. */
const NAMES = 'pg_class_relname_nsp_index';

/** Errors of Node and postgres.js when a server cannot be reached. */
const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UNREACHABLE',
  '57P01',
  '57P02',
]);

/** Reasons why a host was not connected to; for others, the message of the error. */
const REASONS: Readonly<Record<string, string>> = {
  CONNECT_TIMEOUT: 'it does not answer',
  CONNECTION_CLOSED: 'it does not answer',
  // postgres.js closes connections to standbys.
  CONNECTION_DESTROYED: 'it is a standby, which accepts no writes',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'there is no host of this name',
};
/** Node's message when a server closes the connection instead of beginning TLS. */
const WITHOUT_TLS = /before secure TLS connection/;

/** None of the hosts could be connected to, or is writable. */
export class UnreachableError extends Error {
  readonly code = 'UNREACHABLE';

  constructor(failures: readonly { readonly url: string; readonly error: unknown }[]) {
    const reasons = failures.map(({ url, error }) => `${hostOf(url)}: ${reasonOf(error)}`);
    super(reasons.join('; '), { cause: failures.at(-1)?.error });
  }
}

function hostOf(url: string): string {
  return /^[^:]+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(url)?.[1] || 'localhost';
}

function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (WITHOUT_TLS.test(message)) {
    return 'it does not accept TLS (set ssl = on in PostgreSQL, or sslmode=disable in the URL of the store)';
  }
  const advice = MEANINGS[codeOf(error)]?.advice;
  return REASONS[codeOf(error)] ?? (advice ? `${sentence(message)} ${advice}` : message);
}

/** The form of PostgreSQL's codes. */
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** OpenSSL's reasons not to accept a certificate. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY/;

export function hasLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

/** Whether the role lacks a right. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === '42501';
}

export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  const isCreatedTwice =
    error instanceof Error && 'constraint_name' in error && error.constraint_name === NAMES;
  return code !== 'CONNECTION_ENDED' && (AGAIN.has(code) || LOST.has(code) || isCreatedTwice);
}

export function toMemoryError(cause: unknown): unknown {
  if (isMemoryError(cause)) return cause;
  const code = codeOf(cause);
  if (code === 'CONNECTION_ENDED') return new MemoryError('CLOSED');
  if (LOST.has(code)) {
    const reason = cause instanceof UnreachableError ? cause.message : code;
    return new MemoryError(
      'BUSY',
      `PostgreSQL cannot be reached (${reason}). Check that it runs, and the URL of the store.`,
      { cause },
    );
  }
  if (code.startsWith('ERR_TLS_') || CERTIFICATE.test(code)) {
    return new MemoryError(
      'STORE_FAILED',
      `The certificate of the database was rejected: ${sentence(messageOf(cause))} ${certificateAdvice(code)}`,
      { cause },
    );
  }
  if (!SQL_STATE.test(code)) return cause;
  const { code: ours, advice } = MEANINGS[code] ?? { code: 'STORE_FAILED' };
  return new MemoryError(ours, `PostgreSQL: ${sentence(messageOf(cause))}${advice ? ` ${advice}` : ''}`, {
    cause,
  });
}

function certificateAdvice(code: string): string {
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? 'Its subjectAltName must contain the host in the URL of the store.'
    : 'Set sslrootcert=FILE in the URL of the store to the certificate of its authority.';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
