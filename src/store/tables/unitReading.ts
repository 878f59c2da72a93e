import type { Episode, Instant, Unit } from '../../model/model.ts';
import {
  firstEpisode,
  isPlainPassage,
  isReadable,
  openPayload,
  openTags,
  passageOf,
  readFeeling,
  readUnit,
  type FeelingRow,
  type PassageRow,
  type Row,
  type SealedTurnRow,
  type SealedUnitRow,
  parseColumn,
  parseNumbers,
  toUnitRow,
} from '../rows/rows.ts';
import type { Adjacent, Neighbours, Passage, UnitFeeling, UnitFilter, UnitPage } from '../store.ts';
import { filterSql } from './filter.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** Units with the text of their turns. */
const SELECT = `SELECT u.*, t.sealed FROM unit u
  LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id WHERE u.memory_id = $1`;
const SELECT_MANY = `SELECT u.*, t.sealed FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
  JOIN unit u ON u.memory_id = $1 AND u.id = j.id LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
  ORDER BY j.place`;

const PASSAGES = `SELECT u.id, u.kind, u.occurred_at AS "occurredAt", u.conversation_id AS "conversationId",
    u.turn_index AS "turnIndex", u.payload, t.sealed
  FROM unnest(?::bigint[]) j (id) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id`;

const FIRST_EPISODE = `SELECT t.*, u.created_at FROM unit u JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
  WHERE u.memory_id = $1 AND u.id = ?`;

/** The ids before each unit, nearest first, those after it, and those linked to it. */
const AROUND = `
  SELECT u.id,
    (SELECT coalesce(json_agg(b.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index < u.turn_index
       ORDER BY n.turn_index DESC LIMIT ?) b) AS before,
    (SELECT coalesce(json_agg(a.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index > u.turn_index
       ORDER BY n.turn_index LIMIT ?) a) AS after,
    (SELECT coalesce(json_agg(json_build_array(l.id, l.relation) ORDER BY l.id, l.relation), '[]') FROM (
       SELECT to_unit_id AS id, relation FROM link WHERE memory_id = $1 AND from_unit_id = u.id
       UNION SELECT from_unit_id, relation FROM link WHERE memory_id = $1 AND to_unit_id = u.id) l) AS linked
  FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  ORDER BY j.place`;

/** The ids on one side of `unit o`, nearest first, with null for a turn that does not pass. */
function sideSql(where: string, side: { readonly is: '<' | '>'; readonly order: 'ASC' | 'DESC' }): string {
  return `to_json(coalesce((SELECT json_agg(CASE WHEN n.passes THEN n.id END) FROM (
    SELECT u.id, (${where}) AS passes FROM unit u WHERE u.memory_id = $1
      AND u.conversation_id = o.conversation_id AND u.turn_index ${side.is} o.turn_index
    ORDER BY u.turn_index ${side.order} LIMIT ?) n), '[]'))`;
}

/** Reads units; `UnitRows` writes them. */
export class UnitReading {
  readonly #tx: Sql;

  constructor(tx: Sql) {
    this.#tx = tx;
  }

  *getMany(ids: readonly number[]): Steps<Unit[]> {
    return ids.length === 0 ? [] : yield* this.#read(yield* this.#tx.all<SealedUnitRow>(SELECT_MANY, ids));
  }

