import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WorkerBench } from '../../test/derive/workerBench.ts';
import { MemoryError, type Job } from '../model/model.ts';
import type { Derivation } from './derivation.ts';
import { createWorker } from './worker.ts';

describe('jobs that ask a model', () => {
  /** A memory with a derivation that asks a model and one that does not. */
  function modelBench(modelConcurrency?: number) {
    const bench = new WorkerBench();
    const asked: string[] = [];
    const embedded: string[] = [];
    const gate = Promise.withResolvers<void>();
    const asking = {
      kind: 'ask',
      batchSize: 1,
      asksModel: true,
      work: (async () => gate.promise) as (job: Job, signal: AbortSignal) => Promise<void>,
      async run(
        this: { work: (job: Job, signal: AbortSignal) => Promise<void> },
        jobs: readonly Job[],
        signal: AbortSignal,
      ) {
        for (const job of jobs) {
          asked.push(job.key);
          await this.work(job, signal);
        }
      },
    };
    const embed: Derivation = {
      kind: 'embed',
      batchSize: 10,
      run: async (jobs) => void embedded.push(...jobs.map((job) => job.key)),
    };
    const worker = createWorker({
      store: bench.store,
      derivations: [asking, embed],
      ...(modelConcurrency !== undefined && { modelConcurrency }),
      now: () => bench.now,
      random: () => 0,
      onEvent: (event) => bench.events.push(event),
    });
    onTestFinished(async () => {
      gate.resolve();
      await worker.stop(0);
    });
    const enqueue = (kind: string, ...keys: string[]) =>
      bench.store.jobs.enqueue(
        keys.map((key) => ({
          kind,
          key: `${kind} ${key}`,
          conversationId: key.includes('/') ? key[0]! : null,
          input: {},
        })),
        bench.now,
      );
    return { bench, worker, asking, asked, embedded, gate, enqueue };
  }

  test('do not delay other jobs, however slow the model is', async () => {
    const { bench, worker, asked, embedded, enqueue, gate } = modelBench();
    await enqueue('ask', '1', '2', '3', '4', '5', '6');
    await enqueue('embed', '1', '2');
    worker.start();
    await vi.waitFor(() => expect(embedded).toEqual(['embed 1', 'embed 2']));
    expect(asked).toHaveLength(4);
    gate.resolve();
    await vi.waitFor(async () => expect(await bench.left()).toEqual({}));
    expect(asked).toHaveLength(6);
  });

  test('run up to a limit at once, and one after another within a conversation', async () => {
    const { bench, worker, asked, asking, enqueue } = modelBench(3);
    let atOnce = 0;
    let max = 0;
    asking.work = async () => {
      max = Math.max(max, (atOnce += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
    };
    await enqueue('ask', 'c/1', 'c/2', 'd/1', 'e/1', 'f/1', 'c/3', 'd/2');
    await worker.drain();
    expect(await bench.left()).toEqual({});
    expect(max).toBe(3);
    expect(asked.filter((key) => key.startsWith('ask c'))).toEqual(['ask c/1', 'ask c/2', 'ask c/3']);
    expect(asked.slice(0, 3)).toEqual(['ask c/1', 'ask d/1', 'ask e/1']);
  });

  test('move to the other pool when there is no model', async () => {
    const { worker, asked, asking, enqueue, gate } = modelBench(1);
    await enqueue('ask', '1');
    worker.start();
    await vi.waitFor(() => expect(asked).toEqual(['ask 1']));
    Object.assign(asking, { asksModel: false, work: async () => {} });
    await enqueue('ask', '2');
    worker.wake();
    await vi.waitFor(() => expect(asked).toEqual(['ask 1', 'ask 2']));
    gate.resolve();
  });

  test('wait as long as the server asks', async () => {
    const { bench, worker, asking, enqueue } = modelBench();
    asking.work = async () => {
      throw new MemoryError('MODEL_FAILED', 'slow down', { retryable: true, retryAfterMs: 90_000 });
    };
    await enqueue('ask', '1');
    await worker.drain();
    expect(await bench.store.jobs.list({ limit: 1 })).toMatchObject([
      { status: 'queued', attempts: 1, runAfter: bench.now + 90_000, lastError: 'slow down' },
    ]);
  });

  test('are released when the worker stops', async () => {
    const { bench, worker, asked, enqueue } = modelBench();
    await enqueue('ask', '1', '2');
    worker.start();
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    await worker.stop(5);
    expect(await bench.store.jobs.list({ limit: 9 })).toMatchObject(
      ['ask 1', 'ask 2'].map((key) => ({ key, status: 'queued', attempts: 0, leaseOwner: null })),
    );
  });
});
