import { errorCode } from './systemError.ts';

/**
 * The code of every error that Omoide reports, with what its reader can do about it. The codes are part of the
 * public interface: they do not change meaning between versions.
 */
export const ERROR_CODES = {
  INVALID_INPUT: 'An argument is not of the form it must have; the message names it.',
  EMPTY_TEXT: 'A turn must say something: its text is empty or only white space.',
  TEXT_TOO_LONG: 'A turn holds at most 1,048,576 UTF-16 units; split it.',
  INVALID_TEXT: 'The text holds a NUL or a lone surrogate and could not be kept word for word.',
  SENSITIVE_TEXT: 'The turn seems to hold personal data or a secret, and such turns are refused here.',
  INVALID_TIME: 'The time is not a date between the years 1 and 9999.',
  INVALID_ID: 'An id is empty, too long, or holds a slash or control character.',
  TURN_CONFLICT: 'This conversation already has another text at this turn index; turns never change.',
  NOT_FOUND: 'Nothing has this id.',
  NOT_A_MEMORY: 'The file is not an Omoide memory, or it is damaged.',
  MEMORY_TOO_NEW: 'The memory was written by a newer version of Omoide; update Omoide to open it.',
  READ_ONLY: 'The place where the memory lies cannot be written to.',
  DISK_FULL: 'There is no space left where the memory lies; what was acknowledged before is kept.',
  BUSY: 'Another process held the memory for too long; try again.',
  CLOSED: 'The memory was closed.',
  MODEL_MISMATCH: 'The vectors kept were made by another embedding model; rebuild to make them anew.',
  EMBEDDER_FAILED: 'The embedding model could not be reached or gave an unusable answer.',
  RERANKER_FAILED: 'The reranking model could not be reached or gave an unusable answer.',
  NO_MODEL: 'No language model is configured for this; what was said is kept.',
  MODEL_FAILED: 'The language model could not be reached or gave an unusable answer.',
  VERSION_CONFLICT: 'The unit was changed since it was read; read it again.',
  JOURNAL_CONFLICT: 'Something later depends on this entry; roll that back first.',
  NOTE_CONFLICT: 'The file was changed while it was being written; nothing of either side is lost.',
  OUTSIDE_ROOT: 'The path leads out of the folder of notes.',
  FILE_UNREADABLE: 'The file cannot be read.',
  UNKNOWN_FORMAT: 'The file is in none of the forms that can be imported.',
  CHAIN_BROKEN: 'The hash chain of the turns does not verify: a turn was changed or removed.',
  KEY_MISSING:
    'The key that the words were encrypted with is missing or another one; bring back keys.db and the master key.',
  TURN_FORGOTTEN: 'A turn at this place was forgotten; it is not taken in again.',
  STORE_FAILED: 'The database reported an error; the message holds its words.',
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
