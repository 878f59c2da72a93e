import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DueJobs } from './dueJobs.ts';
import type { Executor } from './session.ts';

/** A database in which these memories have jobs that are due. */
function database(due: ReadonlySet<number>): { readonly sql: Executor; readonly asked: () => number } {
  let asked = 0;
  const unsafe = async () => {
    asked += 1;
    const rows = Array.from(due, (id) => ({ memory_id: id, memory_name: `memory-${id}` }));
    return Object.assign(rows, { count: rows.length });
  };
  return { sql: { unsafe } as unknown as Executor, asked: () => asked };
}

test('one statement serves many memories', async () => {
  const { sql, asked } = database(new Set([7]));
  const dueJobs = new DueJobs(sql);
  const now = Date.now();
  const memories = Array.from({ length: 1_000 }, (_, memory) => memory);
  const answers = await Promise.all(memories.map((memory) => dueJobs.mayBeDue(memory, now)));
  expect(memories.filter((memory) => answers[memory])).toEqual([7]);
  expect(asked()).toBe(1);
});

test('a memory that was just written to is queried separately', async () => {
  const { sql, asked } = database(new Set());
  const dueJobs = new DueJobs(sql);
  dueJobs.note(3);
  expect(await dueJobs.mayBeDue(3, Date.now())).toBe(true);
  expect(asked()).toBe(0);
  expect(await dueJobs.mayBeDue(4, Date.now())).toBe(false);
});

test('a change by another process, a failure and another clock invalidate the answer', async () => {
  const due = new Set<number>();
  const { sql, asked } = database(due);
  const dueJobs = new DueJobs(sql);
  expect(await dueJobs.mayBeDue(1, Date.now())).toBe(false);
  due.add(1);
  expect(await dueJobs.mayBeDue(1, Date.now())).toBe(false);
  dueJobs.expire();
  expect(await dueJobs.mayBeDue(1, Date.now())).toBe(true);
  expect(asked()).toBe(2);
  expect(await dueJobs.mayBeDue(2, Date.now() + 86_400_000)).toBe(true);
  const broken = new DueJobs({ unsafe: async () => Promise.reject(new Error('gone')) });
  expect(await broken.mayBeDue(1, Date.now())).toBe(true);
});

describe('memories that wait', () => {
  function waiting(due: ReadonlySet<number>, memories: readonly number[]) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { sql, asked } = database(due);
    const dueJobs = new DueJobs(sql);
    const woken: number[] = [];
    const ends = memories.map((memory) =>
      dueJobs.wait(memory, Date.now(), () => {
        woken.push(memory);
        ends[memory]?.();
      }),
    );
    return { dueJobs, asked, woken, ends };
  }

  test('are woken when they have work, by one statement for all', async () => {
    const due = new Set<number>();
    const { asked, woken } = waiting(
      due,
      Array.from({ length: 1_000 }, (_, i) => i),
    );
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked(), woken]).toEqual([1, []]);
    due.add(7);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked(), woken]).toEqual([2, [7]]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([asked(), woken]).toEqual([3, [7]]);
  });

  test('are not asked about when no one waits any more', async () => {
    const { asked, ends } = waiting(new Set([0]), [0, 1]);
    for (const end of ends) end?.();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are all woken when the database does not answer, and must poll with another clock', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const dueJobs = new DueJobs({ unsafe: async () => Promise.reject(new Error('gone')) });
    const wake = vi.fn<() => void>();
    dueJobs.wait(1, Date.now(), wake);
    dueJobs.wait(2, Date.now(), wake);
    expect(dueJobs.wait(3, Date.now() + 86_400_000, wake)).toBeNull();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(wake).toHaveBeenCalledTimes(2);
  });
});
