import type { Instant } from '../../model/model.ts';
import type { Executor } from './session.ts';

/** How long an answer of the database holds. */
const FRESH_MS = 1_000;
/** Jobs due so soon count, so that their memory is asked when exactly. */
const AHEAD_MS = 3_000;
/** How often the database is asked while memories wait. */
const LOOK_MS = 2_000;

interface Answer {
  readonly askedAt: number;
  readonly memories: Promise<ReadonlySet<number>>;
}

/** The names of memories with jobs that are due, or whose lease has run out. */
export async function memoriesWithWork(sql: Executor, now: Instant): Promise<Map<number, string>> {
  const rows = await sql.unsafe<{ memory_id: number; memory_name: string }[]>(
    'SELECT memory_id, memory_name FROM omoide_memories_with_work($1)',
    [now],
  );
  return new Map(rows.map((row) => [row.memory_id, row.memory_name]));
}

/** Another clock than the machine's: the shared answer says nothing about it. */
function isOtherClock(now: Instant): boolean {
  return Math.abs(now - Date.now()) > FRESH_MS;
}

/**
 * Which memories may have jobs that are due. One statement a second answers for all memories that a process has open, however
 * many they are; a memory that was written to since is asked itself.
 */
export class DueJobs {
  readonly #sql: Executor;
  /** When each memory was written to last. */
  readonly #writtenAt = new Map<number, number>();
  #answer: Answer | null = null;
  /** To be called when jobs of a memory may be due. */
  readonly #waiting = new Map<number, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(sql: Executor) {
    this.#sql = sql;
  }

  /** This process may have added jobs to the memory, or another did. */
  note(memory: number): void {
    this.#writtenAt.set(memory, Date.now());
  }

  /** Another process changed a memory. */
  expire(): void {
    this.#answer = null;
  }

  async mayBeDue(memory: number, now: Instant): Promise<boolean> {
    if (this.#wasWritten(memory) || isOtherClock(now)) return true;
    if (!this.#answer || this.#answer.askedAt + FRESH_MS < Date.now()) this.#ask(now);
    const found = await this.#found();
    return found === null || found.has(memory);
  }

  /** See `JobTable.waitForDue`. A timer of each memory would take more time than their requests when thousands are open. */
  wait(memory: number, now: Instant, wake: () => void): (() => void) | null {
    if (isOtherClock(now)) return null;
    const waiting = this.#waiting.get(memory) ?? new Set();
    this.#waiting.set(memory, waiting.add(wake));
    this.#timer ??= setInterval(() => void this.#wakeDue(), LOOK_MS).unref();
    return () => {
      waiting.delete(wake);
      if (waiting.size > 0 || this.#waiting.get(memory) !== waiting) return;
      this.#waiting.delete(memory);
      if (this.#waiting.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #wakeDue(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#ask(Date.now());
    const found = await this.#found();
    this.#isLooking = false;
    for (const memory of found ?? [...this.#waiting.keys()])
      for (const wake of this.#waiting.get(memory) ?? []) wake();
  }

  #ask(now: Instant): void {
    const memories = memoriesWithWork(this.#sql, now + AHEAD_MS).then((found) => new Set(found.keys()));
    this.#answer = { askedAt: Date.now(), memories };
  }

  /** Memories with jobs that may be due, as last asked; null if the database did not answer: any. */
  async #found(): Promise<ReadonlySet<number> | null> {
    const answer = this.#answer;
    try {
      return (await answer?.memories) ?? null;
    } catch {
      if (this.#answer === answer) this.#answer = null;
      return null;
    }
  }

  /** So recently that the shared answer may be from before. */
  #wasWritten(memory: number): boolean {
    const at = this.#writtenAt.get(memory);
    if (at === undefined) return false;
    if (at + 2 * FRESH_MS > Date.now()) return true;
    this.#writtenAt.delete(memory);
    return false;
  }
}
