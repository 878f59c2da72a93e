import { isMemoryError, type ErrorCode, type MemoryError } from '../../model/model.ts';

/** HTTP status by error code. Other codes are unexpected errors of this server. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 400,
  EMPTY_TEXT: 400,
  TEXT_TOO_LONG: 400,
  INVALID_TEXT: 400,
  INVALID_ID: 400,
  MODEL_FAILED: 502,
  EMBEDDER_FAILED: 502,
  NO_MODEL: 503,
  BUSY: 503,
  CLOSED: 503,
  DISK_FULL: 507,
};

/**
 * Status codes of the model's server that concern the client's request and are passed on; a rejected key is the
 * operator's problem.
 */
const PASSED_ON_STATUSES = new Set([400, 413, 422, 429]);

/** The status of a request that the client cancelled: nginx's, since there is no standard one. */
const CLIENT_CLOSED_REQUEST = 499;

/** An error as a response in OpenAI's format. Details of unexpected errors are hidden. */
export function openAiError(error: unknown): Response {
  return Response.json(errorBody(error), { status: statusOf(error), headers: retryHeader(error) });
}

/** The body of an error response or error event. */
export function errorBody(error: unknown): Record<string, unknown> {
  const type = statusOf(error) >= 500 ? 'server_error' : 'invalid_request_error';
  const [code, message] = isMemoryError(error)
    ? [error.code.toLowerCase(), error.message]
    : ['unexpected', 'Something unexpected failed.'];
  return { error: { message, type, param: null, code } };
}

function statusOf(error: unknown): number {
  if (isAbort(error)) return CLIENT_CLOSED_REQUEST;
  if (!isMemoryError(error)) return 500;
  const upstream = Number(error.details['status']);
  if (error.code === 'MODEL_FAILED' && PASSED_ON_STATUSES.has(upstream)) return upstream;
  return STATUS[error.code] ?? 500;
}

/** Whether the client cancelled its request. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function retryHeader(error: unknown): Record<string, string> {
  const waitMs = isMemoryError(error) ? retryAfterMs(error) : null;
  return waitMs === null ? {} : { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
}

function retryAfterMs({ details }: MemoryError): number | null {
  return typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : null;
}
