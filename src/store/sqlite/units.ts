import { KINDS, type Episode, type Unit } from '../../model/model.ts';
import type { Passage, UnitFeeling, UnitFilter, UnitPage } from '../store.ts';
import {
  editedAt,
  firstEpisode,
  isReadable,
  openPayload,
  openTags,
  openTurn,
  openWords,
  predicateOf,
  readFeeling,
  readUnit,
  textOf,
  type FeelingRow,
  type PassageRow,
  type Row,
  type SealedTurnRow,
  type SealedUnitRow,
  toUnitRow,
} from '../rows/rows.ts';
import type { MemoryKeys } from '../../keys/keys.ts';
import type { Database } from './database.ts';
import { filterSql } from './filter.ts';

/** Units with the text of their turns. */
const SELECT = 'SELECT u.*, t.sealed FROM unit u LEFT JOIN turn t ON t.id = u.turn_id';
const SELECT_MANY = `SELECT u.*, t.sealed FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value
  LEFT JOIN turn t ON t.id = u.turn_id ORDER BY j.key`;
const EPISODE = KINDS.indexOf('episode');

const PASSAGES = `SELECT u.id, u.kind, u.occurred_at AS occurredAt, u.conversation_id AS conversationId,
    u.turn_index AS turnIndex, u.payload, t.sealed
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value LEFT JOIN turn t ON t.id = u.turn_id`;

const FIRST_EPISODE = `SELECT t.*, u.created_at FROM unit u JOIN turn t ON t.id = u.turn_id WHERE u.id = ?`;

type KeptPassage = Omit<PassageRow, 'speaker' | 'text'> & { sealed: Uint8Array | null };

/** Reads units; `tables/unitRows.ts` writes them. */
export class UnitTable {
  readonly #db: Database;
  readonly #keys: MemoryKeys;

  constructor(db: Database) {
    this.#db = db;
    this.#keys = db.keys;
  }

  getMany(ids: readonly number[]): Unit[] {
    return this.#db.all<SealedUnitRow>(SELECT_MANY, JSON.stringify(ids)).map((row) => this.#read(row));
  }

  get(id: number): Unit | undefined {
    const row = this.#db.get<SealedUnitRow>(`${SELECT} WHERE u.id = ?`, id);
    return row && this.#read(row);
  }

  /** Read in one statement and without fields that scoring does not need: a recall reads hundreds. */
  passages(ids: readonly number[]): Passage[] {
    const rows = this.#db.all<KeptPassage>(PASSAGES, JSON.stringify(ids));
    return rows.map((row) => {
      const { id: unitId, kind, conversationId, turnIndex } = row;
      const isPlain = kind === EPISODE && row.payload === '{}';
      const unit = isPlain ? undefined : this.get(unitId);
      const { text, speaker } = isPlain ? openWords(this.#keys, row.sealed) : saidBy(unit);
      const occurredAt = editedAt(unit) ?? row.occurredAt;
      const predicate = predicateOf(unit);
      const place = { conversationId, turnIndex };
      return { unitId, kind: KINDS[kind], text, occurredAt, ...place, speaker, predicate };
    });
  }

  list(filter: UnitFilter, page: UnitPage): Unit[] {
    return this.#page<SealedUnitRow>(SELECT, filter, page).map((row) => this.#read(row));
  }

  feelings(filter: UnitFilter, page: UnitPage): UnitFeeling[] {
    const select = 'SELECT u.id, u.occurred_at, u.salience, u.emotion FROM unit u';
    return this.#page<FeelingRow>(select, filter, page).map(readFeeling);
  }

  #page<Row extends object>(select: string, filter: UnitFilter, page: UnitPage): Row[] {
    const { where, values } = filterSql(filter, this.#keys);
    const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
    const [order, beyond] = page.oldestFirst ? ['ASC', '>'] : ['DESC', '<'];
    // A conversation's units are few and stored together; the plus prevents SQLite from scanning all units by time.
    const time = filter.conversationId === undefined ? 'u.occurred_at' : '+u.occurred_at';
    const sql = `${select} WHERE ${where} ${page.after ? `AND (u.occurred_at, u.id) ${beyond} (?, ?)` : ''}
      ORDER BY ${time} ${order}, u.id ${order} LIMIT +? OFFSET ?`;
    return this.#db.all<Row>(sql, ...values, ...after, page.limit, page.offset ?? 0);
  }

  /** Every unit, in pages by id and not by one cursor, so that the caller may write in between. */
  *pages(size = 1_000): Generator<Unit[]> {
    for (let afterId = 0; ;) {
      const rows = this.#db.all<SealedUnitRow>(
        `${SELECT} WHERE u.id > ? ORDER BY u.id LIMIT +?`,
        afterId,
        size,
      );
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map((row) => this.#read(row));
      afterId = last.id;
    }
  }

  /** The unit that a row of the table contains, with the text of its turn. */
  ofRow(row: Row): Unit {
    const turn = this.#db.get<{ sealed: Uint8Array }>(
      'SELECT sealed FROM turn WHERE id = ?',
      row['turn_id'] ?? null,
    );
    return this.#read(toUnitRow(row, turn?.sealed ?? null));
  }

  /** An episode as its turn made it; undefined for other units, and when the turn cannot be read. */
  firstEpisode(unitId: number): Episode | undefined {
    const turn = this.#db.get<SealedTurnRow & { created_at: number }>(FIRST_EPISODE, unitId);
    const opened = turn && openTurn(this.#keys, turn);
    return opened && isReadable(opened) ? firstEpisode(opened, unitId, opened.created_at) : undefined;
  }

  /** Converts a row of `SELECT` above to a unit. */
  #read(row: SealedUnitRow): Unit {
    return readUnit({
      ...row,
      ...openWords(this.#keys, row.sealed),
      payload: openPayload(this.#keys, row.payload),
      topic_tags: openTags(this.#keys, row.topic_tags),
    });
  }
}

function saidBy(unit: Unit | undefined): { text: string; speaker: string | null } {
  return { text: textOf(unit), speaker: unit?.kind === 'episode' ? unit.payload.speaker : null };
}
