/** Practice before the first question: recalls and packs that nobody waits for, so that those somebody waits for find everything ready. */
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
  /** What it reads stays read for those who ask. */
  readonly reader: DocumentReader;
  readonly embedder: Embedder | null;
  readonly now: () => Instant;
  readonly foregroundPriority: ForegroundPriority;
}

/** Packs until V8 has compiled what they run; it does so once for the process, not for each memory. */
const PACKS_TO_COMPILE = 80;
/** Packs after which a memory has read what most of them read. */
const PACKS_TO_READ = 12;
/** Lines before an utterance that are its context. */
const CONTEXT_LINES = 3;
/** Units read ahead, those of the last conversations: as many again have room beside them. */
const MAX_READ_AHEAD = 10_000;
/** The terms most used in them, whose lists take longest to read. */
const MAX_TERMS_READ_AHEAD = 2_000;
/** Units, and terms, read between two looks at whether somebody waits: a few milliseconds' work. */
const UNITS_AT_ONCE = 50;
const TERMS_AT_ONCE = 10;
/** Results asked for with them, so that a search takes all of its terms. */
const RESULTS_ASKED = 2_000;

let isCompiled = false;

/**
 * Prepares a memory for its first question: loads tokenizer and vectors, packs for the last things said in it as if they
 * were said now, and reads ahead what recalls read of the last conversations. Gives way after each to whoever waits.
 * Nothing of it is counted, told or kept, no model is asked over the network, and the memory and its answers stay what
 * they are.
 * @param signal ends it early
 */
export async function warmUp(parts: WarmUpParts, signal: AbortSignal): Promise<void> {
  const { store, now, foregroundPriority } = parts;
  const mayGoOn = async () => {
    await setImmediate();
    await foregroundPriority.free();
    return !signal.aborted;
  };
  if (!(await mayGoOn())) return;
  countTokens('.');
  const most = isCompiled ? PACKS_TO_READ : PACKS_TO_COMPILE;
  const said = unitsOfKind('episode', await store.units.list({ kinds: ['episode'] }, { limit: most }));
  const recall = await silentRecall(parts);
  for (const [i, episode] of said.entries()) {
    if (!(await mayGoOn())) return;
    const before = said.slice(i + 1, i + 1 + CONTEXT_LINES).reverse();
    await buildPack({ store, recall, now }, episode.payload.text, {
      context: before.map(({ payload }) => ({ speaker: payload.speaker, text: payload.text })),
      exceptUnitIds: [episode.id],
    });
  }
  isCompiled ||= said.length === PACKS_TO_COMPILE;
  await readAhead(parts, mayGoOn);
}

/** Has store and reader read what they then keep. */
async function readAhead({ store, reader }: WarmUpParts, mayGoOn: () => Promise<boolean>): Promise<void> {
  const uses = new Map<string, number>();
  let last: Unit | undefined;
  for (let read = 0; read < MAX_READ_AHEAD; read += UNITS_AT_ONCE) {
    if (!(await mayGoOn())) return;
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const units = await store.units.list(
      { kinds: ['episode'] },
      { limit: UNITS_AT_ONCE, ...(after && { after }) },
    );
    const unitIds = units.map(({ id }) => id);
    await reader.read(unitIds);
    await store.units.neighbours(unitIds, { before: 1, after: 1 });
    for (const unit of units)
      for (const term of new Set(terms(unitText(unit)))) uses.set(term, (uses.get(term) ?? 0) + 1);
    last = units.at(-1);
    if (units.length < UNITS_AT_ONCE) break;
  }
  const mostUsed = [...uses].sort((a, b) => b[1] - a[1]).slice(0, MAX_TERMS_READ_AHEAD);
  for (let i = 0; i < mostUsed.length; i += TERMS_AT_ONCE) {
    if (!(await mayGoOn())) return;
    const wanted = mostUsed.slice(i, i + TERMS_AT_ONCE).map(([term]) => term);
    await store.indexes.text.search(wanted, {}, RESULTS_ASKED);
  }
}

/** As those who ask have it, but it asks no model and counts for nothing. */
async function silentRecall({ store, reader, embedder, now }: WarmUpParts) {
  const practised = embedder?.isLocal === true ? embedder : await standIn(store);
  const recall = createRecall({ store, reader, embedder: practised, now });
  return {
    recall: (...[utterance, options]: Parameters<typeof recall.recall>) =>
      recall.recall(utterance, { ...options, count: false }),
  };
}

/** Answers what an embedder would, with the mean of the memory's vectors; null when there are none. */
async function standIn({ indexes }: Store): Promise<Embedder | null> {
  const [model, mean] = await Promise.all([indexes.vectors.model(), indexes.vectors.mean()]);
  if (!model || !mean) return null;
  const { id, dimensions } = model;
  return { id, dimensions, batchSize: 1, embed: async (texts) => texts.map(() => mean) };
}
