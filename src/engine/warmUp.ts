/** Runs recalls and packs in the background before the first request, so that the first requests are fast. */
import { setImmediate } from 'node:timers/promises';
import type { Embedder } from '../llm/llm.ts';
import { unitsOfKind, unitText, type Instant, type Unit } from '../model/model.ts';
import { buildPack } from '../pack/pack.ts';
import { createRecall, type DocumentReader } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';
import { countTokens, terms } from '../text/text.ts';
import type { ForegroundPriority } from '../async/async.ts';

export interface WarmUpParts {
  readonly store: Store;
  /** The cache that later requests use. */
  readonly reader: DocumentReader;
  readonly embedder: Embedder | null;
  readonly now: () => Instant;
  readonly foregroundPriority: ForegroundPriority;
}

/** How many packs it takes until V8 has compiled their code; needed once per process, not per memory. */
const PACKS_TO_COMPILE = 80;
/** How many packs it takes until most of a memory's caches are filled. */
const PACKS_TO_READ = 12;
/** Lines before an utterance that are used as its context. */
const CONTEXT_LINES = 3;
/** The most units read in advance, from the last conversations; the cache has space for as many again. */
const MAX_READ_AHEAD = 10_000;
/** The most frequent terms in them, whose lists take longest to read. */
const MAX_TERMS_READ_AHEAD = 2_000;
/** Units, and terms, read between two checks for waiting requests: a few milliseconds of work. */
const UNITS_AT_ONCE = 50;
const TERMS_AT_ONCE = 10;
/** The limit of these searches, so high that a search uses all of its terms. */
const RESULTS_ASKED = 2_000;

let isCompiled = false;

/**
 * Prepares a memory for its first request: loads tokenizer and vectors, packs for the last turns as if they were
 * said now, and reads in advance what recalls need of the last conversations. Yields to waiting requests after each
 * step. Nothing is counted, reported or stored, no remote model is used, and results do not change.
 * @param signal ends it early
 */
export async function warmUp(parts: WarmUpParts, signal: AbortSignal): Promise<void> {
  const { store, now, foregroundPriority } = parts;
  const shouldContinue = async () => {
    await setImmediate();
    await foregroundPriority.whenIdle();
    return !signal.aborted;
  };
  if (!(await shouldContinue())) return;
  countTokens('.');
  const max = isCompiled ? PACKS_TO_READ : PACKS_TO_COMPILE;
  const said = unitsOfKind('episode', await store.units.list({ kinds: ['episode'] }, { limit: max }));
  const recall = await createUncountedRecall(parts);
  for (const [i, episode] of said.entries()) {
    if (!(await shouldContinue())) return;
    const before = said.slice(i + 1, i + 1 + CONTEXT_LINES).reverse();
    await buildPack({ store, recall, now }, episode.payload.text, {
      context: before.map(({ payload }) => ({ speaker: payload.speaker, text: payload.text })),
      exceptUnitIds: [episode.id],
    });
  }
  isCompiled ||= said.length === PACKS_TO_COMPILE;
  await readAhead(parts, shouldContinue);
}

/** Fills the caches of store and reader. */
async function readAhead(
  { store, reader }: WarmUpParts,
  shouldContinue: () => Promise<boolean>,
): Promise<void> {
  const uses = new Map<string, number>();
  let last: Unit | undefined;
  for (let read = 0; read < MAX_READ_AHEAD; read += UNITS_AT_ONCE) {
    if (!(await shouldContinue())) return;
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const units = await store.units.list(
      { kinds: ['episode'] },
      { limit: UNITS_AT_ONCE, ...(after && { after }) },
    );
    const unitIds = units.map(({ id }) => id);
    await reader.read(unitIds);
    await store.units.adjacent(unitIds, {}, 1);
    for (const unit of units)
      for (const term of new Set(terms(unitText(unit)))) uses.set(term, (uses.get(term) ?? 0) + 1);
    last = units.at(-1);
    if (units.length < UNITS_AT_ONCE) break;
  }
  const mostUsed = [...uses].sort((a, b) => b[1] - a[1]).slice(0, MAX_TERMS_READ_AHEAD);
  for (let i = 0; i < mostUsed.length; i += TERMS_AT_ONCE) {
    if (!(await shouldContinue())) return;
    const wanted = mostUsed.slice(i, i + TERMS_AT_ONCE).map(([term]) => term);
    await store.indexes.text.search(wanted, {}, RESULTS_ASKED);
  }
}

/** A recall like those of users, but without models and without counting. */
async function createUncountedRecall({ store, reader, embedder, now }: WarmUpParts) {
  const practised = embedder?.isLocal === true ? embedder : await meanEmbedder(store);
  const recall = createRecall({ store, reader, embedder: practised, now });
  return {
    recall: (...[utterance, options]: Parameters<typeof recall.recall>) =>
      recall.recall(utterance, { ...options, count: false }),
  };
}

/** An embedder that returns the mean of the memory's vectors; null when there are none. */
async function meanEmbedder({ indexes }: Store): Promise<Embedder | null> {
  const [model, mean] = await Promise.all([indexes.vectors.model(), indexes.vectors.mean()]);
  if (!model || !mean) return null;
  const { id, dimensions } = model;
  return { id, dimensions, batchSize: 1, embed: async (texts) => texts.map(() => mean) };
}
