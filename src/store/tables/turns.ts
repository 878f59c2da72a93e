import {
  KINDS,
  MemoryError,
  SCOPES,
  SENSITIVITIES,
  type Episode,
  type Instant,
  type Turn,
} from '../../model/model.ts';
import {
  CHAIN_START,
  firstEpisode,
  firstPayload,
  FORGOTTEN,
  formatWords,
  isForgotten,
  readTurn,
  sealPayload,
  toTurnRow,
  unitJob,
  type EpisodeTurn,
  type NewTurnRow,
  parseColumn,
  type SealedTurnRow,
  type TurnRow,
} from '../rows/rows.ts';
import type { AddedTurn, ConversationInfo, TurnDraft } from '../store.ts';
import type { OwnParts } from './ownParts.ts';
import type { Sql, SqlValue } from './sql.ts';
import { settled, type Steps } from './steps.ts';

const EPISODE = KINDS.indexOf('episode');

/** Whether the conversation in a column is not that of a forgotten turn. */
export const isRemembered = (column: string) => `substr(${column}, 1, ${FORGOTTEN.length}) <> '${FORGOTTEN}'`;

const CONVERSATIONS = `SELECT conversation_id AS id, count(*) AS turns, min(occurred_at) AS first_turn_at,
    max(occurred_at) AS last_turn_at FROM turn
  WHERE memory_id = $1 AND ${isRemembered('conversation_id')} GROUP BY conversation_id`;

const TURN_COLUMNS = {
  id: 'bigint',
  conversation_id: 'text',
  turn_index: 'bigint',
  occurred_at: 'bigint',
  sealed: 'bytea',
  content_hash: 'bytea',
  chain_hash: 'bytea',
} as const;

const EPISODE_COLUMNS = {
  kind: 'smallint',
  turn_id: 'bigint',
  conversation_id: 'text',
  turn_index: 'bigint',
  occurred_at: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  source: 'text',
  state: 'smallint',
  confidence: 'float8',
  salience: 'float8',
  sensitivity: 'smallint',
  pinned: 'smallint',
  topic_tags: 'text',
  scope: 'smallint',
  reinforcement: 'bigint',
  access_count: 'bigint',
  version: 'bigint',
  payload: 'json',
} as const;

interface Existing {
  readonly turnId: number;
  /** Null when it is missing from a damaged memory, or forgotten. */
  readonly unitId: number | null;
  readonly speaker: string;
  readonly text: string;
  readonly isForgotten: boolean;
}

type ChainEnd = Pick<TurnRow, 'id' | 'chain_hash'>;

/** The last turn, if there is one, and the last turn that anything else refers to. An index serves each part. */
export const CHAIN_END = `SELECT t.id, t.chain_hash, greatest(
    coalesce((SELECT turn_id FROM unit WHERE memory_id = $1 AND turn_id IS NOT NULL ORDER BY turn_id DESC LIMIT 1), 0),
    coalesce((SELECT turn_id FROM checkpoint WHERE memory_id = $1 ORDER BY id DESC LIMIT 1), 0)) AS "known"
  FROM (SELECT 1) one
  LEFT JOIN (SELECT id, chain_hash FROM turn WHERE memory_id = $1 ORDER BY id DESC LIMIT 1) t ON true`;

type Page = { readonly afterId: number; readonly limit: number; readonly conversationId?: string };

/** The rows of the table `turn`. */
export class TurnRows {
  readonly #tx: Sql;
  readonly #own: OwnParts;

  constructor(tx: Sql, own: OwnParts) {
    this.#tx = tx;
    this.#own = own;
  }

