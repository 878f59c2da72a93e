import { isMemoryError, MemoryError, type ErrorCode, messageOf } from '../../model/model.ts';

/** Classes and codes of PostgreSQL errors that a user can fix. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  '53100': 'DISK_FULL',
  '25006': 'READ_ONLY',
  '57014': 'BUSY',
  '55P03': 'BUSY',
  '40001': 'BUSY',
  '40P01': 'BUSY',
  '53300': 'BUSY',
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
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P02',
]);

/** OpenSSL's reasons not to accept a certificate. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY/;

export function hasLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error));
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
  if (LOST.has(code)) return new MemoryError('BUSY', `The database cannot be reached: ${code}.`, { cause });
  if (code.startsWith('ERR_TLS_') || CERTIFICATE.test(code)) {
    return new MemoryError(
      'STORE_FAILED',
      `The certificate of the database was rejected: ${messageOf(cause)}. Set sslrootcert=FILE in the URL of the store to the certificate of its authority.`,
      { cause },
    );
  }
  const known = CODES[code];
  return known ? new MemoryError(known, `PostgreSQL: ${messageOf(cause)}`, { cause }) : cause;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
