/** Aborted when the client disconnects, with an AbortError as reason, since the adapter's own reason is a string. */
export function createDisconnect({ signal }: Request): AbortController {
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return disconnected;
}
