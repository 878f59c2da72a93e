import { KINDS, MemoryError, type Episode, type Instant, type Unit } from '../../model/model.ts';
import {
  editedAt,
  firstEpisode,
  isReadable,
  openPayload,
  openTags,
  readFeeling,
  readUnit,
  textOf,
  type EpisodeTurn,
  predicateOf,
  type FeelingRow,
  type PassageRow,
  type Row,
  type SealedUnitRow,
  toUnitRow,
} from '../rows/rows.ts';
import type { Passage, UnitFeeling, UnitFilter, UnitPage } from '../store.ts';
import { filterSql } from './filter.ts';
import type { Session } from './session.ts';

/** Units with the text of their turns. */
const SELECT = `SELECT u.*, t.sealed FROM unit u
  LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id WHERE u.memory_id = $1`;
const SELECT_MANY = `SELECT u.*, t.sealed FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
  JOIN unit u ON u.memory_id = $1 AND u.id = j.id LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
  ORDER BY j.place`;
const EPISODE = KINDS.indexOf('episode');

const PASSAGES = `SELECT u.id, u.kind, u.occurred_at AS "occurredAt", u.conversation_id AS "conversationId",
    u.turn_index AS "turnIndex", u.payload, t.sealed
  FROM unnest(?::bigint[]) j (id) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id`;

const FIRST_EPISODE = `SELECT t.*, u.created_at FROM unit u JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
  WHERE u.memory_id = $1 AND u.id = ?`;

type KeptPassage = Omit<PassageRow, 'speaker' | 'text'> & { sealed: Uint8Array | null };
type KeptTurn = Omit<EpisodeTurn, 'speaker' | 'text' | 'meta' | 'origin' | 'salt'> & {
  sealed: Uint8Array;
  created_at: number;
};

/** Reads the rows of the table `unit`; `tables/unitRows.ts` writes them. */
export class UnitTable {
  readonly #tx: Session;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  async getMany(ids: readonly number[]): Promise<Unit[]> {
    if (ids.length === 0) return [];
    return this.#read(await this.#tx.all<SealedUnitRow>(SELECT_MANY, ids));
  }

  async get(id: number): Promise<Unit | undefined> {
    const rows = await this.#tx.all<SealedUnitRow>(`${SELECT} AND u.id = ?`, id);
    return (await this.#read(rows))[0];
  }

  /** Read with one statement and only the columns that scoring needs: a recall reads hundreds. */
  async passages(ids: readonly number[]): Promise<Passage[]> {
    const kept = await this.#tx.all<KeptPassage>(PASSAGES, ids);
    const rows = await this.#tx.keys.withWords(this.#tx, kept);
    const others = rows.filter((row) => !isPlain(row)).map((row) => row.id);
    const units = new Map((await this.getMany(others)).map((unit) => [unit.id, unit]));
    return rows.map((row) => {
      const { id: unitId, kind, conversationId, turnIndex } = row;
      const speaker = kind === EPISODE ? row.speaker : null;
      const unit = units.get(unitId);
      const text = isPlain(row) ? row.text : textOf(unit);
      const occurredAt = editedAt(unit) ?? row.occurredAt;
      const predicate = predicateOf(unit);
      const place = { conversationId, turnIndex };
      return { unitId, kind: KINDS[kind], text, occurredAt, ...place, speaker, predicate };
    });
  }

  async list(filter: UnitFilter, page: UnitPage): Promise<Unit[]> {
    return this.#read(await this.#page<SealedUnitRow>(SELECT, filter, page));
  }

  async feelings(filter: UnitFilter, page: UnitPage): Promise<UnitFeeling[]> {
    const select = 'SELECT u.id, u.occurred_at, u.salience, u.emotion FROM unit u WHERE u.memory_id = $1';
    return (await this.#page<FeelingRow>(select, filter, page)).map(readFeeling);
  }

  #page<Row extends object>(select: string, filter: UnitFilter, page: UnitPage): Promise<Row[]> {
    const { where, values } = filterSql(filter, this.#tx.keys);
    const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
    const [order, beyond] = page.oldestFirst ? ['ASC', '>'] : ['DESC', '<'];
    const sql = `${select} AND ${where} ${page.after ? `AND (u.occurred_at, u.id) ${beyond} (?, ?)` : ''}
      ORDER BY u.occurred_at ${order}, u.id ${order} LIMIT ? OFFSET ?`;
    return this.#tx.all<Row>(sql, ...values, ...after, page.limit, page.offset ?? 0);
  }

  /** The given ids whose units pass the filter. */
  async passing(ids: readonly number[], filter: UnitFilter): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const { where, values } = filterSql(filter, this.#tx.keys);
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT u.id FROM unnest(?::bigint[]) j (id) JOIN unit u ON u.memory_id = $1 AND u.id = j.id WHERE ${where}`,
      ids,
      ...values,
    );
    return new Set(rows.map((row) => row.id));
  }

  /** Every unit, in pages by id. Pages instead of one cursor, so that the caller may write in between. */
  async *pages(size = 1_000): AsyncGenerator<Unit[]> {
    for (let afterId = 0; ;) {
      const rows = await this.#tx.all<SealedUnitRow>(
        `${SELECT} AND u.id > ? ORDER BY u.id LIMIT ?`,
        afterId,
        size,
      );
      const last = rows.at(-1);
      if (!last) return;
      yield await this.#read(rows);
      afterId = last.id;
    }
  }

  async count(): Promise<number> {
    return (await this.#tx.get<{ n: number }>('SELECT count(*) AS n FROM unit WHERE memory_id = $1'))?.n ?? 0;
  }

  async countAccess(ids: readonly number[], at: Instant): Promise<void> {
    await this.#tx.run(
      `UPDATE unit SET access_count = access_count + n.times, last_accessed_at = ?
       FROM (SELECT id, count(*) AS times FROM unnest(?::bigint[]) j (id) GROUP BY id) n
       WHERE memory_id = $1 AND unit.id = n.id`,
      at,
      ids,
    );
  }

  /** The unit that a row of the table contains, with the text of its turn. */
  async ofRow(row: Row): Promise<Unit> {
    const { turn_id: turnId } = row;
    const turn = await this.#tx.get<{ sealed: Uint8Array }>(
      'SELECT sealed FROM turn WHERE memory_id = $1 AND id = ?',
      typeof turnId === 'number' ? turnId : null,
    );
    const [unit] = await this.#read([toUnitRow(row, turn?.sealed ?? null)]);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${String(row['id'])}.`);
    return unit;
  }

  /** An episode as its turn made it; undefined for other units, and when the turn cannot be read. */
  async firstEpisode(unitId: number): Promise<Episode | undefined> {
    const turns = await this.#tx.all<KeptTurn>(FIRST_EPISODE, unitId);
    const [turn] = await this.#tx.keys.withWords(this.#tx, turns);
    return turn && isReadable(turn) ? firstEpisode(turn, unitId, turn.created_at) : undefined;
  }

  /** Rows of `SELECT` above as units. */
  async #read(rows: readonly SealedUnitRow[]): Promise<Unit[]> {
    const { keys } = this.#tx;
    return (await keys.withWords(this.#tx, rows)).map((row) =>
      readUnit({
        ...row,
        payload: openPayload(keys, row.payload),
        topic_tags: openTags(keys, row.topic_tags),
      }),
    );
  }
}

/** Whether the passage is the whole text of its unit. */
function isPlain(row: KeptPassage): boolean {
  return row.kind === EPISODE && row.payload === '{}';
}