  /** Call it in a transaction that no other writer of the memory interrupts. */
  *append(drafts: readonly TurnDraft[], now: Instant): Steps<AddedTurn[]> {
    const batch = new Batch(
      yield* this.#end(),
      yield* this.#nextPlaces(drafts),
      yield* this.#existing(drafts),
    );
    const appended = drafts.map((draft) => batch.add(draft));
    const episodes = yield* this.#insert(batch.rows, now);
    yield* settled(this.#own.announce(episodes));
    const jobs = episodes.flatMap((episode, i) =>
      (batch.drafts[i]?.jobKinds ?? []).map((kind) => unitJob(kind, episode)),
    );
    yield* settled(this.#own.insertJobs(jobs, now));
    yield* this.#count(batch.rows);
    yield* settled(this.#own.addToTextIndex(episodes));
    const unitIds = new Map(episodes.map((episode) => [episode.payload.turnId, episode.id]));
    return appended.map((turn) => ({ ...turn, unitId: unitIds.get(turn.turnId) ?? turn.unitId }));
  }

  /**
   * Removes the names of the conversations of turns; the store destroys their keys. Their places in the chain stay.
   * @throws MemoryError NOT_FOUND
   */
  *forget(ids: readonly number[]): Steps<void> {
    const sql = 'SELECT * FROM turn WHERE memory_id = $1 AND id = ANY (?::bigint[])';
    const rows = yield* this.#tx.all<SealedTurnRow>(sql, ids);
    const present = new Set(rows.flatMap((row) => (isForgotten(row) ? [] : row.id)));
    const missing = ids.find((id) => !present.has(id));
    if (missing !== undefined) throw new MemoryError('NOT_FOUND', `There is no turn ${missing}.`);
    const forgotten = rows.map(({ id, sealed, conversation_id }) => ({
      id,
      sealed,
      name: this.#forgottenName(conversation_id),
    }));
    yield* settled(this.#own.forgetTurns(forgotten));
    yield* this.recount();
  }

  *getMany(ids: readonly number[]): Steps<Turn[]> {
    const sql = `SELECT t.* FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
      JOIN turn t ON t.memory_id = $1 AND t.id = j.id ORDER BY j.place`;
    return (yield* this.#read(sql, ids)).map(readTurn);
  }

  *rows({ afterId, limit, conversationId }: Page): Steps<TurnRow[]> {
    const sql = 'SELECT * FROM turn WHERE memory_id = $1 AND id > ?';
    return conversationId === undefined
      ? yield* this.#read(`${sql} ORDER BY id LIMIT ?`, afterId, limit)
      : yield* this.#read(
          `${sql} AND conversation_id = ? ORDER BY id LIMIT ?`,
          afterId,
          conversationId,
          limit,
        );
  }

  *page(page: Page): Steps<Turn[]> {
    return (yield* this.rows(page)).map(readTurn);
  }

  /** The last turn and its chain hash; null without turns. */
  *head(): Steps<{ turnId: number; chainHash: string } | null> {
    const row = yield* this.#last();
    return row ? { turnId: row.id, chainHash: Buffer.from(row.chain_hash).toString('hex') } : null;
  }

  /** The last turns of a conversation, oldest first. */
  *recent(conversationId: string, limit: number, before = Number.MAX_SAFE_INTEGER): Steps<Turn[]> {
    const rows = yield* this.#read(
      `SELECT * FROM turn WHERE memory_id = $1 AND conversation_id = ? AND turn_index < ?
       ORDER BY turn_index DESC LIMIT ?`,
      conversationId,
      before,
      limit,
    );
    return rows.map(readTurn).reverse();
  }

  *conversations(page: { limit: number; offset?: number }): Steps<ConversationInfo[]> {
    const rows = yield* this.#tx.all<ConversationInfo>(
      `SELECT id AS "conversationId", turns, first_turn_at AS "firstTurnAt", last_turn_at AS "lastTurnAt"
       FROM conversation WHERE memory_id = $1 ORDER BY last_turn_at DESC, id LIMIT ? OFFSET ?`,
      page.limit,
      page.offset ?? 0,
    );
    return rows.map((row) => ({ ...row }));
  }

  /** Conversations whose row does not match their turns. */
  *miscounted(): Steps<string[]> {
    const listed = 'SELECT id, turns, first_turn_at, last_turn_at FROM conversation WHERE memory_id = $1';
    const rows = yield* this.#tx.all<{ id: string }>(
      `SELECT id FROM (${listed} EXCEPT ${CONVERSATIONS}) a UNION SELECT id FROM (${CONVERSATIONS} EXCEPT ${listed}) b`,
    );
    return rows.map((row) => row.id);
  }

  /** Rebuilds the list of conversations. */
  *recount(): Steps<void> {
    yield* this.#tx.run('DELETE FROM conversation WHERE memory_id = $1');
    yield* this.#tx.run(`INSERT INTO conversation SELECT $1, c.* FROM (${CONVERSATIONS}) c`);
  }

  /** Creates episodes from turns, also in a rebuild. The caller updates the indexes. */
  *insertEpisodes(turns: readonly EpisodeTurn[], now: Instant): Steps<Episode[]> {
    if (turns.length === 0) return [];
    const rows = turns.map((turn) => {
      const origin = parseColumn<'origin'>(turn.origin);
      return [
        EPISODE,
        turn.id,
        turn.conversation_id,
        turn.turn_index,
        turn.occurred_at,
        now,
        now,
        origin.source,
        0,
        1,
        0.5,
        SENSITIVITIES.indexOf(origin.sensitivity),
        0,
        '[]',
        SCOPES.indexOf(origin.scope),
        0,
        0,
        1,
        sealPayload(this.#tx.keys, firstPayload(origin)),
      ];
    });
    const firstId = yield* this.#tx.insertAll('unit', EPISODE_COLUMNS, rows);
    const episodes = turns.map((turn, i) => firstEpisode(turn, firstId + i, now));
    yield* settled(this.#own.noteNewUnits(episodes.map(({ id }) => id)));
    return episodes;
  }

  *#insert(rows: readonly TurnRow[], now: Instant): Steps<Episode[]> {
    const sealed = yield* this.#tx.sealTurns(rows.map(formatWords));
    yield* this.#tx.insert(
      'turn',
      TURN_COLUMNS,
      rows.map((row, i) => [
        row.id,
        row.conversation_id,
        row.turn_index,
        row.occurred_at,
        sealed[i] ?? null,
        row.content_hash,
        row.chain_hash,
      ]),
    );
    return yield* this.insertEpisodes(rows, now);
  }

  *#last(): Steps<ChainEnd | undefined> {
    const sql = 'SELECT id, chain_hash FROM turn WHERE memory_id = $1 ORDER BY id DESC LIMIT 1';
    return yield* this.#tx.get<ChainEnd>(sql);
  }

