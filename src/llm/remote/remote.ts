/** Access to one server: key, concurrency, time limits, retries and tracing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeadline, createSemaphore, type Deadline } from '../../async/async.ts';
import { isMemoryError, messageOf } from '../../model/model.ts';
import type { ModelCall } from '../languageModel.ts';
import { connectionFailure, modelFailed, statusFailure } from './failure.ts';
import { post, readWhole, type Incoming } from './post.ts';
import { withoutSecrets, type TraceRecord } from './trace.ts';
import { createUsageReader, type UsageReader } from './usage.ts';

export { modelFailed, type FailureDetails } from './failure.ts';
export { openTraceFile, type TraceFile, type TraceRecord } from './trace.ts';
export { UNKNOWN_USAGE } from './usage.ts';

export interface RemoteSettings {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly concurrency: number;
}

/** Observers. Errors that they throw are ignored, so that they cannot affect requests. */
export interface Watchers {
  readonly onCall?: (call: ModelCall) => void;
  readonly trace?: (record: TraceRecord) => void;
}

export interface Outgoing {
  /** Below the address: `/chat/completions`. */
  readonly path: string;
  /** JSON. */
  readonly body: string;
  /** Whether the answer is requested as an event stream. */
  readonly isStream: boolean;
  readonly purpose: string;
  readonly signal?: AbortSignal | undefined;
}

/** A server with one model. */
export interface Remote {
  readonly id: string;
  /** The name of the server and model in messages. */
  readonly who: string;
  /**
   * The server's answer, with status 2xx. An answer that is not a stream has been received completely; of a stream,
   * the first piece has. Its body must be read to its end or cancelled: until then the request counts as running.
   * @throws MemoryError MODEL_FAILED with FailureDetails; so does the body of a stream when it is read.
   * @throws the signal's reason.
   */
  send(outgoing: Outgoing): Promise<Response>;
}

/** A longer `Retry-After` is an error instead of a wait. */
const MAX_RETRY_WAIT_MS = 60_000;
const FIRST_RETRY_WAIT_MS = 500;

export function createRemote(settings: RemoteSettings, watchers: Watchers): Remote {
  const slots = createSemaphore(settings.concurrency);
  const id = `${settings.url}#${settings.model}`;
  const who = `The language model at ${settings.url} (model ${settings.model})`;
  return {
    id,
    who,
    async send(outgoing) {
      outgoing.signal?.throwIfAborted();
      const leave = await slots.acquire(outgoing.signal);
      return new Exchange({ ...settings, id, who, watchers }, outgoing, leave).run();
    },
  };
}

interface Place extends RemoteSettings {
  readonly id: string;
  readonly who: string;
  readonly watchers: Watchers;
}

/** One request with its retries, until its answer is read. */
class Exchange {
  readonly #place: Place;
  readonly #outgoing: Outgoing;
  readonly #leave: () => void;
  readonly #deadline: Deadline;
  readonly #startedAt = Date.now();
  readonly #start = performance.now();
  /** Removes the listener from the caller's signal. */
  #onEnd: () => void = () => {};
  #attempt: Attempt;

  constructor(place: Place, outgoing: Outgoing, leave: () => void) {
    this.#place = place;
    this.#outgoing = outgoing;
    this.#leave = leave;
    this.#deadline = createDeadline(place.timeoutMs, outgoing.signal);
    this.#attempt = this.#newAttempt(0);
  }

