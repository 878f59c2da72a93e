import type { Instant } from '../../model/model.ts';
import type { Executor } from './session.ts';

/** How long an answer of the database holds. */
const FRESH_MS = 1_000;
/** Jobs due so soon count, so that their memory is asked when exactly. */
const AHEAD_MS = 3_000;

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

/**
 * Which memories may have jobs that are due. One statement a second answers for all memories that a process has open, however
 * many they are; a memory that was written to since is asked itself.
 */
export class DueJobs {
  readonly #sql: Executor;
  /** When each memory was written to last. */
  readonly #writtenAt = new Map<number, number>();
  #answer: Answer | null = null;

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
    // Another clock than the machine's: the shared answer says nothing about it.
    if (this.#wasWritten(memory) || Math.abs(now - Date.now()) > FRESH_MS) return true;
    if (!this.#answer || this.#answer.askedAt + FRESH_MS < Date.now()) {
      const memories = memoriesWithWork(this.#sql, now + AHEAD_MS).then((found) => new Set(found.keys()));
      this.#answer = { askedAt: Date.now(), memories };
    }
    const answer = this.#answer;
    try {
      return (await answer.memories).has(memory);
    } catch {
      if (this.#answer === answer) this.#answer = null;
      return true;
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
