/** Refreshes the page after changes by other tabs or background work, and after connection losses. */
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

/** Refetches all data of the memory whenever the server reports a change. */
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
      // The server is down or the token is invalid; the next request handles the latter.
    }
    if (signal.aborted) return;
    hasBeenAway = true;
    setConnection('offline');
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}
