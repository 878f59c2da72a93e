import { MemoryError, messageOf, isRecord, parseJson, type Fields } from '../../model/model.ts';
import { excerpt } from '../access.ts';

/**
 * Why a request to a model failed:
 * - `unreachable`: no connection, or it broke before the answer
 * - `broken`: the connection broke during the answer
 * - `timeout`: no answer in time
 * - `status`: the server answered with the status in `details.status`
 * - `unusable`: the answer violates the protocol, is empty, or reports an error
 * - `schema`: the reply does not fit the requested schema, even after a repair
 */
export type FailureReason = 'unreachable' | 'broken' | 'timeout' | 'status' | 'unusable' | 'schema';

export interface FailureDetails {
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly reason: FailureReason;
  readonly status?: number;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
}

/** Does not include what was sent or received: it may contain the key and text of the user. */
export function modelFailed(message: string, details: FailureDetails): MemoryError {
  return new MemoryError('MODEL_FAILED', message, { ...details });
}

const RETRYABLE_STATUSES = new Set([408, 409, 425, 429]);

/** The failure for a status other than 2xx. */
export function statusFailure(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  who: string,
  apiKey: string | undefined,
): MemoryError {
  const words = reasonIn(body);
  const retryAfter = retryAfterMs(headers);
  return modelFailed(`${who} answered with status ${status}${words && `: ${excerpt(words, apiKey)}`}`, {
    retryable: RETRYABLE_STATUSES.has(status) || status >= 500,
    reason: 'status',
    status,
    ...(retryAfter === null ? {} : { retryAfterMs: retryAfter }),
  });
}

/** The server's reason, in any of the usual formats; else the whole body. */
function reasonIn(body: string): string {
  try {
    const answer = parseJson(body);
    const { error, message }: Fields = isRecord(answer) ? answer : {};
    const inner = isRecord(error) ? error['message'] : null;
    const words = [inner, error, message].find((one) => typeof one === 'string');
    return typeof words === 'string' ? words : body;
  } catch {
    return body;
  }
}

/** RFC 9110 `Retry-After` in seconds or as a date, or `retry-after-ms`, which OpenAI sends; null when there is none. */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | null {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The failure for an exception of the connection. @param hasBegun whether the answer had begun */
export function connectionFailure(error: unknown, hasBegun: boolean, who: string, apiKey?: string) {
  const words = excerpt(wordsOfError(error), apiKey);
  if (hasBegun)
    return modelFailed(`${who} broke off its answer: ${words}`, { retryable: true, reason: 'broken' });
  return modelFailed(`${who} could not be reached: ${words}`, { retryable: true, reason: 'unreachable' });
}

/** For a name with several addresses, each of which was tried, the error of the first. */
function wordsOfError(error: unknown): string {
  if (error instanceof AggregateError) return wordsOfError(error.errors[0]);
  return messageOf(error);
}
