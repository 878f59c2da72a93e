import { isMemoryError, type PlanOperation, type ReorganizationPlan, messageOf } from '../model/model.ts';
import { RolledBackProposals } from './rolledBack.ts';
import { planByModel } from './modelPlan.ts';
import type { OrganizeParts } from './parts.ts';
import { createPauses } from '../async/async.ts';
import { planByRules, type Situation } from './rules.ts';
import { listTopics, readBackground } from './survey.ts';
import { possibleOperations } from './validate.ts';

export interface PlanOptions {
  /** How long a language model may take, in milliseconds; default two minutes. After that only the rules are used. */
  readonly modelTimeLimitMs?: number;
  /** Called, in English, for each proposed operation that is not possible, with the reason. */
  readonly onNote?: (note: string) => void;
  readonly signal?: AbortSignal;
}

const MODEL_TIME_LIMIT_MS = 120_000;

/**
 * Makes a plan: splits large and incoherent topics, merges small ones into similar ones, adds parents to topics that
 * are similar and near in time, archives units that expired or faded, merges units that say the same, and updates
 * figures that drifted. Changes nothing. A language model, if there is one, proposes first; its valid operations are
 * used and rules add the rest. Operations that a person rolled back are not proposed again. Deterministic, except for
 * the model.
 */
export async function planReorganization(
  parts: OrganizeParts,
  options: PlanOptions = {},
): Promise<ReorganizationPlan> {
  const situation = await readSituation(parts, options.signal);
  const declined = await RolledBackProposals.read(parts.store);
  const proposed = await askModel(situation, options);
  const decided = proposed?.operations.flatMap((operation) => declined.prune(operation)) ?? [];
  const { operations, refresh } = await planByRules(situation, decided, declined);
  const all = [...decided, ...operations];
  return {
    at: situation.now,
    by: proposed?.modelId ?? 'rules',
    operations: await possibleOperations(parts.store, all, options.onNote ?? (() => {})),
    refresh: [...refresh],
  };
}

async function readSituation(parts: OrganizeParts, signal?: AbortSignal): Promise<Situation> {
  const { store } = parts;
  const topics = await listTopics(store);
  const common = await store.indexes.vectors.mean();
  const background = await readBackground(store, common);
  return { parts, now: parts.now(), topics, common, background, pause: createPauses(signal) };
}

/** What a model proposes; null without a model, or when it fails or takes too long. */
async function askModel(
  situation: Situation,
  { modelTimeLimitMs = MODEL_TIME_LIMIT_MS, onNote = () => {}, signal }: PlanOptions,
): Promise<{ modelId: string; operations: PlanOperation[] } | null> {
  const model = situation.parts.model();
  if (!model || situation.topics.length === 0) return null;
  const timeLimit = AbortSignal.timeout(modelTimeLimitMs);
  try {
    const operations = await planByModel(
      situation,
      model,
      onNote,
      signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
    );
    return { modelId: model.id, operations };
  } catch (error) {
    signal?.throwIfAborted();
    if (!timeLimit.aborted && !isMemoryError(error, 'MODEL_FAILED')) throw error;
    const reason = timeLimit.aborted ? `It took longer than ${modelTimeLimitMs} ms.` : messageOf(error);
    onNote(`The language model proposed nothing. ${reason}`);
    return null;
  }
}
