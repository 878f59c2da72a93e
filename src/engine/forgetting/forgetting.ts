/** Permanent forgetting: previews it, or erases and issues a receipt. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  KINDS,
  type Episode,
  unitText,
  type Instant,
  type Kind,
  type NewJob,
  type Receipt,
  type Unit,
  recordOf,
} from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { signReceipt, type SigningKey } from '../checkpoints/checkpoints.ts';
import { checkPlan, formatPlan, withinPlan } from './plan.ts';
import { parseForgetRequest, type ForgetRequest } from './request.ts';
import { select } from './selection.ts';
import { findTraces, type Traces, type Tracing } from './traces.ts';

export { forgetRequestSchema, type ForgetRequest } from './request.ts';
export { ANY, listAll } from './selection.ts';

/** How many samples of each kind are shown. */
const MAX_SAMPLES = 5;
const SAMPLE_LENGTH = 120;

export interface ForgettingParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** Signs receipts. */
  readonly key: SigningKey;
  readonly nameTopic: Tracing['nameTopic'];
  /** Called when the store has erased everything. */
  readonly onErased: () => void;
}

/** What was erased, or would be. */
export interface Erased {
  readonly isDryRun: boolean;
  /**
   * Result of a dry run: identifies what would be erased. A request with it erases exactly this. Null when there is
   * nothing to erase, and after erasing.
   */
  readonly plan: string | null;
  /** Erased units, by kind; `episode` stands for turns. */
  readonly counts: Readonly<Record<Kind, number>>;
  /** Units that are kept, without the evidence that was erased; notes that are kept, without their earlier text. */
  readonly changed: number;
  /** Topics that get other texts. */
  readonly topicsRenamed: number;
  /** The first words of a few erased units of each kind. */
  readonly samples: readonly { readonly unitId: number; readonly kind: Kind; readonly text: string }[];
  /**
   * Notes with the same content. They are files of a person and are not changed: edit them to remove it, then forget
   * the unit, which erases its earlier text.
   */
  readonly notes: readonly {
    readonly unitId: number;
    readonly uri: string;
    readonly section: string;
    readonly text: string;
  }[];
  /** The signed proof; null for a dry run, or when there was nothing to erase. */
  readonly receipt: Receipt | null;
}

/** @throws MemoryError NOT_FOUND, INVALID_INPUT, INVALID_TIME, VERSION_CONFLICT, READ_ONLY, DISK_FULL, BUSY */
export async function forgetPermanently(parts: ForgettingParts, request: ForgetRequest): Promise<Erased> {
  const { store, nameTopic } = parts;
  const wanted = parseForgetRequest(request, store.timeZone);
  const { plan, dryRun: isDryRun = false } = request;
  const found = await select(store, wanted);
  const selection = plan === undefined ? found : withinPlan(found, plan);
  const { episodes } = selection;
  const traces = await findTraces({ store, episodes, nameTopic, units: selection.units });
  const units = [...episodes, ...traces.units];
  const planned = { wanted, selection, derived: traces.units };
  if (plan !== undefined) checkPlan(plan, planned, parts.now());
  const told = { ...describe(units, traces), isDryRun, plan: null };
  if (units.length + traces.reworded.length === 0) return { ...told, receipt: null };
  if (isDryRun) return { ...told, plan: formatPlan(planned, parts.now()), receipt: null };
  const receipt = await signReceipt(store, parts.key, {
    what: wanted.what,
    turnIds: episodes.map(({ payload }) => payload.turnId),
    unitIds: units.map(({ id }) => id),
    counts: { ...told.counts, changed: told.changed, topics: told.topicsRenamed },
    at: parts.now(),
  });
  const running = await runningJobs(store);
  await store.forgetting.erase({
    turnIds: episodes.map(({ payload }) => payload.turnId),
    unitIds: traces.units.map(({ id }) => id),
    reworded: traces.reworded,
    topics: traces.topics,
    jobs: jobsFor(traces.units),
    receipt,
  });
  parts.onErased();
  if (episodes.length > 0 && running.size > 0)
    await eraseLateWrites(parts, wanted.what, { episodes, running });
  return { ...told, receipt };
}

/** Longest time for which jobs of other processes are waited for. */
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 100;
const MAX_RUNNING = 1_000;

/** Erases what jobs of other processes, which had read the words before, have written since. */
async function eraseLateWrites(
  parts: ForgettingParts,
  what: Receipt['what'],
  { episodes, running }: { readonly episodes: readonly Episode[]; readonly running: ReadonlySet<number> },
): Promise<void> {
  const { store, nameTopic } = parts;
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await pause(LOOK_EVERY_MS)) {
    if ((await runningJobs(store)).isDisjointFrom(running)) break;
  }
  const traces = await findTraces({ store, episodes, nameTopic, units: [], areErased: true });
  const { units, reworded, topics } = traces;
  if (units.length + reworded.length + topics.length === 0) return;
  const { counts } = describe(units, traces);
  const receipt = await signReceipt(store, parts.key, {
    what,
    turnIds: [],
    unitIds: units.map(({ id }) => id),
    counts: { ...counts, changed: reworded.length, topics: topics.length },
    at: parts.now(),
  });
  const unitIds = units.map(({ id }) => id);
  await store.forgetting.erase({ turnIds: [], unitIds, reworded, topics, jobs: jobsFor(units), receipt });
  parts.onErased();
}

async function runningJobs(store: Store): Promise<ReadonlySet<number>> {
  const jobs = await store.jobs.list({ status: 'running', limit: MAX_RUNNING });
  return new Set(jobs.map(({ id }) => id));
}

function describe(units: readonly Unit[], traces: Traces): Omit<Erased, 'receipt' | 'isDryRun' | 'plan'> {
  const byKind = Map.groupBy(units, ({ kind }) => kind);
  const samples = [...byKind.values()].flatMap((ofKind) => ofKind.slice(0, MAX_SAMPLES));
  return {
    counts: recordOf(KINDS, (kind) => byKind.get(kind)?.length ?? 0),
    changed: traces.reworded.length,
    topicsRenamed: traces.topics.length,
    samples: samples.map((unit) => ({
      unitId: unit.id,
      kind: unit.kind,
      text:
        unit.sensitivity === 'secret' ? '(a secret)' : unitText(unit).slice(0, SAMPLE_LENGTH).toWellFormed(),
    })),
    notes: traces.notes.map(({ id, payload: { uri, section, text } }) => ({
      unitId: id,
      uri,
      section,
      text,
    })),
  };
}

/** Summaries are made again from the remaining units. */
function jobsFor(gone: readonly Unit[]): NewJob[] {
  const jobs = gone.flatMap((unit): NewJob[] => {
    if (unit.kind === 'capsule')
      return [{ kind: 'refresh_capsule', key: 'refresh_capsule', conversationId: null, input: {} }];
    if (unit.kind !== 'summary') return [];
    const { scope, scopeKey } = unit.payload;
    const key = `summarize/${scope}/${scopeKey}`;
    return [{ kind: 'summarize', key, conversationId: null, input: { scope, scopeKey } }];
  });
  return [...new Map(jobs.map((job) => [job.key, job])).values()];
}
