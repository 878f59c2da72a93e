import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { LEASE_MS, WorkerBench } from '../../test/derive/workerBench.ts';
import { MemoryError, type Job } from '../model/model.ts';
import { createWorker, MAX_ATTEMPTS, retryDelayMs } from './worker.ts';

const MAX_DELAY_MS = 600_000;

/** Enough event loop turns for a worker to run a pending job on a store in memory. */
async function turnsOfTheEventLoop(): Promise<void> {
  for (let i = 0; i < 50; i++) await setImmediate();
}

function failing(...keys: string[]) {
  return (jobs: readonly Job[]) => {
    const bad = jobs.find((job) => keys.includes(job.key));
    if (bad) throw new Error(`cannot do ${bad.key}`);
  };
}

describe('the delay before the next attempt', () => {
  test('doubles from one second to ten minutes, half of it random', () => {
    const longest = (attempt: number) => Math.min(MAX_DELAY_MS, 1_000 * 2 ** (attempt - 1));
    expect([1, 2, 3, 10, 11].map((attempt) => retryDelayMs(attempt, () => 0))).toEqual([
      500, 1_000, 2_000, 256_000, 300_000,
    ]);
    const attempts = fc.integer({ min: 1, max: 2_000 });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(attempts, chance, (attempt, random) => {
        const delay = retryDelayMs(attempt, () => random);
        expect(delay).toBeGreaterThanOrEqual(longest(attempt) / 2);
        expect(delay).toBeLessThanOrEqual(longest(attempt));
      }),
    );
  });
});

describe('draining', () => {
  test('runs all jobs that are due in batches, oldest first, and reports progress', async () => {
    const bench = new WorkerBench();
    await bench.enqueue('1', '2', '3', '4', '5');
    const progress: number[] = [];
    await bench.worker(2).drain((done) => progress.push(done));
    expect(bench.runs).toEqual([['1', '2'], ['3', '4'], ['5']]);
    expect(progress).toEqual([2, 4, 5]);
    expect(bench.events).toMatchObject([
      { type: 'done', kind: 'work', count: 2 },
      { type: 'done', kind: 'work', count: 2 },
      { type: 'done', kind: 'work', count: 1 },
    ]);
    expect(await bench.left()).toEqual({});
  });

  test('waits for the running batch of the worker, and runs the jobs that follow', async () => {
    const bench = new WorkerBench();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    bench.work = (jobs) => (jobs[0]?.key === 'c/1' ? gate : undefined);
    await bench.enqueue('c/1', 'c/2', 'c/3');
    const worker = bench.worker(1);
    worker.start();
    await vi.waitFor(() => expect(bench.runs).toHaveLength(1));
    const onDrained = vi.fn<() => void>();
    const drained = worker.drain().then(onDrained);
    await turnsOfTheEventLoop();
    expect(onDrained).not.toHaveBeenCalled();
    open();
    await drained;
    expect(bench.runs).toEqual([['c/1'], ['c/2'], ['c/3']]);
    expect(await bench.left()).toEqual({});
  });

  test('ends when the worker is stopped', async () => {
    const bench = new WorkerBench();
    const worker = bench.worker(1);
    bench.work = () => void worker.stop();
    await bench.enqueue('1', '2');
    await worker.drain();
    expect(await bench.left()).toEqual({ queued: ['2'] });
  });

  test('leaves jobs of unknown kinds queued', async () => {
    const bench = new WorkerBench();
    await bench.store.jobs.enqueue([{ kind: 'other', key: 'o', conversationId: null, input: {} }], bench.now);
    await bench.worker().drain();
    expect(await bench.left()).toEqual({ queued: ['o'] });
  });
});

