import { isMemoryError, type ErrorCode, type MemoryError } from '../../model/model.ts';

/** Failures that are not an unexpected one of this server, with their status. */
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

/** What a model's server says of the request, so that the client is told; a key it refuses is the operator's. */
const CLIENTS_AFFAIR = new Set([400, 413, 422, 429]);

/** The status of a request that the client took back: nginx's, since there is no standard one. */
const CLIENT_LEFT = 499;

/** A failure as an answer that OpenAI's clients understand. Tells nothing of an error that is not ours. */
export function openAiError(error: unknown): Response {
  return Response.json(errorBody(error), { status: statusOf(error), headers: retryHeader(error) });
}

/** What the answer, or an event of a stream, says of a failure. */
export function errorBody(error: unknown): Record<string, unknown> {
  const type = statusOf(error) >= 500 ? 'server_error' : 'invalid_request_error';
  const [code, message] = isMemoryError(error)
    ? [error.code.toLowerCase(), error.message]
    : ['unexpected', 'Something unexpected failed.'];
  return { error: { message, type, param: null, code } };
}

function statusOf(error: unknown): number {
  if (isAbort(error)) return CLIENT_LEFT;
  if (!isMemoryError(error)) return 500;
  const upstream = Number(error.details['status']);
  if (error.code === 'MODEL_FAILED' && CLIENTS_AFFAIR.has(upstream)) return upstream;
  return STATUS[error.code] ?? 500;
}

/** Whether the client took its request back. */
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