  /** The turn to continue from. @throws MemoryError CHAIN_BROKEN when turns after it are missing */
  *#end(): Steps<ChainEnd | undefined> {
    const row = yield* this.#tx.get<(ChainEnd | { id: null }) & { known: number }>(CHAIN_END);
    const lastId = row?.id ?? 0;
    if (row && row.known > lastId) {
      throw new MemoryError(
        'CHAIN_BROKEN',
        `Nothing is added: there was a turn ${row.known}, but the last one is ${lastId}. “omoide verify” shows the damage. ` +
          'Restore a backup or the archive; docs/troubleshooting.md says what to do without one.',
        { turnId: lastId + 1 },
      );
    }
    return row && row.id !== null ? row : undefined;
  }

  *#read(sql: string, ...values: SqlValue[]): Steps<TurnRow[]> {
    return yield* this.#tx.withWords(yield* this.#tx.all<SealedTurnRow>(sql, ...values));
  }

  #forgottenName(conversationId: string): string {
    return FORGOTTEN + this.#tx.keys.hashWords(conversationId);
  }

  /** Conversations by their names, and by the names that they have when forgotten. */
  #byName(conversationIds: readonly string[]): Map<string, string> {
    const ids = [...new Set(conversationIds)];
    return new Map([
      ...ids.map((id) => [id, id] as const),
      ...ids.map((id) => [this.#forgottenName(id), id] as const),
    ]);
  }

  /** By conversation, the next free place for turns without one. */
  *#nextPlaces(drafts: readonly TurnDraft[]): Steps<Map<string, number>> {
    const open = drafts.filter((draft) => draft.turnIndex === null).map((draft) => draft.conversationId);
    const places = new Map<string, number>();
    if (open.length === 0) return places;
    const names = this.#byName(open);
    const rows = yield* this.#tx.all<{ id: string; last: number | null }>(
      `SELECT j.id, (SELECT max(t.turn_index) FROM turn t WHERE t.memory_id = $1 AND t.conversation_id = j.id) AS last
       FROM unnest(?::text[]) j (id)`,
      [...names.keys()],
    );
    for (const { id, last } of rows) {
      const conversationId = names.get(id) ?? id;
      places.set(conversationId, Math.max(places.get(conversationId) ?? 0, (last ?? -1) + 1));
    }
    return places;
  }

  /** The stored turns at the places of drafts, by place. */
  *#existing(drafts: readonly TurnDraft[]): Steps<Map<string, Existing>> {
    const placed = drafts.filter((draft) => draft.turnIndex !== null);
    if (placed.length === 0) return new Map();
    const names = this.#byName(placed.map((draft) => draft.conversationId));
    const rows = yield* this.#tx.all<SealedTurnRow & { unitId: number | null }>(
      `SELECT t.*, u.id AS "unitId" FROM turn t LEFT JOIN unit u ON u.memory_id = $1 AND u.turn_id = t.id
       WHERE t.memory_id = $1 AND t.conversation_id = ANY (?::text[]) AND t.turn_index = ANY (?::bigint[])`,
      [...names.keys()],
      [...new Set(placed.map((draft) => draft.turnIndex))],
    );
    const keyOf = (row: SealedTurnRow) => placeKey(names.get(row.conversation_id) ?? '', row.turn_index);
    // Also places of one conversation in another were read.
    const wanted = new Set(
      placed.map(({ conversationId, turnIndex }) => placeKey(conversationId, turnIndex ?? 0)),
    );
    const found = yield* this.#tx.withWords(rows.filter((row) => wanted.has(keyOf(row))));
    return new Map(
      found.map((row) => {
        const { id: turnId, unitId, speaker, text } = row;
        return [keyOf(row), { turnId, unitId, speaker, text, isForgotten: isForgotten(row) }];
      }),
    );
  }

  *#count(rows: readonly NewTurnRow[]): Steps<void> {
    const conversations = [...Map.groupBy(rows, (row) => row.conversation_id)].map(([id, turns]) => {
      const times = turns.map((turn) => turn.occurred_at);
      return [id, turns.length, Math.min(...times), Math.max(...times)];
    });
    yield* this.#tx.insert(
      'conversation AS c',
      { id: 'text', turns: 'bigint', first_turn_at: 'bigint', last_turn_at: 'bigint' },
      conversations,
      `ON CONFLICT (memory_id, id) DO UPDATE SET turns = c.turns + excluded.turns,
         first_turn_at = least(c.first_turn_at, excluded.first_turn_at),
         last_turn_at = greatest(c.last_turn_at, excluded.last_turn_at)`,
    );
  }
}