describe('a job that fails', () => {
  test('is tried again after each delay, and is failed after the last attempt', async () => {
    const bench = new WorkerBench();
    bench.work = failing('bad');
    await bench.enqueue('bad');
    const worker = bench.worker(10, () => 0.5);
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await worker.drain();
      const delay = retryDelayMs(attempt, () => 0.5);
      expect(await bench.store.jobs.list({ limit: 1 })).toMatchObject([
        { status: 'queued', attempts: attempt, runAfter: bench.now + delay, lastError: 'cannot do bad' },
      ]);
      bench.now += delay - 1;
      await worker.drain();
      expect(bench.runs).toHaveLength(attempt);
      bench.now += 1;
    }
    await worker.drain();
    expect(await bench.store.jobs.list({ limit: 1 })).toMatchObject([
      { status: 'failed', attempts: MAX_ATTEMPTS },
    ]);
    expect(bench.events.map((event) => event.type)).toEqual([
      ...Array.from({ length: MAX_ATTEMPTS - 1 }, () => 'retry'),
      'failed',
    ]);
    bench.now += MAX_DELAY_MS;
    await worker.drain();
    expect(bench.runs).toHaveLength(MAX_ATTEMPTS);
    bench.work = () => {};
    await bench.store.jobs.retryFailed(bench.now);
    await worker.drain();
    expect(await bench.left()).toEqual({});
  });

  test('does not fail the other jobs of its batch', async () => {
    const bench = new WorkerBench();
    bench.work = failing('3');
    await bench.enqueue('1', '2', '3', '4');
    await bench.worker().drain();
    expect(bench.runs).toEqual([['1', '2', '3', '4'], ['1'], ['2'], ['3'], ['4']]);
    expect(await bench.left()).toEqual({ queued: ['3'] });
  });

  test('because a server is unreachable fails its whole batch at once, without trying each', async () => {
    const bench = new WorkerBench();
    bench.work = () => {
      throw new MemoryError('EMBEDDER_FAILED', 'down', { retryable: true });
    };
    await bench.enqueue('1', '2', '3');
    await bench.worker().drain();
    expect(bench.runs).toEqual([['1', '2', '3']]);
    expect(await bench.store.jobs.list({ limit: 3 })).toMatchObject(
      ['1', '2', '3'].map((key) => ({ key, attempts: 1, lastError: 'down' })),
    );
  });

  test('survives an outage of six hours, which counts as one attempt', async () => {
    const bench = new WorkerBench();
    let isDown = true;
    bench.work = () => {
      if (isDown) throw new MemoryError('MODEL_FAILED', 'unreachable', { retryable: true });
    };
    await bench.enqueue('a/1', 'b/1', 'c/1');
    const worker = bench.worker(1, () => 0.5);
    const endsAt = bench.now + 6 * 3_600_000;
    while (bench.now < endsAt) {
      await worker.drain();
      bench.now += 60_000;
    }
    expect(worker.outages).toMatchObject([{ error: 'unreachable' }]);
    // The delay grows with the outage: several attempts in the first minutes, then few.
    expect(bench.runs.length).toBeGreaterThan(5);
    expect(bench.runs.length).toBeLessThan(60);
    for (const { status, attempts } of await bench.store.jobs.list({ limit: 3 })) {
      expect(status).toBe('queued');
      expect(attempts).toBeLessThanOrEqual(1);
    }
    isDown = false;
    bench.now += 3_600_000;
    await worker.drain();
    expect(await bench.left()).toEqual({});
    expect(worker.outages).toEqual([]);
  });

  test('because of the model pauses every kind of job that asks it, and no other', async () => {
    const bench = new WorkerBench();
    const runs: string[] = [];
    const isOf = (kind: string, asksModel: boolean) => ({
      kind,
      asksModel,
      batchSize: 1,
      run: async () => {
        runs.push(kind);
        if (asksModel) throw new MemoryError('MODEL_FAILED', 'unreachable', { retryable: true });
      },
    });
    const derivations = [isOf('learn', true), isOf('summarize', true), isOf('embed', false)];
    const worker = createWorker({ store: bench.store, derivations, now: () => bench.now, random: () => 0 });
    const jobs = derivations.map(({ kind }) => ({ kind, key: kind, conversationId: null, input: {} }));
    await bench.store.jobs.enqueue([jobs[0]!], bench.now);
    await worker.drain();
    await bench.store.jobs.enqueue(jobs.slice(1), bench.now);
    await worker.drain();
    expect(runs).toEqual(['learn', 'embed']);
    expect(worker.outages.map(({ kind }) => kind)).toEqual(['learn', 'summarize']);
  });

  test('shortly after an outage belongs to the same outage', async () => {
    const bench = new WorkerBench();
    bench.work = (jobs) => {
      if (!jobs.some(({ key }) => key === 'asks nothing'))
        throw new MemoryError('MODEL_FAILED', 'unreachable', { retryable: true });
    };
    const worker = bench.worker(1);
    const since = bench.now;
    await bench.enqueue('a/1');
    await worker.drain();
    bench.now += 3_600_000;
    await worker.drain();
    bench.now += 3_600_000;
    await bench.enqueue('asks nothing');
    await worker.drain();
    expect(worker.outages).toMatchObject([{ since }]);
  });

  test('resumes when one job succeeds; the others wait for that one', async () => {
    const bench = new WorkerBench();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let isDown = true;
    const runs: string[] = [];
    const derivation = {
      kind: 'work',
      asksModel: true,
      batchSize: 1,
      run: async ([job]: readonly Job[]) => {
        if (isDown) throw new MemoryError('MODEL_FAILED', 'unreachable', { retryable: true });
        runs.push(job!.key);
        await gate;
      },
    };
    const worker = createWorker({ store: bench.store, derivations: [derivation], now: () => bench.now });
    await bench.enqueue('1', '2', '3');
    await worker.drain();
    isDown = false;
    bench.now += 3_600_000;
    const drained = worker.drain();
    await turnsOfTheEventLoop();
    expect(runs).toHaveLength(1);
    open();
    await drained;
    expect(runs.toSorted()).toEqual(['1', '2', '3']);
  });

  test('for lack of a model resumes as soon as one is set', async () => {
    const bench = new WorkerBench();
    let hasModel = false;
    bench.work = () => {
      if (!hasModel) throw new MemoryError('NO_MODEL');
    };
    await bench.enqueue('1');
    const worker = bench.worker();
    for (let times = 0; times < 2 * MAX_ATTEMPTS; times += 1) {
      await worker.drain();
      bench.now += 60_000;
    }
    expect(await bench.store.jobs.list({ limit: 1 })).toMatchObject([{ status: 'queued', attempts: 0 }]);
    await worker.drain();
    hasModel = true;
    worker.endOutages();
    await bench.store.jobs.runNow(bench.now, [1]);
    await worker.drain();
    expect(await bench.left()).toEqual({});
  });

  test('at every attempt is given up in the end, although others succeed', async () => {
    const bench = new WorkerBench();
    bench.work = (jobs) => {
      if (jobs.some(({ key }) => key === 'poison'))
        throw new MemoryError('MODEL_FAILED', 'timeout', { retryable: true });
    };
    await bench.enqueue('poison');
    const worker = bench.worker(1);
    for (let times = 0; times < 6 * MAX_ATTEMPTS; times += 1) {
      await bench.enqueue(`well-${times}`);
      await worker.drain();
      bench.now += MAX_DELAY_MS;
    }
    expect(await bench.store.jobs.list({ limit: 9 })).toMatchObject([{ key: 'poison', status: 'failed' }]);
  });

  test.each([10, 1])(
    'pauses later jobs of its conversation, and nothing else (batches of %i)',
    async (batchSize) => {
      const bench = new WorkerBench();
      bench.work = failing('c/1');
      await bench.enqueue('c/1', 'c/2', 'd/1', 'c/3', 'free');
      const worker = bench.worker(batchSize);
      await worker.drain();
      expect(bench.runs.filter((keys) => keys.length === 1).flat()).toEqual(['c/1', 'd/1', 'free']);
      expect(await bench.left()).toEqual({ queued: ['c/1', 'c/2', 'c/3'] });
      expect(await bench.store.jobs.list({ limit: 9 })).toMatchObject([
        { attempts: 1 },
        { attempts: 0 },
        { attempts: 0 },
      ]);
      bench.work = () => {};
      bench.runs.length = 0;
      bench.now += 500;
      await worker.drain();
      expect(bench.runs.flat()).toEqual(['c/1', 'c/2', 'c/3']);
    },
  );

  test('permanently lets its conversation continue', async () => {
    const bench = new WorkerBench();
    bench.work = failing('c/1');
    await bench.enqueue('c/1', 'c/2');
    const worker = bench.worker();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await worker.drain();
      bench.now += MAX_DELAY_MS;
    }
    expect(await bench.left()).toEqual({ failed: ['c/1'] });
    expect(bench.runs.flat().filter((key) => key === 'c/2').length).toBeGreaterThan(0);
  });
});

