/** Creates the few missing vectors of the newest turns, so that a turn can be found by meaning right after it was said. */
import { embeddedText } from '../model/model.ts';
import type { Embedder } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';
import { withinTime } from '../async/async.ts';
import type { Question } from './types.ts';

/** Number of newest units checked; the vectors of an import are created in the background. */
const MAX_EMBEDDED = 16;
/**
 * Units without a vector after this time are only found by keyword search. The first vector waits until the encoder is
 * loaded, which takes seconds on a busy machine.
 */
const LIMIT_MS = 3_000;

/** Only for an embedder in this process: others cost money or seconds. */
export async function embedNewest(
  store: Store,
  embedder: Embedder | null,
  { filter }: Question,
): Promise<void> {
  if (!embedder?.isLocal || store.isReadOnly) return;
  const newest = { kinds: filter.kinds, limit: MAX_EMBEDDED };
  // A chat has just stored the utterance itself, which is no hit: its job embeds it.
  const excluded = new Set(filter.exceptUnitIds);
  const missingIds = await store.indexes.vectors.newestWithout(embedder.id, newest);
  const unitIds = missingIds.filter((id) => !excluded.has(id));
  if (unitIds.length === 0) return;
  const missing = await store.units.get(unitIds);
  const until = performance.now() + LIMIT_MS;
  try {
    // One at a time, the newest first: for a few texts this is faster than starting threads.
    for (const unit of missing) {
      const left = Math.ceil(until - performance.now());
      if (left <= 0) return;
      const [vector] = await withinTime(left, (signal) =>
        embedder.embed([embeddedText(unit)], 'document', signal),
      );
      if (vector) await store.indexes.vectors.upsert(embedder.id, [{ unitId: unit.id, vector }]);
    }
  } catch {
    // A busy memory is searched with the vectors that it has.
  }
}
