/** Keeps what is shown in step with the server: other tabs, background work, and the server’s going and coming back. */
import { useEffect, useSyncExternalStore } from 'react';
import { api, queryClient } from './api.ts';
import { useToken } from './session.ts';

type Connection = 'online' | 'offline';

const RETRY_MS = 1_500;
let connection: Connection = 'online';
const listeners = new Set<() => void>();

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}

/** Reads again whatever is shown of the memory, whenever the server says that it has changed. */
export function useLiveMemory(memoryId: string): void {
  const token = useToken();
  useEffect(() => {
    if (token === null) return;
    const leaving = new AbortController();
    void follow(memoryId, leaving.signal);
    return () => leaving.abort();
  }, [memoryId, token]);
}

async function follow(memoryId: string, signal: AbortSignal): Promise<void> {
  let hasBeenAway = false;
  while (!signal.aborted) {
    try {
      for await (const { event } of api.followChanges({ memoryId }, { signal })) {
        setConnection('online');
        if (event === 'changed' || hasBeenAway) void queryClient.invalidateQueries({ queryKey: [memoryId] });
        if (hasBeenAway) void queryClient.invalidateQueries({ queryKey: ['server'] });
        hasBeenAway = false;
      }
    } catch {
      // The server has gone, or the token has; the latter shows elsewhere.
    }
    if (signal.aborted) return;
    hasBeenAway = true;
    setConnection('offline');
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}
