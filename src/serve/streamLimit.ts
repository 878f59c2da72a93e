import type { Caller } from './auth.ts';
import { Problem } from './problem.ts';

/** The most event streams that one token may have open. */
export const MAX_STREAMS = 32;

/** How often an open stream looks whether its token is still valid, besides before each event. */
const CHECK_MS = 30_000;

/** Calls `end` when the caller's token was revoked or has expired. Returns a function that stops looking. */
export function whenInvalid(caller: Caller | null, end: () => void): () => void {
  const check = setInterval(() => {
    if (caller && !caller.isValid()) end();
  }, CHECK_MS).unref();
  return () => clearInterval(check);
}

export class StreamLimit {
  readonly #open = new Map<string | null, number>();

  /** @throws Problem RATE_LIMITED when the caller has reached the limit */
  check(caller: Caller | null): void {
    if ((this.#open.get(caller?.id ?? null) ?? 0) < MAX_STREAMS) return;
    throw new Problem('RATE_LIMITED', `A token may have ${MAX_STREAMS} open streams; close one first.`);
  }

  /** @returns a function to call when the stream has ended; calling it again does nothing */
  add(caller: Caller | null): () => void {
    const id = caller?.id ?? null;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    };
  }
}
