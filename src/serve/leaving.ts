/** Aborted when the client disconnects, with an AbortError as reason, since the adapter's own reason is a string. */
export function createLeaving({ signal }: Request): AbortController {
  const leaving = new AbortController();
  const abort = () => leaving.abort();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return leaving;
}