  async run(): Promise<Response> {
    this.#deadline.begin();
    try {
      const response = await this.#sendUntilAnswered();
      if (response.body === null || !this.#outgoing.isStream) this.#end(null);
      return response;
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  async #sendUntilAnswered(): Promise<Response> {
    for (let tries = 0; ; tries++) {
      this.#attempt = this.#newAttempt(tries);
      try {
        return await this.#sendOnce();
      } catch (thrown) {
        const error = this.#explain(thrown);
        const waitMs = this.#waitBefore(tries + 1, error);
        if (waitMs === null) throw error;
        this.#attempt.report(error);
        await sleep(waitMs, undefined, { signal: this.#deadline.signal }).catch(() => {
          throw this.#explain(this.#deadline.signal.reason);
        });
      }
    }
  }

  async #sendOnce(): Promise<Response> {
    const { url, apiKey, who } = this.#place;
    const { path, body, isStream } = this.#outgoing;
    const answer = await post(url.replace(/\/+$/, '') + path, {
      headers: {
        'content-type': 'application/json',
        accept: isStream ? 'text/event-stream, application/json' : 'application/json',
        'user-agent': 'omoide',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal: this.#deadline.signal,
    });
    this.#attempt.status = answer.status;
    const isOk = answer.status >= 200 && answer.status < 300;
    if (isOk && isStream && !WITHOUT_BODY.has(answer.status)) return this.#beginStream(answer);
    const bytes = await readWhole(answer);
    this.#attempt.reader.push(bytes);
    if (!isOk) throw statusFailure(answer, new TextDecoder().decode(bytes), who, apiKey);
    return new Response(WITHOUT_BODY.has(answer.status) ? null : bytes, responseInit(answer));
  }

  async #beginStream(answer: Incoming): Promise<Response> {
    const { pieces } = answer;
    // A failure before the first piece can be retried: the caller has received nothing.
    let first: IteratorResult<Uint8Array> | null = await pieces.next();
    this.#deadline.end();
    const next = async () => {
      if (first) return first;
      // Only the server's time counts, not the reader's.
      this.#deadline.begin();
      const piece = await pieces.next();
      this.#deadline.end();
      return piece;
    };
    const own = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await next();
            first = null;
            if (done) return this.#closeStream(controller);
            this.#attempt.reader.push(value);
            controller.enqueue(value);
          } catch (thrown) {
            const error = this.#explain(thrown);
            this.#end(error);
            controller.error(error);
          }
        },
        cancel: () => {
          this.#end('abandoned');
          answer.leave();
        },
      },
      { highWaterMark: 0 },
    );
    // A reader who aborts may not read on, but must free the place.
    const { signal } = this.#deadline;
    const onAbort = () => this.#end(this.#explain(null));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#onEnd = () => signal.removeEventListener('abort', onAbort);
    return new Response(own, responseInit(answer));
  }

  #closeStream(controller: ReadableStreamDefaultController): void {
    this.#end(null);
    controller.close();
  }

  /** Milliseconds to wait before the next try; null when there is none. */
  #waitBefore(tries: number, error: unknown): number | null {
    if (tries > this.#place.retries || !isMemoryError(error)) return null;
    const { retryable, reason, retryAfterMs } = error.details;
    if (retryable !== true || reason === 'timeout') return null;
    const ownMs = FIRST_RETRY_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
    const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : ownMs;
    return waitMs > Math.min(MAX_RETRY_WAIT_MS, this.#deadline.remainingMs()) ? null : waitMs;
  }

  /** The failure in words that help a person, or the caller's reason for aborting. */
  #explain(error: unknown): unknown {
    const { who, timeoutMs, apiKey } = this.#place;
    const { signal, isStream } = this.#outgoing;
    if (signal?.aborted) return signal.reason;
    if (this.#deadline.isOver) {
      const what = isStream && this.#attempt.status !== null ? 'sent nothing more' : 'did not answer';
      return modelFailed(`${who} ${what} within ${timeoutMs} ms.`, { retryable: true, reason: 'timeout' });
    }
    if (isMemoryError(error)) return error;
    return connectionFailure(error, this.#attempt.status !== null, who, apiKey);
  }

  /** Ends the request. Only the first call has an effect. */
  #end(error: unknown): void {
    this.#deadline.end();
    this.#onEnd();
    this.#leave();
    if (!this.#attempt.report(error)) return;
    notify(this.#place.watchers.onCall, {
      modelId: this.#place.id,
      purpose: this.#outgoing.purpose,
      startedAt: this.#startedAt,
      elapsedMs: performance.now() - this.#start,
      usage: this.#attempt.reader.usage(),
      error: error === null ? null : messageOf(error),
    });
  }

  #newAttempt(tries: number): Attempt {
    return new Attempt(this.#place, this.#outgoing, tries);
  }
}

/** One attempt of a request, for the trace. */
class Attempt {
  status: number | null = null;
  readonly reader: UsageReader;
  readonly #place: Place;
  readonly #outgoing: Outgoing;
  readonly #tries: number;
  readonly #startedAt = Date.now();
  readonly #start = performance.now();
  #isReported = false;

  constructor(place: Place, outgoing: Outgoing, tries: number) {
    this.#place = place;
    this.#outgoing = outgoing;
    this.#tries = tries;
    this.reader = createUsageReader(outgoing.isStream, place.watchers.trace !== undefined);
  }

  /** Returns false when it was already reported. */
  report(error: unknown): boolean {
    if (this.#isReported) return false;
    this.#isReported = true;
    const { id, apiKey, watchers } = this.#place;
    const { path, body, purpose } = this.#outgoing;
    if (watchers.trace)
      notify(watchers.trace, {
        at: new Date(this.#startedAt).toISOString(),
        modelId: id,
        purpose,
        attempt: this.#tries,
        elapsedMs: performance.now() - this.#start,
        path,
        request: withoutSecrets(body, apiKey),
        status: this.status,
        reply: withoutSecrets(this.reader.text(), apiKey) || null,
        error: error === null ? null : messageOf(error),
      });
    return true;
  }
}

/** Statuses without a body. */
const WITHOUT_BODY = new Set([204, 205]);

/** The head for the decoded body, without headers about its framing. */
function responseInit({ status, headers }: Incoming): ResponseInit {
  const own = new Headers(headers);
  for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive']) own.delete(name);
  return { status, headers: own };
}

function notify<Value>(watcher: ((event: Value) => void) | undefined, event: Value): void {
  try {
    watcher?.(event);
  } catch {
    // Errors of observers are ignored; see Watchers.
  }
}
