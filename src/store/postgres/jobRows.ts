import type { Instant, NewJob } from '../../model/model.ts';
import { sealInput, sealKey } from '../rows/rows.ts';
import type { Session } from './session.ts';

const COLUMNS = {
  id: 'bigint',
  kind: 'text',
  key: 'text',
  conversation_id: 'text',
  input: 'text',
  status: 'text',
  attempts: 'bigint',
  run_after: 'bigint',
  created_at: 'bigint',
} as const;

/** Jobs, scheduled within other transactions. */
export class JobRows {
  readonly #tx: Session;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  /** Adds jobs; see `JobTable.enqueue`. */
  async insert(jobs: readonly NewJob[], now: Instant): Promise<number> {
    if (jobs.length === 0) return 0;
    // A skipped job uses up an id, as in SQLite.
    const firstId = await this.#tx.nextIds('job', jobs.length);
    const byKey = new Map<string, NewJob & { readonly id: number }>();
    for (const [i, job] of jobs.entries()) {
      const key = sealKey(this.#tx.keys, job.key);
      if (!byKey.has(key)) byKey.set(key, { ...job, key, id: firstId + i });
    }
    const again = await this.#askAgain([...byKey.values()], now);
    for (const key of again.known) byKey.delete(key);
    const rows = [...byKey.values()].map((job) => [
      job.id,
      job.kind,
      job.key,
      job.conversationId,
      sealInput(this.#tx.keys, JSON.stringify(job.input)),
      'queued',
      0,
      job.runAfter ?? now,
      now,
    ]);
    const tail = 'ON CONFLICT (memory_id, key) DO NOTHING';
    return again.count + (await this.#tx.insert('job', COLUMNS, rows, tail));
  }

  /** Marks existing jobs that are running to run once more. Locks them so that none ends meanwhile. */
  async #askAgain(jobs: readonly NewJob[], now: Instant): Promise<{ known: string[]; count: number }> {
    const known = await this.#tx.all<{ key: string }>(
      'SELECT key FROM job WHERE memory_id = $1 AND key = ANY (?::text[]) ORDER BY id FOR UPDATE',
      jobs.map((job) => job.key),
    );
    if (known.length === 0) return { known: [], count: 0 };
    const count = await this.#tx.run(
      `UPDATE job SET again_after = n.run_after FROM unnest(?::text[], ?::bigint[]) n (key, run_after)
       WHERE memory_id = $1 AND job.key = n.key AND status = 'running' AND again_after IS NULL`,
      jobs.map((job) => job.key),
      jobs.map((job) => job.runAfter ?? now),
    );
    return { known: known.map((row) => row.key), count };
  }
}
