import type { Memory, WorkerEvent } from '../engine/engine.ts';
import { createProgress } from './progress.ts';
import { countOf, plain, style } from './terminal.ts';

export interface VectorReport {
  /** Vectors made. */
  readonly made: number;
  /** Jobs that wait for their turn or their next try. */
  readonly waiting: number;
  /** Jobs that were tried too often. */
  readonly failed: number;
  /** Why some were not made; null when all were, or when the work was interrupted. */
  readonly error: string | null;
}

/** The making of vectors that a memory has due: hear its events with `onEvent`, then carry it out. */
export interface VectorWork {
  readonly onEvent: (event: WorkerEvent) => void;
  /** Works until nothing is due, the signal is aborted, or a whole batch fails. */
  readonly carryOut: (memory: Memory, signal: AbortSignal) => Promise<VectorReport>;
}

/** Thrown through `settle` to stop it between two batches, where nothing is half done. */
class Stop extends Error {}

export function createVectorWork(): VectorWork {
  let made = 0;
  let madeBefore = 0;
  let error: string | null = null;
  return {
    onEvent(event) {
      if (event.type === 'done') made += event.count;
      else ({ error } = event);
    },
    async carryOut(memory, signal) {
      const { jobs, vectorModel, embedder } = await memory.info();
      const total = jobs.queued + jobs.running;
      const report = { made, waiting: total, failed: jobs.failed };
      if (total > 0 && embedder !== null && vectorModel !== null && vectorModel.id !== embedder) {
        return { ...report, error: otherModel(vectorModel.id, embedder) };
      }
      const progress = createProgress('Embedding', 'turns');
      const onBatch = (done: number) => {
        progress.update(done, total);
        // Where nothing of a batch succeeds, the model is out of reach, and the next batch would only wait as long.
        if (signal.aborted || made === madeBefore) throw new Stop();
        madeBefore = made;
      };
      await memory.settle(onBatch).catch((cause: unknown) => {
        if (!(cause instanceof Stop)) throw cause;
      });
      progress.clear();
      const after = (await memory.info()).jobs;
      return { made, waiting: after.queued + after.running, failed: after.failed, error };
    },
  };
}

function otherModel(kept: string, given: string): string {
  return (
    `the vectors of this memory were made by ${kept}, not by ${given}. ` +
    'To go on with it, name it with --embedder.'
  );
}

/** What to say when vectors are missing that should be there; null when none are. */
export function formatMissingVectors({ waiting, failed, error }: VectorReport): string | null {
  if (error === null) return null;
  const missing = countOf(waiting + failed, 'turn');
  const remedy = 'Words alone find them until “omoide rebuild” has made the vectors.';
  return `${style('red', 'error:', process.stderr)} ${missing} without a vector: ${plain(error).replace(/\.?$/, '.')} ${remedy}`;
}
