import { queryClient } from '../api/api.ts';
import { memoriesQuery } from '../api/queries.ts';

const KEY = 'omoide-memory';
const DEFAULT = 'default';

export function rememberMemory(memoryId: string): void {
  localStorage.setItem(KEY, memoryId);
}

/** The last used memory, if it still exists; else the first one. */
export async function lastMemory(): Promise<string> {
  const last = localStorage.getItem(KEY);
  try {
    const { items } = await queryClient.ensureQueryData(memoriesQuery);
    const ids = items.map(({ memoryId }) => memoryId);
    if (last !== null && ids.includes(last)) return last;
    return ids.includes(DEFAULT) ? DEFAULT : (ids[0] ?? DEFAULT);
  } catch {
    // The next query reports the error.
    return last ?? DEFAULT;
  }
}
