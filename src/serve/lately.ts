/** Within this time the last result is returned. */
const REPEAT_MS = 5_000;

/** What `ask` returns, or what it returned up to five seconds ago. If the clock was set back, it is asked again. */
export function lately<T>(ask: () => T, now: () => number): () => T {
  let last: { readonly at: number; readonly result: T } | null = null;
  return () => {
    const at = now();
    if (last === null || at - last.at >= REPEAT_MS || at < last.at) last = { at, result: ask() };
    return last.result;
  };
}
