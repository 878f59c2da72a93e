import { clearWordCaches } from '../../model/model.ts';
import { toMemoryError } from './errors.ts';
import type { Executor } from './session.ts';

/** How long an answer of the database holds. */
const FRESH_MS = 1_000;
/** Rows are read until they are this old: a row becomes visible at the end of its transaction, but has the time of its start. */
const WINDOW_MS = 3_600_000;
/** After a longer pause, rows may have been missed: the machine was suspended, or the database unreachable. */
const MAX_PAUSE_MS = WINDOW_MS / 2;

interface Answer {
  readonly askedAt: number;
  readonly read: Promise<void>;
}

/** What any process erased, from the table `outbox`. One statement answers for all memories that this process has open. */
export class Erasures {
  readonly #sql: Executor;
  /** The last erasure of each memory. */
  readonly #last = new Map<number, number>();
  #pauses = 0;
  #readAt: number | null = null;
  #answer: Answer | null = null;

  constructor(sql: Executor) {
    this.#sql = sql;
  }

  /** Differs from the last time if something was erased since, or may have been. @throws MemoryError */
  async stateOf(memory: number): Promise<string> {
    if (!this.#answer || this.#answer.askedAt + FRESH_MS < Date.now()) {
      this.#answer = { askedAt: Date.now(), read: this.#read() };
    }
    const answer = this.#answer;
    try {
      await answer.read;
    } catch (cause) {
      if (this.#answer === answer) this.#answer = null;
      throw toMemoryError(cause);
    }
    return `${this.#pauses} ${this.#last.get(memory) ?? 0}`;
  }

  /** Words of memories that were closed meanwhile may still be in caches that all memories share. */
  async #read(): Promise<void> {
    const askedAt = Date.now();
    const rows = await this.#sql.unsafe<{ memory_id: number; last: number }[]>(READ, [WINDOW_MS / 1_000]);
    const isFirst = this.#readAt === null;
    const hasMissed = this.#readAt !== null && this.#readAt + MAX_PAUSE_MS < askedAt;
    const news = rows.filter(({ memory_id: id, last }) => last > (this.#last.get(id) ?? 0));
    for (const { memory_id: id, last } of news) this.#last.set(id, last);
    if (hasMissed) this.#pauses += 1;
    if (hasMissed || (news.length > 0 && !isFirst)) clearWordCaches();
    this.#readAt = askedAt;
  }
}

const READ = `SELECT memory_id, max(seq) AS last FROM outbox
  WHERE kind = 'erased' AND at > now() - make_interval(secs => $1) GROUP BY memory_id`;
