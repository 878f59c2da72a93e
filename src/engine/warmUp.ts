/** Practice before the first question: recalls and packs that nobody waits for, so that those somebody waits for find everything ready. */
import { setImmediate } from 'node:timers/promises';
import type { Embedder } from '../llm/llm.ts';
import type { Episode, Instant } from '../model/model.ts';
import { buildPack } from '../pack/pack.ts';
import { createRecall, type DocumentReader } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';
import { countTokens } from '../text/text.ts';
import type { RightOfWay } from './rightOfWay.ts';

export interface WarmUpParts {
  readonly store: Store;
  /** What it reads stays read for those who ask. */
  readonly reader: DocumentReader;
  readonly embedder: Embedder | null;
  readonly now: () => Instant;
  readonly rightOfWay: RightOfWay;
}

/** Packs until V8 has compiled what they run; it does so once for the process, not for each memory. */
const PACKS_TO_COMPILE = 80;
/** Packs after which a memory has read what most of them read. */
const PACKS_TO_READ = 12;
/** Lines before an utterance that are its context. */
const CONTEXT_LINES = 3;

let isCompiled = false;

/**
 * Prepares a memory for its first question: loads tokenizer and vectors, and packs for the last things said in it as if
 * they were said now. Gives way after each to whoever waits. Nothing of it is counted, told or kept, no model is asked
 * over the network, and the memory and its answers stay what they are.
 * @param signal ends it early
 */
export async function warmUp(parts: WarmUpParts, signal: AbortSignal): Promise<void> {
  const { store, now, rightOfWay } = parts;
  const mayGoOn = async () => {
    await setImmediate();
    await rightOfWay.free();
    return !signal.aborted;
  };
  if (!(await mayGoOn())) return;
  countTokens('.');
  const most = isCompiled ? PACKS_TO_READ : PACKS_TO_COMPILE;
  const said = (await store.listUnits({ kinds: ['episode'] }, { limit: most })) as Episode[];
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
async function standIn({ vectors }: Store): Promise<Embedder | null> {
  const [model, mean] = await Promise.all([vectors.model(), vectors.mean()]);
  if (!model || !mean) return null;
  const { id, dimensions } = model;
  return { id, dimensions, batchSize: 1, embed: async (texts) => texts.map(() => mean) };
}
