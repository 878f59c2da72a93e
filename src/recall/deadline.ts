/**
 * What `body` resolves to, if it does so in time. It is handed a signal that tells when time is up, and is waited for no
 * longer even when it does not heed it.
 * @throws the signal's reason (a TimeoutError) when time is up
 */
export async function withinTime<T>(limitMs: number, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs);
  const timeIsUp = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // Called within a promise of its own, so that what it throws at once does not leave the other one unwatched.
  return Promise.race([timeIsUp, Promise.resolve(signal).then(body)]);
}
