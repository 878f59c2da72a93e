/** A time limit for each of several waits, such as those for the pieces of a stream. */
export interface Deadline {
  /** Aborts with the caller's reason when the caller stops, and when a wait takes too long. */
  readonly signal: AbortSignal;
  /** Whether a wait took too long. */
  readonly isOver: boolean;
  /** What is left of the present wait, in milliseconds. */
  remainingMs(): number;
  /** A wait begins. */
  begin(): void;
  /** The wait ended in time. */
  end(): void;
}

/** @param limitMs of each wait @param caller ends it early */
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
      timer = setTimeout(() => own.abort(new Error('The time is over.')), limitMs);
    },
    end() {
      clearTimeout(timer);
      endsAt = Infinity;
    },
  };
}

/**
 * What `body` resolves to, if it does so in time. Its signal tells when time is up; a body that ignores it is not waited for.
 * @throws the signal's reason (a TimeoutError) when time is up
 */
export async function withinTime<T>(limitMs: number, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs);
  // Called within a promise, so that what it throws at once rejects that promise.
  return abortable(Promise.resolve(signal).then(body), signal);
}

/** What the work resolves to. @throws the signal's reason once that is aborted, also while the work goes on */
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