test('a worker extends its lease while it works', async () => {
  const bench = new WorkerBench();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  bench.work = () => gate;
  await bench.enqueue('1');
  const worker = bench.worker(1, () => 0, 30);
  const drained = worker.drain();
  await vi.waitFor(() => expect(bench.runs).toHaveLength(1));
  bench.now += 20;
  const leaseUntil = async () => (await bench.store.jobs.list({ limit: 1 }))[0]?.leaseUntil;
  await vi.waitFor(async () => expect(await leaseUntil()).toBe(bench.now + 30));
  open();
  await drained;
  expect(await bench.left()).toEqual({});
});

describe('a worker that is killed', () => {
  test('loses its lease, and another worker takes the job', async () => {
    const bench = new WorkerBench();
    await bench.enqueue('1', '2');
    expect(await bench.claimAndDie()).toEqual(['1', '2']);
    bench.now -= 1;
    const worker = bench.worker();
    await worker.drain();
    expect(bench.runs).toEqual([]);
    bench.now += 1;
    await worker.drain();
    expect(bench.runs).toEqual([['1', '2']]);
    expect(await bench.left()).toEqual({});
  });

  test('at every attempt makes the job fail, which is then not started again', async () => {
    const bench = new WorkerBench();
    await bench.enqueue('killer');
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) await bench.claimAndDie();
    await bench.worker().drain();
    expect(bench.runs).toEqual([]);
    expect(await bench.store.jobs.list({ limit: 1 })).toMatchObject([
      { status: 'failed', lastError: expect.stringContaining('never ended') },
    ]);
    expect(bench.events).toMatchObject([{ type: 'failed', kind: 'work', jobId: 1 }]);
  });

  test('repeatedly by one job isolates that job, and all others are done', async () => {
    const bench = new WorkerBench();
    const others = Array.from({ length: 5 }, (_, i) => `${i}`);
    await bench.enqueue('first', 'killer', ...others);
    let isDead = false;
    const begun: string[][] = [];
    for (let lives = 0; lives < 2 * MAX_ATTEMPTS; lives += 1) {
      isDead = false;
      const worker = bench.worker();
      // A killed process continues nothing: no run ends.
      bench.work = (jobs) => {
        begun.push(jobs.map((job) => job.key));
        if (!jobs.some((job) => job.key === 'killer')) return;
        isDead = true;
        return new Promise(() => {});
      };
      void worker.drain();
      await vi.waitFor(async () =>
        expect(isDead || Object.keys(await bench.left()).every((status) => status === 'failed')).toBe(true),
      );
      bench.now += LEASE_MS;
    }
    expect(await bench.left()).toEqual({ failed: ['killer'] });
    expect(begun.filter((keys) => keys.includes('killer'))).toHaveLength(MAX_ATTEMPTS);
  });
});

