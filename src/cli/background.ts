/** Runs the due background work of a memory in a command: first vectors, then learning from turns. */
import { internals, type Job, type Memory, type WorkerEvent } from '../engine/engine.ts';
import { addedTo, formatDerived, type UnitCounts } from './derived.ts';
import { openExisting, withMemory, type OpenOptions } from './opening.ts';
import { createProgress } from './progress.ts';
import type { Settings } from './settings.ts';
import { countOf, plain, style } from './terminal.ts';

interface JobReport {
  /** Jobs that are waiting to start or to be retried. */
  readonly waiting: number;
  /** Jobs that failed too often. */
  readonly failed: number;
  /** Why some were not done; null when all were done, or the work was interrupted. */
  readonly error: string | null;
}

export interface VectorReport extends JobReport {
  readonly made: number;
}

export interface LearningReport extends JobReport {
  readonly done: number;
  /** The number of units that were created. */
  readonly units: UnitCounts;
}

export interface WorkReport {
  /** Null: there was nothing to embed. */
  readonly vectors: VectorReport | null;
  /** Null: there was nothing to learn from. */
  readonly learning: LearningReport | null;
}

type Task = 'embed' | 'learn';

/** After this many failures without a success the model counts as unreachable, and the rest is not tried. */
const MAX_FAILURES = 16;
const JOBS_PER_PAGE = 1_000;

/** Works until nothing is due, the signal is aborted between two batches, or a model seems unreachable. */
export async function runJobs(
  given: Settings,
  wanted: { readonly embed: boolean; readonly learn: boolean },
  signal: AbortSignal,
): Promise<WorkReport> {
  // The memory exists and has its own time zone.
  const settings = { ...given, timeZone: undefined };
  const vectors = wanted.embed ? await runTask(settings, 'embed', { embeds: true }, signal) : null;
  // Learnt units are embedded too, unless embedding has just failed.
  const embeds = vectors !== null && vectors.report.error === null;
  const learning = wanted.learn ? await runTask(settings, 'learn', { embeds, learns: true }, signal) : null;
  return {
    vectors: vectors && { made: vectors.done + (learning?.other ?? 0), ...vectors.report },
    learning: learning && { done: learning.done, units: learning.units, ...learning.report },
  };
}

interface BatchResult {
  readonly done: number;
  /** Number of jobs of the other task that were done. */
  readonly other: number;
  readonly units: UnitCounts;
  readonly report: JobReport;
}

async function runTask(
  settings: Settings,
  task: Task,
  options: Pick<OpenOptions, 'embeds' | 'learns'>,
  signal: AbortSignal,
): Promise<BatchResult> {
  const done = { embed: 0, learn: 0 };
  let failures = 0;
  let error: string | null = null;
  const onWorkerEvent = (event: WorkerEvent) => {
    if (event.type === 'done') {
      done[taskOf(event)] += event.count;
      failures = 0;
    } else {
      ({ error } = event);
      failures += 1;
    }
  };
  const memory = await openExisting(settings, { ...options, onWorkerEvent });
  return withMemory(memory, async () => {
    const { units: before } = await memory.admin.info();
    const { waiting: total } = await countJobs(memory, task);
    error = task === 'embed' && total > 0 ? await otherModel(memory) : null;
    if (error === null && !signal.aborted) {
      await settle(memory, task, total, () => signal.aborted || failures >= MAX_FAILURES);
    }
    const { waiting, failed } = await countJobs(memory, task);
    const other = done[task === 'embed' ? 'learn' : 'embed'];
    return {
      done: done[task],
      other,
      units: addedTo(before, (await memory.admin.info()).units),
      report: { waiting, failed, error: waiting + failed > 0 ? error : null },
    };
  });
}

/** Thrown through `settle` to stop it between two batches. */
class Stop extends Error {}

async function settle(memory: Memory, task: Task, total: number, isEnough: () => boolean): Promise<void> {
  const progress =
    task === 'embed' ? createProgress('Embedding', 'turns') : createProgress('Learning:', 'jobs');
  const onBatch = (done: number) => {
    progress.update(done, Math.max(done, total));
    if (isEnough()) throw new Stop();
  };
  try {
    await internals(memory).settle(onBatch);
    // Capsule jobs are delayed, in case another turn follows. Here none follows, so they run now.
    const capsules =
      task === 'learn' ? await memory.jobs.list({ kind: 'refresh_capsule', status: 'queued', limit: 1 }) : [];
    if (capsules.length === 0) return;
    await memory.jobs.runNow(capsules.map(({ id }) => id));
    await internals(memory).settle(onBatch);
  } catch (cause) {
    if (!(cause instanceof Stop)) throw cause;
  } finally {
    progress.clear();
  }
}

function taskOf({ kind }: Pick<Job, 'kind'>): Task {
  return kind === 'embed' ? 'embed' : 'learn';
}

/** The number of jobs that are due or wait for a retry, and of those that failed; not those for a later day. */
async function countJobs(memory: Memory, task: Task): Promise<{ waiting: number; failed: number }> {
  const now = Date.now();
  let [waiting, failed, afterId] = [0, 0, 0];
  for (;;) {
    const jobs = await memory.jobs.list({ limit: JOBS_PER_PAGE, afterId });
    for (const job of jobs) {
      if (taskOf(job) !== task) continue;
      if (job.status === 'failed') failed += 1;
      else if (job.runAfter <= now || job.attempts > 0) waiting += 1;
    }
    const last = jobs.at(-1);
    if (!last || jobs.length < JOBS_PER_PAGE) return { waiting, failed };
    afterId = last.id;
  }
}

async function otherModel(memory: Memory): Promise<string | null> {
  const { vectorModel, embedder } = await memory.admin.info();
  if (embedder === null || vectorModel === null || vectorModel.id === embedder) return null;
  return (
    `the vectors of this memory were made by ${vectorModel.id}, not by ${embedder}. ` +
    'To keep using it, give it with --embedder.'
  );
}

/** What was learnt, in one line; empty when nothing was. */
export function formatLearnt({ learning }: WorkReport): string[] {
  const derived = formatDerived(learning?.units ?? {});
  return derived.length === 0 ? [] : [`Learnt: ${derived.join(', ')}.`];
}

/** A message when something could not be done; empty otherwise. */
export function formatMissing({ vectors, learning }: WorkReport): string[] {
  const lines = [];
  if (vectors !== null && vectors.error !== null) {
    const missing = countOf(vectors.waiting + vectors.failed, 'vector');
    const remedy = 'Until “omoide rebuild” has created them, those texts are only found by keywords.';
    lines.push(`${missing} not created: ${withFullStop(vectors.error)} ${remedy}`);
  }
  if (learning !== null && learning.error !== null) {
    const missing = countOf(learning.waiting + learning.failed, 'job');
    lines.push(
      `${missing} of learning not done: ${withFullStop(learning.error)} “omoide rebuild” continues with them.`,
    );
  }
  return lines.map((line) => `${style('red', 'error:', process.stderr)} ${line}`);
}

function withFullStop(sentence: string): string {
  return plain(sentence).replace(/\.?$/, '.');
}
