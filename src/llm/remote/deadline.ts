/** How long a server is waited for. */
export interface Deadline {
  /** Aborts with the caller's reason when the caller stops, and when a wait takes too long. */
  readonly signal: AbortSignal;
  /** Whether a wait took too long. */
  readonly isOver: boolean;
  /** What is left of the wait under way, in milliseconds. */
  remainingMs(): number;
  /** A wait begins. */
  begin(): void;
  /** What was waited for came. */
  end(): void;
}

export function createDeadline(limitMs: number, caller?: AbortSignal): Deadline {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let deadline = Infinity;
  return {
    signal: caller === undefined ? own.signal : AbortSignal.any([caller, own.signal]),
    get isOver() {
      return own.signal.aborted;
    },
    remainingMs: () => deadline - performance.now(),
    begin() {
      clearTimeout(timer);
      deadline = performance.now() + limitMs;
      timer = setTimeout(() => own.abort(new Error('The time is over.')), limitMs);
    },
    end() {
      clearTimeout(timer);
      deadline = Infinity;
    },
  };
}
