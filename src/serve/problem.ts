/** Errors of the HTTP interface as problem documents (RFC 9457), with a table of the status for each code. */
import { ERROR_CODES, isMemoryError, type ErrorCode } from '../engine/engine.ts';
import { errorCode } from '../model/model.ts';

/** Errors of the HTTP layer; those of a memory are in `ERROR_CODES`. */
export const HTTP_CODES = {
  INVALID_JSON: 'The body is not JSON in UTF-8.',
  UNAUTHORIZED: 'A token is needed: send “Authorization: Bearer TOKEN”.',
  FORBIDDEN: 'The token does not allow this.',
  ORIGIN_NOT_ALLOWED: 'Pages of this origin are not allowed to call this server.',
  HOST_NOT_ALLOWED: 'The server does not accept this host name.',
  UNKNOWN_PATH: 'There is no such path.',
  METHOD_NOT_ALLOWED: 'This path does not support the method; see the header Allow.',
  UNSUPPORTED_MEDIA_TYPE: 'The media type of the body is not supported here.',
  BODY_TOO_LARGE: 'The body is too long.',
  PRECONDITION_FAILED: 'The version differs from If-Match; read it again.',
  RATE_LIMITED: 'Too many requests; see the header Retry-After.',
  STOPPING: 'The server is stopping.',
  CANCELLED: 'The client closed the connection before the answer.',
  INTERNAL: 'An unexpected error occurred; see the log.',
} as const;

export type HttpCode = keyof typeof HTTP_CODES;
export type ProblemCode = ErrorCode | HttpCode;

export const STATUS_OF: Record<ProblemCode, number> = {
  INVALID_INPUT: 400,
  EMPTY_TEXT: 400,
  TEXT_TOO_LONG: 400,
  INVALID_TEXT: 400,
  SENSITIVE_TEXT: 400,
  INVALID_TIME: 400,
  INVALID_ID: 400,
  OUTSIDE_ROOT: 400,
  INVALID_JSON: 400,
  UNKNOWN_FORMAT: 400,
  FILE_UNREADABLE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  UNKNOWN_PATH: 404,
  METHOD_NOT_ALLOWED: 405,
  TURN_CONFLICT: 409,
  VERSION_CONFLICT: 409,
  JOURNAL_CONFLICT: 409,
  NOTE_CONFLICT: 409,
  TURN_FORGOTTEN: 410,
  PRECONDITION_FAILED: 412,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HOST_NOT_ALLOWED: 421,
  CHAIN_BROKEN: 422,
  RATE_LIMITED: 429,
  // Not a registered status, but used in the logs of proxies. The client has disconnected.
  CANCELLED: 499,
  INTERNAL: 500,
  NOT_A_MEMORY: 500,
  KEY_MISSING: 500,
  MEMORY_TOO_NEW: 500,
  STORE_FAILED: 500,
  MODEL_MISMATCH: 500,
  EMBEDDER_FAILED: 502,
  RERANKER_FAILED: 502,
  MODEL_FAILED: 502,
  NO_MODEL: 503,
  BUSY: 503,
  CLOSED: 503,
  STOPPING: 503,
  READ_ONLY: 507,
  DISK_FULL: 507,
};

export interface FieldError {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** JSON pointer to the value (RFC 6901), empty for the whole. */
  readonly pointer: string;
  readonly detail: string;
}

/** An error that becomes an answer. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the document. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string = meaningOf(code),
    extra: { headers?: Record<string, string>; members?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(detail, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.code = code;
    this.status = STATUS_OF[code];
    this.headers = extra.headers ?? {};
    this.members = extra.members ?? {};
  }
}

export function invalidFields(errors: readonly FieldError[]): Problem {
  const detail = errors
    .map((error) => `${error.in}${error.pointer && ` ${error.pointer}`}: ${error.detail}`)
    .join('; ');
  return new Problem('INVALID_INPUT', detail, { members: { errors } });
}

/** Public messages for errors whose own message may reveal details of the machine (paths, SQL); those are only logged. */
const PUBLIC_MESSAGES: Partial<Record<ErrorCode, string>> = {
  NOT_A_MEMORY: 'The memory is damaged, or its file is not a memory; see the log.',
  MEMORY_TOO_NEW: ERROR_CODES.MEMORY_TOO_NEW,
  READ_ONLY: ERROR_CODES.READ_ONLY,
  DISK_FULL: ERROR_CODES.DISK_FULL,
  STORE_FAILED: 'The database reported an error; see the log.',
};

const BUSY_WAIT_MS = 1_000;

/** Converts any error to a problem. An unexpected error is reported without details. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isAbort(error)) return new Problem('CANCELLED', undefined, { cause: error });
  if (!isMemoryError(error)) return new Problem('INTERNAL', undefined, { cause: error });
  const detail = PUBLIC_MESSAGES[error.code] ?? error.message;
  const waitMs = error.code === 'BUSY' ? BUSY_WAIT_MS : error.details['retryAfterMs'];
  const headers: Record<string, string> =
    typeof waitMs === 'number' ? { 'retry-after': String(Math.ceil(waitMs / 1_000)) } : {};
  return new Problem(error.code, detail, { headers, cause: error });
}

/** Whether the error means that the client has disconnected. */
function isAbort(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || (errorCode(error) === 'ECONNRESET' && error.message === 'aborted');
}

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  /** The id of the request, as in the header X-Request-Id. */
  readonly instance: string;
  readonly [member: string]: unknown;
}

/** @param asOpenAi whether to add the member `error` for OpenAI's clients */
export function problemDocument(problem: Problem, requestId: string, asOpenAi: boolean): ProblemDocument {
  const { code, status, message: detail, members } = problem;
  const error = { message: detail, type: openAiType(status), code: code.toLowerCase(), param: null };
  return {
    type: problemType(code),
    title: titleOf(code),
    status,
    detail,
    code,
    instance: `urn:omoide:request:${requestId}`,
    ...members,
    ...(asOpenAi && { error }),
  };
}

function problemType(code: string): string {
  return `urn:omoide:problem:${code.toLowerCase().replaceAll('_', '-')}`;
}

/** `NOT_FOUND` → `Not found`. */
function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function meaningOf(code: ProblemCode): string {
  return code in HTTP_CODES ? HTTP_CODES[code as HttpCode] : ERROR_CODES[code as ErrorCode];
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