/** The turns of one call, chained to the last stored one. */
class Batch {
  readonly rows: TurnRow[] = [];
  /** In the order of the rows. */
  readonly drafts: TurnDraft[] = [];
  readonly #nextPlaces: Map<string, number>;
  /** By place. */
  readonly #known: Map<string, Existing>;
  #chain: Uint8Array;
  #lastId: number;

  constructor(last: ChainEnd | undefined, nextPlaces: Map<string, number>, known: Map<string, Existing>) {
    this.#chain = last?.chain_hash ?? CHAIN_START;
    this.#lastId = last?.id ?? 0;
    this.#nextPlaces = nextPlaces;
    this.#known = known;
  }

  /** @throws MemoryError TURN_CONFLICT, TURN_FORGOTTEN */
  add(draft: TurnDraft): AddedTurn {
    const turnIndex = this.#place(draft);
    const key = placeKey(draft.conversationId, turnIndex);
    const known = this.#known.get(key);
    if (known) {
      checkSame(draft, turnIndex, known);
      return { turnId: known.turnId, unitId: known.unitId ?? 0, turnIndex, isNew: false };
    }
    const id = (this.#lastId += 1);
    const row = { ...toTurnRow(draft, turnIndex, this.#chain), id };
    this.#chain = row.chain_hash;
    this.rows.push(row);
    this.drafts.push(draft);
    const { speaker, text } = draft;
    this.#known.set(key, { turnId: id, unitId: 0, speaker, text, isForgotten: false });
    return { turnId: id, unitId: 0, turnIndex, isNew: true };
  }

  #place({ conversationId, turnIndex }: TurnDraft): number {
    const next = this.#nextPlaces.get(conversationId);
    const place = turnIndex ?? next ?? 0;
    if (next !== undefined) this.#nextPlaces.set(conversationId, Math.max(place + 1, next));
    return place;
  }
}

function placeKey(conversationId: string, turnIndex: number): string {
  return `${turnIndex} ${conversationId}`;
}

function checkSame(draft: TurnDraft, turnIndex: number, known: Existing): void {
  const { conversationId } = draft;
  const details = { turnId: known.turnId, conversationId, turnIndex };
  const where = `Conversation ${JSON.stringify(conversationId)}`;
  if (known.isForgotten) {
    throw new MemoryError('TURN_FORGOTTEN', `${where} had a turn ${turnIndex} that was forgotten.`, details);
  }
  if (known.speaker === draft.speaker && known.text === draft.text && known.unitId !== null) return;
  throw new MemoryError('TURN_CONFLICT', `${where} already has another text at turn ${turnIndex}.`, details);
}
