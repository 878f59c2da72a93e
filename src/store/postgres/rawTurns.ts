import { isForgotten, toRawTurn, type SealedTurnRow } from '../rows/rows.ts';
import type { RawTurn, RawTurns } from '../store.ts';
import type { MemoryContext } from './context.ts';

/** The rows of the table `turn`. */
export class PostgresRawTurns implements RawTurns {
  /** An archive is restored into a folder. */
  readonly restore = null;
  readonly #memory: MemoryContext;

  constructor(memory: MemoryContext) {
    this.#memory = memory;
  }

  async state() {
    const state = await this.#memory.ask((_, session) =>
      session.get<{ archived: number; pending: number; archivedTo: number | null }>(
        `SELECT count(raw_pointer) AS archived, count(*) - count(raw_pointer) AS pending,
           max(occurred_at) FILTER (WHERE raw_pointer IS NOT NULL) AS "archivedTo" FROM turn WHERE memory_id = $1`,
      ),
    );
    return state ?? { archived: 0, pending: 0, archivedTo: null };
  }

  async page(page: { afterId: number; limit: number; unarchived?: true }): Promise<RawTurn[]> {
    const { afterId, limit, unarchived } = page;
    const condition = unarchived ? 'AND raw_pointer IS NULL' : '';
    return this.#memory.ask(async (_, session) => {
      const rows = await session.all<SealedTurnRow>(
        `SELECT * FROM turn WHERE memory_id = $1 AND id > ? ${condition} ORDER BY id LIMIT ?`,
        afterId,
        limit,
      );
      const names = await session.keys.sealMore(
        session,
        rows.map((row) => ({ sealed: row.sealed, words: row.conversation_id })),
      );
      return rows.map((row, i) => toRawTurn(row, isForgotten(row) ? null : (names[i] ?? null), session.keys));
    });
  }

  async setPointers(turnIds: readonly number[], pointer: string): Promise<void> {
    await this.#memory.write((_, tx) =>
      tx.get('SELECT omoide_archive_turns($1, ?::bigint[], ?)', turnIds, pointer),
    );
  }
}
