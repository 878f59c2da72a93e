import { queryClient } from '../api/api.ts';
import { memoriesQuery } from '../api/queries.ts';

const KEY = 'omoide-memory';
const DEFAULT = 'default';

export function rememberMemory(memoryId: string): void {
  localStorage.setItem(KEY, memoryId);
}

/** The memory looked at last, if it is still there; else the first there is. */
export async function lastMemory(): Promise<string> {
  const last = localStorage.getItem(KEY);
  try {
    const { items } = await queryClient.ensureQueryData(memoriesQuery);
    const ids = items.map(({ memoryId }) => memoryId);
    if (last !== null && ids.includes(last)) return last;
    return ids.includes(DEFAULT) ? DEFAULT : (ids[0] ?? DEFAULT);
  } catch {
    // Whoever asks next says why.
    return last ?? DEFAULT;
  }
}
