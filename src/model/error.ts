import { errorCode } from './systemError.ts';

/**
 * The code of every error that Omoide reports, with what its reader can do about it. The codes are part of the
 * public interface: they do not change meaning between versions.
 */
export const ERROR_CODES = {
  INVALID_INPUT: 'An argument is invalid; the message names it.',
  EMPTY_TEXT: 'The text of a turn is empty or only white space.',
  TEXT_TOO_LONG: 'The text of a turn is longer than 1,048,576 UTF-16 units; split it.',
  INVALID_TEXT: 'The text contains a NUL or a lone surrogate, which cannot be stored.',
  SENSITIVE_TEXT: 'The turn seems to contain personal data or a secret, and the settings reject such turns.',
  INVALID_TIME: 'The time is not a valid time between the years 1 and 9999.',
  INVALID_ID: 'An id is empty, too long, or contains a slash or a control character.',
  TURN_CONFLICT: 'The conversation already has another text at this turn index; turns never change.',
  NOT_FOUND: 'There is nothing with this id.',
  NOT_A_MEMORY: 'The file is not an Omoide memory, or it is damaged.',
  MEMORY_TOO_NEW: 'The memory was written by a newer version of Omoide; update Omoide to open it.',
  READ_ONLY: 'The folder or database of the memory is read-only.',
  DISK_FULL: 'The disk of the memory is full; acknowledged data is kept.',
  BUSY: 'Another process locked the memory for too long; try again.',
  CLOSED: 'The memory is closed.',
  MODEL_MISMATCH: 'The stored vectors are of another embedding model; rebuild them.',
  EMBEDDER_FAILED: 'The embedding model could not be reached or its answer was invalid.',
  RERANKER_FAILED: 'The reranking model could not be reached or its answer was invalid.',
  NO_MODEL: 'No language model is configured for this; messages are stored.',
  MODEL_FAILED: 'The language model could not be reached or its answer was invalid.',
  VERSION_CONFLICT: 'The unit has changed since it was read; read it again.',
  JOURNAL_CONFLICT: 'A later change depends on this entry; roll that back first.',
  NOTE_CONFLICT: 'Another program changed the file at the same time; no change is lost.',
  OUTSIDE_ROOT: 'The path is outside the notes folder.',
  FILE_UNREADABLE: 'The file cannot be read.',
  UNKNOWN_FORMAT: 'The file has no format that can be imported.',
  CHAIN_BROKEN: 'The hash chain of the turns is invalid: a turn was changed or removed.',
  KEY_MISSING: 'The key that encrypts the text is missing or wrong; restore keys.db and the master key.',
  TURN_FORGOTTEN: 'The turn at this place was erased; it is not imported again.',
  STORE_FAILED: 'The database reported an error; the message contains it.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The only error type. `code` is stable; `message` is for people; `details` contains data for programs. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string = ERROR_CODES[code],
    details: Record<string, unknown> & { cause?: unknown } = {},
  ) {
    const { cause, ...rest } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = rest;
  }
}

/** Whether `error` is a MemoryError, of the given code when one is given. */
export function isMemoryError(error: unknown, code?: ErrorCode): error is MemoryError {
  return error instanceof MemoryError && (code === undefined || error.code === code);
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file.',
  EACCES: 'this user may not read it.',
  EPERM: 'this user may not read it.',
  EISDIR: 'it is a folder.',
  ENOTDIR: 'a part of its path is not a folder.',
};

/** FILE_UNREADABLE, with the path and the reason. A MemoryError is returned unchanged. */
export function unreadable(path: string, cause: unknown): MemoryError {
  if (cause instanceof MemoryError) return cause;
  const reason = SYSTEM_REASONS[errorCode(cause)] ?? messageOf(cause);
  return new MemoryError('FILE_UNREADABLE', `${path} cannot be read: ${reason}`, { cause });
}
