import type { ErrorCode } from './error.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html) that a user can resolve. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  5: 'BUSY',
  6: 'BUSY',
  8: 'READ_ONLY',
  11: 'NOT_A_MEMORY',
  13: 'DISK_FULL',
  14: 'READ_ONLY',
  26: 'NOT_A_MEMORY',
};

/** The code for an error of SQLite (`node:sqlite`); STORE_FAILED for those that a user cannot resolve. */
export function sqliteErrorCode({ errcode }: { readonly errcode: number }): ErrorCode {
  return CODES[errcode & 255] ?? 'STORE_FAILED';
}

export function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