describe('a running worker', () => {
  test('runs jobs that are queued when it is woken, and stops', async () => {
    const bench = new WorkerBench();
    const worker = bench.worker();
    worker.start();
    worker.start();
    await bench.enqueue('1');
    worker.wake();
    await vi.waitFor(() => expect(bench.runs).toEqual([['1']]));
    await bench.enqueue('2');
    worker.wake();
    await vi.waitFor(async () => expect(await bench.left()).toEqual({}));
    await worker.stop();
    await bench.enqueue('3');
    worker.wake();
    await turnsOfTheEventLoop();
    expect(bench.runs).toEqual([['1'], ['2']]);
    worker.start();
    await vi.waitFor(async () => expect(await bench.left()).toEqual({}));
  });

  test('finishes the running job when it is stopped', async () => {
    const bench = new WorkerBench();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    bench.work = () => gate;
    await bench.enqueue('1', '2');
    const worker = bench.worker(1);
    worker.start();
    await vi.waitFor(() => expect(bench.runs).toHaveLength(1));
    const stopped = worker.stop(10_000);
    open();
    await stopped;
    expect(await bench.left()).toEqual({ queued: ['2'] });
  });

  test.each([
    ['obeys', true],
    ['ignores', false],
  ])('releases an unfinished slow job when it is stopped, if the job %s the signal', async (_what, heeds) => {
    const bench = new WorkerBench();
    bench.work = (_jobs, signal) =>
      new Promise((_resolve, reject) => {
        if (heeds) signal.addEventListener('abort', () => reject(signal.reason));
      });
    await bench.enqueue('1', '2');
    const worker = bench.worker();
    worker.start();
    await vi.waitFor(() => expect(bench.runs).toHaveLength(1));
    await worker.stop(5);
    expect(await bench.store.jobs.list({ limit: 9 })).toMatchObject(
      ['1', '2'].map((key) => ({ key, status: 'queued', attempts: 0, leaseOwner: null, lastError: null })),
    );
    bench.work = () => {};
    worker.start();
    await vi.waitFor(async () => expect(await bench.left()).toEqual({}));
  });

  test('ends quietly when its store is closed', async () => {
    const bench = new WorkerBench();
    const worker = bench.worker();
    worker.start();
    await bench.store.close();
    worker.wake();
    await worker.stop();
    expect(bench.events).toEqual([]);
  });

  test('waits while the store cannot be written to, and reports that', async () => {
    const bench = new WorkerBench();
    await bench.enqueue('1');
    const claim = bench.store.jobs.claim.bind(bench.store.jobs);
    const full = vi
      .spyOn(bench.store.jobs, 'claim')
      .mockRejectedValueOnce(new MemoryError('DISK_FULL', 'full'));
    full.mockImplementation(claim);
    const worker = bench.worker();
    worker.start();
    await vi.waitFor(() => expect(bench.events).toEqual([{ type: 'stalled', error: 'full' }]));
    worker.wake();
    await vi.waitFor(() => expect(bench.runs).toEqual([['1']]));
  });

  test('does not poll more often than necessary while a conversation waits', async () => {
    const bench = new WorkerBench();
    bench.work = failing('c/1');
    await bench.enqueue('c/1', 'c/2');
    const looks = vi.spyOn(bench.store.jobs, 'claim');
    const worker = bench.worker();
    worker.start();
    await vi.waitFor(() => expect(bench.events).toHaveLength(1));
    await turnsOfTheEventLoop();
    await worker.stop();
    expect(looks.mock.calls.length).toBeLessThan(5);
  });
});
