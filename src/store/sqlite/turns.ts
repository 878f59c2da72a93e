import {
  KINDS,
  MemoryError,
  SCOPES,
  SENSITIVITIES,
  type Episode,
  type Instant,
  type NewJob,
  type Turn,
  type Unit,
} from '../../model/model.ts';
import type { AddedTurn, ConversationInfo, TurnDraft } from '../store.ts';
import {
  CHAIN_START,
  type EpisodeTurn,
  firstEpisode,
  firstPayload,
  FORGOTTEN,
  formatWords,
  isForgotten,
  type NewTurnRow,
  openTurn,
  parseColumn,
  readTurn,
  type SealedTurnRow,
  sealPayload,
  toTurnRow,
  type TurnRow,
  unitJob,
} from '../rows/rows.ts';
import type { MemoryKeys } from '../../keys/keys.ts';
import type { Database } from './database.ts';
import { insertJobs } from './jobTable.ts';
import type { TextIndex } from './textIndex.ts';

const EPISODE = KINDS.indexOf('episode');

const CONVERSATIONS = `SELECT conversation_id AS id, count(*), min(occurred_at), max(occurred_at)
  FROM turn WHERE conversation_id NOT GLOB '${FORGOTTEN}*' GROUP BY conversation_id`;

/** The rows of the table `turn`. Callers hold the transaction. */
export class TurnTable {
  readonly #db: Database;
  readonly #textIndex: TextIndex;
  readonly #keys: MemoryKeys;

  constructor(db: Database, textIndex: TextIndex) {
    this.#db = db;
    this.#textIndex = textIndex;
    this.#keys = db.keys;
  }

