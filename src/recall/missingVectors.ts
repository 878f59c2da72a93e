/** Right after it was said a turn is found by its meaning too: what few vectors are missing are made when they are needed. */
import { embeddedText } from '../model/model.ts';
import type { Embedder } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';
import { withinTime } from '../async/async.ts';
import type { Question } from './types.ts';

/** The newest units that are looked at; an import leaves its vectors to the background. */
const MAX_EMBEDDED = 16;
/** What is not there by then is searched by words. */
const LIMIT_MS = 1_000;

/** Only of an embedder that works in this process: others cost money, or seconds. */
export async function embedNewest(
  store: Store,
  embedder: Embedder | null,
  { filter }: Question,
): Promise<void> {
  if (!embedder?.isLocal) return;
  const model = await store.indexes.vectors.model();
  if (model && model.id !== embedder.id) return;
  const newest = await store.units.list(
    { ...(filter.kinds && { kinds: filter.kinds }) },
    { limit: MAX_EMBEDDED },
  );
  const known = await store.indexes.vectors.get(newest.map(({ id }) => id));
  const missing = newest.filter(({ id }) => !known.has(id));
  const until = performance.now() + LIMIT_MS;
  try {
    // One at a time, the newest first: a few are made sooner here than by threads that have to be started.
    for (const unit of missing) {
      const left = Math.ceil(until - performance.now());
      if (left <= 0) return;
      const [vector] = await withinTime(left, (signal) =>
        embedder.embed([embeddedText(unit)], 'document', signal),
      );
      if (vector) await store.indexes.vectors.upsert(embedder.id, [{ unitId: unit.id, vector }]);
    }
  } catch {
    // A memory that is read only, or busy, is searched with the vectors that it has.
  }
}
