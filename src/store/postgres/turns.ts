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
  type EpisodeTurn,
  firstEpisode,
  firstPayload,
  FORGOTTEN,
  formatWords,
  isForgotten,
  type NewTurnRow,
  parseColumn,
  readTurn,
  type SealedTurnRow,
  sealPayload,
  toTurnRow,
  type TurnRow,
  unitJob,
} from '../rows/rows.ts';
import type { AddedTurn, ConversationInfo, TurnDraft } from '../store.ts';
import { noteEvents } from './outbox.ts';
import type { Session, Value } from './session.ts';
import type { Single } from './statement.ts';
import type { JobRows } from './jobRows.ts';
import type { TextIndex } from './textIndex.ts';
import { noteNewUnits } from './vectorSet.ts';

const EPISODE = KINDS.indexOf('episode');

const CONVERSATIONS = `SELECT conversation_id AS id, count(*) AS turns, min(occurred_at) AS first_turn_at,
    max(occurred_at) AS last_turn_at FROM turn
  WHERE memory_id = $1 AND NOT starts_with(conversation_id, '${FORGOTTEN}') GROUP BY conversation_id`;

const TURN_COLUMNS = {
  id: 'bigint',
  conversation_id: 'text',
  turn_index: 'bigint',
  occurred_at: 'bigint',
  sealed: 'bytea',
  content_hash: 'bytea',
  chain_hash: 'bytea',
} as const;

interface Existing {
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly turnId: number;
  /** Null when it is missing from a damaged memory, or forgotten. */
  readonly unitId: number | null;
  readonly speaker: string;
  readonly text: string;
  readonly isForgotten: boolean;
}

type ChainEnd = Pick<TurnRow, 'id' | 'chain_hash'>;

/** The rows of the table `turn`. */
export class TurnTable {
  readonly #tx: Session;
  readonly #jobs: JobRows;
  readonly #textIndex: TextIndex;

  constructor(tx: Session, jobs: JobRows, textIndex: TextIndex) {
    this.#tx = tx;
    this.#jobs = jobs;
    this.#textIndex = textIndex;
  }