  append(drafts: readonly TurnDraft[], now: Instant): AddedTurn[] {
    const rows: NewTurnRow[] = [];
    const fresh: Unit[] = [];
    const jobs: NewJob[] = [];
    const nextPlaces = new Map<string, number>();
    let chain = this.chainHead();
    const appended = drafts.map((draft): AddedTurn => {
      const place = this.#place(draft, nextPlaces);
      const existing = draft.turnIndex === null ? undefined : this.#existing(draft, place);
      if (existing) return { ...existing, turnIndex: place, isNew: false };
      const row = toTurnRow(draft, place, chain);
      const turnId = this.#insert(row);
      chain = row.chain_hash;
      const episode = insertEpisode(this.#db, { ...row, id: turnId }, now);
      rows.push(row);
      fresh.push(episode);
      for (const kind of draft.jobKinds) jobs.push(unitJob(kind, episode));
      return { turnId, unitId: episode.id, turnIndex: place, isNew: true };
    });
    insertJobs(this.#db, jobs, now);
    this.#count(rows);
    this.#textIndex.add(fresh);
    return appended;
  }

  get(id: number): Turn | undefined {
    const row = this.kept(id);
    return row && this.#read(row);
  }

  /** The stored row. */
  kept(id: number): SealedTurnRow | undefined {
    return this.#db.get<SealedTurnRow>('SELECT * FROM turn WHERE id = ?', id);
  }

  page(page: { afterId: number; limit: number; conversationId?: string }): Turn[] {
    return this.#keptRows(page).map((row) => this.#read(row));
  }

  rows(page: { afterId: number; limit: number; conversationId?: string }): TurnRow[] {
    return this.#keptRows(page).map((row) => openTurn(this.#keys, row));
  }

  #keptRows(page: { afterId: number; limit: number; conversationId?: string }): SealedTurnRow[] {
    return page.conversationId === undefined
      ? this.#db.all<SealedTurnRow>(
          'SELECT * FROM turn WHERE id > ? ORDER BY id LIMIT +?',
          page.afterId,
          page.limit,
        )
      : this.#db.all<SealedTurnRow>(
          'SELECT * FROM turn WHERE id > ? AND conversation_id = ? ORDER BY id LIMIT +?',
          page.afterId,
          page.conversationId,
          page.limit,
        );
  }

  /** The last turns of a conversation, oldest first. */
  recent(conversationId: string, limit: number, before = Number.MAX_SAFE_INTEGER): Turn[] {
    return this.#db
      .all<SealedTurnRow>(
        'SELECT * FROM turn WHERE conversation_id = ? AND turn_index < ? ORDER BY turn_index DESC LIMIT +?',
        conversationId,
        before,
        limit,
      )
      .map((row) => this.#read(row))
      .reverse();
  }

  conversations(page: { limit: number; offset?: number }): ConversationInfo[] {
    return this.#db
      .all<ConversationInfo>(
        `SELECT id AS conversationId, turns, first_turn_at AS firstTurnAt, last_turn_at AS lastTurnAt
         FROM conversation ORDER BY last_turn_at DESC, id LIMIT +? OFFSET ?`,
        page.limit,
        page.offset ?? 0,
      )
      .map((row) => ({ ...row }));
  }

  /** Conversations whose stored figures differ from those of their turns. */
  miscounted(): string[] {
    return this.#db
      .all<{ id: string }>(
        `SELECT id FROM (SELECT id, turns, first_turn_at, last_turn_at FROM conversation EXCEPT ${CONVERSATIONS})
         UNION SELECT id FROM (${CONVERSATIONS} EXCEPT SELECT id, turns, first_turn_at, last_turn_at FROM conversation)`,
      )
      .map((row) => row.id);
  }

  /** Renames the conversations of turns to hashes. The caller destroys their keys. @throws MemoryError NOT_FOUND */
  forget(turnIds: readonly number[]): void {
    for (const id of turnIds) {
      const row = this.kept(id);
      if (!row || isForgotten(row)) throw new MemoryError('NOT_FOUND', `There is no turn ${id}.`);
      const name = this.#forgottenName(row.conversation_id);
      this.#db.run('UPDATE turn SET conversation_id = ? WHERE id = ?', name, id);
    }
    this.recount();
  }

  /** Rebuilds the list of conversations. */
  recount(): void {
    this.#db.exec(`DELETE FROM conversation; INSERT INTO conversation ${CONVERSATIONS}`);
  }

  /** The last turn and its chain hash; null without turns. */
  last(): { turnId: number; chainHash: string } | null {
    const row = this.#db.get<SealedTurnRow>('SELECT * FROM turn ORDER BY id DESC LIMIT 1');
    return row ? { turnId: row.id, chainHash: Buffer.from(row.chain_hash).toString('hex') } : null;
  }

  chainHead(): Uint8Array {
    const last = this.#db.get<{ chain_hash: Uint8Array }>(
      'SELECT chain_hash FROM turn ORDER BY id DESC LIMIT 1',
    );
    return last?.chain_hash ?? CHAIN_START;
  }

  /** @param nextPlaces next free index of the conversations used in this call; updated here */
  #place({ conversationId, turnIndex }: TurnDraft, nextPlaces: Map<string, number>): number {
    const next = nextPlaces.get(conversationId);
    const place = turnIndex ?? next ?? this.#nextPlace(conversationId);
    if (turnIndex === null || next !== undefined) {
      nextPlaces.set(conversationId, Math.max(place + 1, next ?? 0));
    }
    return place;
  }

  #nextPlace(conversationId: string): number {
    const last = this.#db.get<{ last: number | null }>(
      'SELECT max(turn_index) AS last FROM turn WHERE conversation_id IN (?, ?)',
      conversationId,
      this.#forgottenName(conversationId),
    )?.last;
    return last === null || last === undefined ? 0 : last + 1;
  }

  #existing(draft: TurnDraft, place: number): { turnId: number; unitId: number } | undefined {
    const { conversationId } = draft;
    const row = this.#db.get<SealedTurnRow & { unitId: number | null }>(
      `SELECT t.*, u.id AS unitId FROM turn t LEFT JOIN unit u ON u.turn_id = t.id
       WHERE t.conversation_id IN (?, ?) AND t.turn_index = ?`,
      conversationId,
      this.#forgottenName(conversationId),
      place,
    );
    if (!row) return undefined;
    const details = { turnId: row.id, conversationId, turnIndex: place };
    const where = `Conversation ${JSON.stringify(conversationId)}`;
    if (isForgotten(row))
      throw new MemoryError('TURN_FORGOTTEN', `${where} had a turn ${place} that was forgotten.`, details);
    const { speaker, text } = openTurn(this.#keys, row);
    if (speaker !== draft.speaker || text !== draft.text || row.unitId === null)
      throw new MemoryError('TURN_CONFLICT', `${where} already has another text at turn ${place}.`, details);
    return { turnId: row.id, unitId: row.unitId };
  }

  #forgottenName(conversationId: string): string {
    return FORGOTTEN + this.#keys.hashWords(conversationId);
  }

  #read(row: SealedTurnRow): Turn {
    return readTurn(openTurn(this.#keys, row));
  }

  #count(rows: readonly NewTurnRow[]): void {
    for (const [id, turns] of Map.groupBy(rows, (row) => row.conversation_id)) {
      const times = turns.map((turn) => turn.occurred_at);
      this.#db.run(
        `INSERT INTO conversation VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET turns = turns + excluded.turns,
           first_turn_at = min(first_turn_at, excluded.first_turn_at),
           last_turn_at = max(last_turn_at, excluded.last_turn_at)`,
        id,
        turns.length,
        Math.min(...times),
        Math.max(...times),
      );
    }
  }

  #insert(row: NewTurnRow): number {
    return this.#db.run(
      `INSERT INTO turn (conversation_id, turn_index, occurred_at, sealed, content_hash, chain_hash)
       VALUES (?, ?, ?, ?, ?, ?)`,
      row.conversation_id,
      row.turn_index,
      row.occurred_at,
      this.#keys.sealTurn(formatWords(row)),
      row.content_hash,
      row.chain_hash,
    ).id;
  }
}

/** Creates the episode of a turn, also during a rebuild. The caller updates the indexes. */
export function insertEpisode(db: Database, turn: EpisodeTurn, now: Instant): Episode {
  const origin = parseColumn<'origin'>(turn.origin);
  const { id } = db.run(
    `INSERT INTO unit (kind, turn_id, conversation_id, turn_index, occurred_at, created_at, updated_at, source, state,
       confidence, salience, sensitivity, pinned, topic_tags, scope, reinforcement, access_count, version, payload)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 1, 0.5, ?, 0, '[]', ?, 0, 0, 1, ?)`,
    EPISODE,
    turn.id,
    turn.conversation_id,
    turn.turn_index,
    turn.occurred_at,
    now,
    now,
    origin.source,
    SENSITIVITIES.indexOf(origin.sensitivity),
    SCOPES.indexOf(origin.scope),
    sealPayload(db.keys, firstPayload(origin)),
  );
  return firstEpisode(turn, id, now);
}