  *get(id: number): Steps<Unit | undefined> {
    return (yield* this.#read(yield* this.#tx.all<SealedUnitRow>(`${SELECT} AND u.id = ?`, id)))[0];
  }

  /** Read with one statement and only the columns that scoring needs: a recall reads hundreds. */
  *passages(ids: readonly number[]): Steps<Passage[]> {
    const rows = yield* this.#tx.withWords(yield* this.#tx.all<PassageRow>(PASSAGES, ids));
    const others = yield* this.getMany(rows.filter((row) => !isPlainPassage(row)).map(({ id }) => id));
    const units = new Map(others.map((unit) => [unit.id, unit]));
    return rows.map((row) => passageOf(row, units.get(row.id)));
  }

  *list(filter: UnitFilter, page: UnitPage): Steps<Unit[]> {
    return yield* this.#read(yield* this.#page<SealedUnitRow>(SELECT, filter, page));
  }

  *feelings(filter: UnitFilter, page: UnitPage): Steps<UnitFeeling[]> {
    const select = 'SELECT u.id, u.occurred_at, u.salience, u.emotion FROM unit u WHERE u.memory_id = $1';
    return (yield* this.#page<FeelingRow>(select, filter, page)).map(readFeeling);
  }

  *#page<T extends object>(select: string, filter: UnitFilter, page: UnitPage): Steps<T[]> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
    const [order, beyond] = page.oldestFirst ? ['ASC', '>'] : ['DESC', '<'];
    // A conversation's units are few; the plus prevents SQLite from scanning all units by time.
    const time = filter.conversationId === undefined ? 'u.occurred_at' : '+u.occurred_at';
    const sql = `${select} AND ${where} ${page.after ? `AND (u.occurred_at, u.id) ${beyond} (?, ?)` : ''}
      ORDER BY ${time} ${order}, u.id ${order} LIMIT ? OFFSET ?`;
    return yield* this.#tx.all<T>(sql, ...values, ...after, page.limit, page.offset ?? 0);
  }

  /** The given ids whose units pass the filter. */
  *matching(ids: readonly number[], filter: UnitFilter): Steps<Set<number>> {
    if (ids.length === 0) return new Set();
    const { where, values } = filterSql(filter, this.#tx.keys);
    // One JSON array is read faster than rows.
    const row = yield* this.#tx.get<{ ids: string | null }>(
      `SELECT json_agg(u.id) AS ids FROM unnest(?::bigint[]) j (id) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
       WHERE ${where}`,
      ids,
      ...values,
    );
    return new Set(parseColumn<'ids'>(row?.ids ?? '[]'));
  }

  /** The ids of at most `limit` units that pass the filter, in no order. */
  *passing(filter: UnitFilter, limit: number): Steps<number[]> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    const row = yield* this.#tx.get<{ ids: string | null }>(
      `SELECT json_agg(p.id) AS ids FROM (SELECT u.id FROM unit u
       WHERE u.memory_id = $1 AND ${where} LIMIT ?) p`,
      ...values,
      limit,
    );
    return parseNumbers(row?.ids ?? '[]');
  }

  /** Calls `body` with all units, in pages by id: pages instead of one cursor, so that `body` may write. */
  *forEachPage(body: (units: readonly Unit[]) => Steps<unknown> | void, size = 1_000): Steps<void> {
    for (let afterId = 0; ;) {
      const sql = `${SELECT} AND u.id > ? ORDER BY u.id LIMIT ?`;
      const rows = yield* this.#tx.all<SealedUnitRow>(sql, afterId, size);
      const last = rows.at(-1);
      if (!last) return;
      const steps = body(yield* this.#read(rows));
      if (steps) yield* steps;
      if (rows.length < size) return;
      afterId = last.id;
    }
  }

  *count(): Steps<number> {
    return (
      (yield* this.#tx.get<{ n: number }>('SELECT count(*) AS n FROM unit WHERE memory_id = $1'))?.n ?? 0
    );
  }

  *countAccess(ids: readonly number[], at: Instant): Steps<void> {
    yield* this.#tx.run(
      `UPDATE unit SET access_count = access_count + n.times, last_accessed_at = ?
       FROM (SELECT id, count(*) AS times FROM unnest(?::bigint[]) j (id) GROUP BY id) n
       WHERE memory_id = $1 AND unit.id = n.id`,
      at,
      ids,
    );
  }

  /** For each episode its neighbours in the conversation, and the units linked to it. */
  *neighbours(
    unitIds: readonly number[],
    reach: { readonly before: number; readonly after: number },
  ): Steps<Neighbours[]> {
    const rows = yield* this.#tx.all<{ id: number; before: string; after: string; linked: string }>(
      AROUND,
      reach.before,
      reach.after,
      unitIds,
    );
    return rows.map(({ id, before, after, linked }) => ({
      unitId: id,
      before: parseNumbers(before).reverse(),
      after: parseNumbers(after),
      linked: parseColumn<'linked'>(linked).map(([unitId, relation]) => ({ unitId, relation })),
    }));
  }

  *adjacent(unitIds: readonly number[], filter: UnitFilter, reach: number): Steps<Adjacent[]> {
    if (unitIds.length === 0) return [];
    const { where, values } = filterSql(filter, this.#tx.keys);
    const before = sideSql(where, { is: '<', order: 'DESC' });
    const after = sideSql(where, { is: '>', order: 'ASC' });
    // One JSON array is read faster than rows.
    const row = yield* this.#tx.get<{ adjacent: string | null }>(
      `SELECT json_agg(json_build_array(o.id, ${before}, ${after})) AS adjacent
       FROM unnest(?::bigint[]) j (id) JOIN unit o ON o.memory_id = $1 AND o.id = j.id`,
      ...values,
      reach,
      ...values,
      reach,
      unitIds,
    );
    return parseColumn<'adjacent'>(row?.adjacent ?? '[]').map(([unitId, earlier, later]) => ({
      unitId,
      before: takeUntilNull(earlier),
      after: takeUntilNull(later),
    }));
  }

  /** The unit that a row of the table contains, with the text of its turn. */
  *ofRow(row: Row): Steps<Unit | undefined> {
    const turn = yield* this.#tx.get<{ sealed: Uint8Array }>(
      'SELECT sealed FROM turn WHERE memory_id = $1 AND id = ?',
      row['turn_id'] ?? null,
    );
    return (yield* this.#read([toUnitRow(row, turn?.sealed ?? null)]))[0];
  }

  /** An episode as its turn made it; undefined for other units, and when the turn cannot be read. */
  *firstEpisode(unitId: number): Steps<Episode | undefined> {
    const turns = yield* this.#tx.all<SealedTurnRow & { created_at: number }>(FIRST_EPISODE, unitId);
    const [turn] = yield* this.#tx.withWords(turns);
    return turn && isReadable(turn) ? firstEpisode(turn, unitId, turn.created_at) : undefined;
  }

  *#read(rows: readonly SealedUnitRow[]): Steps<Unit[]> {
    const { keys } = this.#tx;
    return (yield* this.#tx.withWords(rows)).map((row) =>
      readUnit({
        ...row,
        payload: openPayload(keys, row.payload),
        topic_tags: openTags(keys, row.topic_tags),
      }),
    );
  }
}

function takeUntilNull(ids: readonly (number | null)[]): number[] {
  const end = ids.indexOf(null);
  return (end < 0 ? ids : ids.slice(0, end)).filter((id) => id !== null);
}