  /** Call it in a transaction that holds the memory's lock. */
  async append(drafts: readonly TurnDraft[], now: Instant): Promise<AddedTurn[]> {
    const batch = new Batch(await this.#last(), await this.#nextPlaces(drafts), await this.#existing(drafts));
    const appended = drafts.map((draft) => batch.add(draft));
    const episodes = await this.#insert(batch.rows, now);
    await noteEvents(this.#tx, episodes);
    await this.#jobs.insert(
      batch.drafts.flatMap(({ jobKinds }, i) => jobKinds.map((kind) => unitJob(kind, episodes[i]!))),
      now,
    );
    await this.#count(batch.rows);
    await this.#textIndex.add(episodes);
    const unitIds = new Map(episodes.map((episode) => [episode.payload.turnId, episode.id]));
    return appended.map((turn) => ({ ...turn, unitId: unitIds.get(turn.turnId) ?? turn.unitId }));
  }

  /**
   * Removes the text of turns; their places in the chain stay. The database rejects any other change.
   * @throws MemoryError NOT_FOUND
   */
  async forget(ids: readonly number[]): Promise<void> {
    const rows = await this.#tx.all<SealedTurnRow>(
      'SELECT * FROM turn WHERE memory_id = $1 AND id = ANY (?::bigint[])',
      ids,
    );
    const present = new Set(rows.flatMap((row) => (isForgotten(row) ? [] : row.id)));
    const missing = ids.find((id) => !present.has(id));
    if (missing !== undefined) throw new MemoryError('NOT_FOUND', `There is no turn ${missing}.`);
    await this.#tx.keys.destroyTurnKeys(
      this.#tx,
      rows.map(({ sealed }) => sealed),
    );
    for (const row of rows) {
      await this.#tx.get(
        'SELECT omoide_forget_turn($1, ?::bigint, ?)',
        row.id,
        this.#forgottenName(row.conversation_id),
      );
    }
    await this.recount();
  }

  #forgottenName(conversationId: string): string {
    return FORGOTTEN + this.#tx.keys.hashWords(conversationId);
  }

  async getMany(ids: readonly number[]): Promise<Turn[]> {
    return (await this.rowsOf(ids)).map(readTurn);
  }

  async rowsOf(ids: readonly number[]): Promise<TurnRow[]> {
    return this.#read(
      `SELECT t.* FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
         JOIN turn t ON t.memory_id = $1 AND t.id = j.id ORDER BY j.place`,
      ids,
    );
  }

  async rows(page: { afterId: number; limit: number; conversationId?: string }): Promise<TurnRow[]> {
    return page.conversationId === undefined
      ? this.#read(
          'SELECT * FROM turn WHERE memory_id = $1 AND id > ? ORDER BY id LIMIT ?',
          page.afterId,
          page.limit,
        )
      : this.#read(
          'SELECT * FROM turn WHERE memory_id = $1 AND id > ? AND conversation_id = ? ORDER BY id LIMIT ?',
          page.afterId,
          page.conversationId,
          page.limit,
        );
  }

  async page(page: { afterId: number; limit: number; conversationId?: string }): Promise<Turn[]> {
    return (await this.rows(page)).map(readTurn);
  }

  /** The last turn and its chain hash; null without turns. */
  async head(): Promise<{ turnId: number; chainHash: string } | null> {
    const row = await this.#last();
    return row ? { turnId: row.id, chainHash: Buffer.from(row.chain_hash).toString('hex') } : null;
  }

  /** The last turns of a conversation, oldest first. */
  async recent(conversationId: string, limit: number, before = Number.MAX_SAFE_INTEGER): Promise<Turn[]> {
    const rows = await this.#read(
      `SELECT * FROM turn WHERE memory_id = $1 AND conversation_id = ? AND turn_index < ?
       ORDER BY turn_index DESC LIMIT ?`,
      conversationId,
      before,
      limit,
    );
    return rows.map(readTurn).reverse();
  }

  async conversations(page: { limit: number; offset?: number }): Promise<ConversationInfo[]> {
    return this.#tx.all<ConversationInfo>(
      `SELECT id AS "conversationId", turns, first_turn_at AS "firstTurnAt", last_turn_at AS "lastTurnAt"
       FROM conversation WHERE memory_id = $1 ORDER BY last_turn_at DESC, id LIMIT ? OFFSET ?`,
      page.limit,
      page.offset ?? 0,
    );
  }

  /** Conversations whose row does not match their turns. */
  async miscounted(): Promise<string[]> {
    const listed = 'SELECT id, turns, first_turn_at, last_turn_at FROM conversation WHERE memory_id = $1';
    const rows = await this.#tx.all<{ id: string }>(
      `SELECT id FROM (${listed} EXCEPT ${CONVERSATIONS}) a UNION SELECT id FROM (${CONVERSATIONS} EXCEPT ${listed}) b`,
    );
    return rows.map((row) => row.id);
  }

  /** Rebuilds the list of conversations. */
  async recount(): Promise<void> {
    await this.#tx.run('DELETE FROM conversation WHERE memory_id = $1');
    await this.#tx.run(`INSERT INTO conversation SELECT $1, c.* FROM (${CONVERSATIONS}) c`);
  }

  async #last(): Promise<ChainEnd | null> {
    const row = await this.#tx.get<ChainEnd>(
      'SELECT id, chain_hash FROM turn WHERE memory_id = $1 ORDER BY id DESC LIMIT 1',
    );
    return row ?? null;
  }

  async #read(sql: string, ...values: Value[]): Promise<TurnRow[]> {
    const rows = await this.#tx.all<SealedTurnRow>(sql, ...values);
    return this.#tx.keys.withWords(this.#tx, rows);
  }

  /** Creates episodes from turns, also in a rebuild. The caller updates the indexes. */
  async insertEpisodes(turns: readonly EpisodeTurn[], now: Instant): Promise<Episode[]> {
    if (turns.length === 0) return [];
    const firstId = await this.#tx.nextIds('unit', turns.length);
    const rows = turns.map((turn, i) => {
      const origin = parseColumn<'origin'>(turn.origin);
      return [
        firstId + i,
        turn.id,
        turn.conversation_id,
        turn.turn_index,
        turn.occurred_at,
        origin.source,
        SENSITIVITIES.indexOf(origin.sensitivity),
        SCOPES.indexOf(origin.scope),
        sealPayload(this.#tx.keys, firstPayload(origin)),
      ];
    });
    const columns = ['bigint', 'bigint', 'text', 'bigint', 'bigint', 'text', 'smallint', 'smallint', 'json'];
    const arrays = columns.map((_, column): Single[] => rows.map((row) => row[column] ?? null));
    await this.#tx.run(
      `INSERT INTO unit (memory_id, id, kind, turn_id, conversation_id, turn_index, occurred_at, created_at, updated_at,
         source, state, confidence, salience, sensitivity, pinned, topic_tags, scope, reinforcement, access_count,
         version, payload)
       SELECT $1, id, ${EPISODE}, turn_id, conversation_id, turn_index, occurred_at, ?, ?, source, 0, 1, 0.5,
         sensitivity, 0, '[]', scope, 0, 0, 1, payload
       FROM unnest(${columns.map((type) => `?::${type}[]`).join(', ')})
         AS n (id, turn_id, conversation_id, turn_index, occurred_at, source, sensitivity, scope, payload)`,
      now,
      now,
      ...arrays,
    );
    await noteNewUnits(
      this.#tx,
      turns.map((_, i) => firstId + i),
    );
    return turns.map((turn, i) => firstEpisode(turn, firstId + i, now));
  }

  async #insert(rows: readonly TurnRow[], now: Instant): Promise<Episode[]> {
    const sealed = await this.#tx.keys.sealTurns(this.#tx, rows.map(formatWords));
    await this.#tx.insert(
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
    return this.insertEpisodes(rows, now);
  }

  async #nextPlaces(drafts: readonly TurnDraft[]): Promise<Map<string, number>> {
    const open = drafts.filter((draft) => draft.turnIndex === null).map((draft) => draft.conversationId);
    if (open.length === 0) return new Map();
    const names = [...new Set(open)];
    const rows = await this.#tx.all<{ id: string; next: number }>(
      `SELECT c.id, coalesce((SELECT max(t.turn_index) + 1 FROM turn t
         WHERE t.memory_id = $1 AND t.conversation_id IN (c.id, c.forgotten)), 0) AS next
       FROM unnest(?::text[], ?::text[]) c (id, forgotten)`,
      names,
      names.map((name) => this.#forgottenName(name)),
    );
    return new Map(rows.map(({ id, next }) => [id, next]));
  }

  async #existing(drafts: readonly TurnDraft[]): Promise<Existing[]> {
    const placed = drafts.filter((draft) => draft.turnIndex !== null);
    if (placed.length === 0) return [];
    const rows = await this.#tx.all<Omit<Existing, 'speaker' | 'text'> & { sealed: Uint8Array }>(
      `SELECT j.conversation_id AS "conversationId", t.turn_index AS "turnIndex", t.id AS "turnId", u.id AS "unitId",
         t.sealed, starts_with(t.conversation_id, '${FORGOTTEN}') AS "isForgotten"
       FROM unnest(?::text[], ?::text[], ?::bigint[]) j (conversation_id, forgotten, turn_index)
       JOIN turn t ON t.memory_id = $1 AND t.conversation_id IN (j.conversation_id, j.forgotten)
         AND t.turn_index = j.turn_index
       LEFT JOIN unit u ON u.memory_id = $1 AND u.turn_id = t.id`,
      placed.map((draft) => draft.conversationId),
      placed.map((draft) => this.#forgottenName(draft.conversationId)),
      placed.map((draft) => draft.turnIndex ?? 0),
    );
    return this.#tx.keys.withWords(this.#tx, rows);
  }

  async #count(rows: readonly NewTurnRow[]): Promise<void> {
    const conversations = [...Map.groupBy(rows, (row) => row.conversation_id)].map(([id, turns]) => {
      const times = turns.map((turn) => turn.occurred_at);
      return [id, turns.length, Math.min(...times), Math.max(...times)];
    });
    await this.#tx.insert(
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
  readonly #known = new Map<string, Omit<Existing, 'conversationId' | 'turnIndex'>>();
  #chain: Uint8Array;
  #lastId: number;

  /** @param nextPlaces by conversation, the next free place for turns without one */
  constructor(last: ChainEnd | null, nextPlaces: Map<string, number>, existing: readonly Existing[]) {
    this.#chain = last?.chain_hash ?? CHAIN_START;
    this.#lastId = last?.id ?? 0;
    this.#nextPlaces = nextPlaces;
    for (const turn of existing) this.#known.set(placeKey(turn.conversationId, turn.turnIndex), turn);
  }

  /** @throws MemoryError TURN_CONFLICT */
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

function checkSame(
  draft: TurnDraft,
  turnIndex: number,
  known: Omit<Existing, 'conversationId' | 'turnIndex'>,
): void {
  const { conversationId } = draft;
  const details = { turnId: known.turnId, conversationId, turnIndex };
  const where = `Conversation ${JSON.stringify(conversationId)}`;
  if (known.isForgotten) {
    throw new MemoryError('TURN_FORGOTTEN', `${where} had a turn ${turnIndex} that was forgotten.`, details);
  }
  if (known.speaker === draft.speaker && known.text === draft.text && known.unitId !== null) return;
  throw new MemoryError('TURN_CONFLICT', `${where} already has another text at turn ${turnIndex}.`, details);
}
