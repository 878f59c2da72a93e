/** A time limit for each of several waits, for example for the chunks of a stream. */
export interface Deadline {
  /** Aborts with the caller's reason when the caller aborts, and when a wait takes too long. */
  readonly signal: AbortSignal;
  /** Whether a wait took too long. */
  readonly isOver: boolean;
  /** The remaining time of the current wait, in milliseconds. */
  remainingMs(): number;
  /** Starts a wait. */
  begin(): void;
  /** Ends the wait in time. */
  end(): void;
}

/** @param limitMs of each wait @param caller aborts it early */
export function createDeadline(limitMs: number, caller?: AbortSignal): Deadline {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let endsAt = Infinity;
  return {
    signal: caller === undefined ? own.signal : AbortSignal.any([caller, own.signal]),
    get isOver() {
      return own.signal.aborted;
    },
    remainingMs: () => endsAt - performance.now(),
    begin() {
      clearTimeout(timer);
      endsAt = performance.now() + limitMs;
      timer = setTimeout(() => own.abort(new Error('The time limit has passed.')), limitMs);
    },
    end() {
      clearTimeout(timer);
      endsAt = Infinity;
    },
  };
}

/**
 * What `body` resolves to, if in time. Its signal aborts when the time is over; a body that ignores it is not waited
 * for.
 * @throws the signal's reason (a TimeoutError) when the time is over
 */
export async function withinTime<T>(limitMs: number, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs);
  // Called within a promise, so that a synchronous error rejects that promise.
  return abortable(Promise.resolve(signal).then(body), signal);
}

/** What the work resolves to. @throws the signal's reason once it is aborted, even if the work continues */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
