import {
  KINDS,
  MemoryError,
  SCOPES,
  SENSITIVITIES,
  STATES,
  unitText,
  type Instant,
  type Kind,
  type NewUnitParsed,
  type Unit,
  type UnitOf,
  type UnitVersion,
} from '../../model/model.ts';
import type { Passage, UnitChange, UnitFeeling, UnitFilter, UnitPage } from '../store.ts';
import {
  changedPayload,
  editedAt,
  firstEpisode,
  firstVersion,
  type FeelingRow,
  isFilteredOtherwise,
  isReadable,
  openPayload,
  openTags,
  openTurn,
  openVersion,
  openWords,
  predicateOf,
  type PassageRow,
  payloadHash,
  readFeeling,
  readUnit,
  readVersion,
  type Row,
  type SavedUnit,
  type SealedTurnRow,
  sealPayload,
  sealSnapshot,
  sealTags,
  storedPayload,
  textOf,
} from '../rows/rows.ts';
import type { MemoryKeys } from '../../keys/keys.ts';
import type { Database } from './database.ts';
import { filterSql } from './filter.ts';
import { performNow, type RowRecorder } from '../tables/tables.ts';
import type { TextIndex } from './textIndex.ts';
import type { UnitFeed } from './unitFeed.ts';
import type { SqliteVectorIndex } from './vectorIndex.ts';

/** Units with the text of their turns. */
const SELECT = 'SELECT u.*, t.sealed FROM unit u LEFT JOIN turn t ON t.id = u.turn_id';
const SELECT_MANY = `SELECT u.*, t.sealed FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value
  LEFT JOIN turn t ON t.id = u.turn_id ORDER BY j.key`;
const EPISODE = KINDS.indexOf('episode');

const PASSAGES = `SELECT u.id, u.kind, u.occurred_at AS occurredAt, u.conversation_id AS conversationId,
    u.turn_index AS turnIndex, u.payload, t.sealed
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value LEFT JOIN turn t ON t.id = u.turn_id`;

const FIRST_EPISODE = `SELECT t.*, u.created_at FROM unit u JOIN turn t ON t.id = u.turn_id WHERE u.id = ?`;

interface KeptRow extends Row {
  id: number;
  kind: number;
  turn_id: number | null;
  conversation_id: string;
  turn_index: number;
  payload: string;
  topic_tags: string;
  sealed: Uint8Array | null;
}

type KeptPassage = Omit<PassageRow, 'speaker' | 'text'> & { sealed: Uint8Array | null };

/** Objects to update when units change. */
interface UnitTableParts {
  readonly feed: UnitFeed;
  readonly textIndex: TextIndex;
  readonly vectors: SqliteVectorIndex;
  readonly recorder: RowRecorder;
}

/** The rows of the table `unit`. */
export class UnitTable {
  readonly #db: Database;
  readonly #feed: UnitFeed;
  readonly #textIndex: TextIndex;
  readonly #vectors: SqliteVectorIndex;
  readonly #recorder: RowRecorder;
  readonly #keys: MemoryKeys;

  constructor(db: Database, { feed, textIndex, vectors, recorder }: UnitTableParts) {
    this.#db = db;
    this.#keys = db.keys;
    this.#feed = feed;
    this.#textIndex = textIndex;
    this.#vectors = vectors;
    this.#recorder = recorder;
  }

  getMany(ids: readonly number[]): Unit[] {
    return this.#db.all<KeptRow>(SELECT_MANY, JSON.stringify(ids)).map((row) => this.#read(row));
  }

  get(id: number): Unit | undefined {
    const row = this.#db.get<KeptRow>(`${SELECT} WHERE u.id = ?`, id);
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
      return { unitId, kind: KINDS[kind] as Kind, text, occurredAt, ...place, speaker, predicate };
    });
  }

  list(filter: UnitFilter, page: UnitPage): Unit[] {
    return this.#page<KeptRow>(SELECT, filter, page).map((row) => this.#read(row));
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
      const rows = this.#db.all<KeptRow>(`${SELECT} WHERE u.id > ? ORDER BY u.id LIMIT +?`, afterId, size);
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map((row) => this.#read(row));
      afterId = last.id;
    }
  }

  /** Facts whose object is this entity. */
  factsAbout(entityId: number): UnitOf<'fact'>[] {
    const sql = `${SELECT} WHERE u.kind = ${KINDS.indexOf('fact')} AND u.payload ->> 'objectEntityId' = ? ORDER BY u.id`;
    return this.#db.all<KeptRow>(sql, entityId).map((row) => this.#read(row) as UnitOf<'fact'>);
  }

  /** @returns the unit after the change, and whether its searchable text has changed */
  save(change: UnitChange, now: Instant): SavedUnit {
    if (change.type === 'add') return { unit: this.#add(change.unit, change.reason, now), hasNewWords: true };
    const before = this.#mustGet(change.unitId);
    if (change.expectedVersion !== undefined && change.expectedVersion !== before.version) {
      throw new MemoryError(
        'VERSION_CONFLICT',
        `Unit ${before.id} has version ${before.version}, not ${change.expectedVersion}.`,
        { unitId: before.id, version: before.version },
      );
    }
    return change.type === 'update' ? this.#update(before, change, now) : this.#restore(before, change, now);
  }

  #add(unit: NewUnitParsed, reason: string, now: Instant): Unit {
    const { id } = this.#db.run(
      `INSERT INTO unit (kind, occurred_at, created_at, updated_at, source, state, confidence, salience, sensitivity,
         pinned, topic_tags, scope, expires_at, reinforcement, access_count, emotion, version, payload)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, 1, ?)`,
      KINDS.indexOf(unit.content.kind),
      unit.occurredAt ?? now,
      now,
      now,
      unit.source,
      STATES.indexOf(unit.state),
      unit.confidence,
      unit.salience,
      SENSITIVITIES.indexOf(unit.sensitivity),
      unit.pinned ? 1 : 0,
      sealTags(this.#keys, unit.topicTags),
      SCOPES.indexOf(unit.scope),
      unit.expiresAt,
      unit.emotion && JSON.stringify(unit.emotion),
      sealPayload(this.#keys, JSON.stringify(unit.content.payload)),
    );
    this.#recorder.touchNew('unit', id);
    const saved = this.#mustGet(id);
    this.#textIndex.add([saved]);
    this.#writeVersion(saved, null, reason, now);
    return saved;
  }

  #update(before: Unit, change: Extract<UnitChange, { type: 'update' }>, now: Instant): SavedUnit {
    const { content, notes, ...set } = change.set;
    const payload = changedPayload(before, content, notes);
    const after = { ...before, ...set, payload } as Unit;
    return this.#write(before, after, { parentVersion: before.version, reason: change.reason }, now);
  }

  #restore(before: Unit, change: Extract<UnitChange, { type: 'restore' }>, now: Instant): SavedUnit {
    const version = this.listVersions(before.id).find((version) => version.version === change.version);
    if (!version) {
      throw new MemoryError('NOT_FOUND', `Unit ${before.id} has no version ${change.version}.`);
    }
    const then = version.snapshot as unknown as Unit;
    return this.#write(before, then, { parentVersion: version.version, reason: change.reason }, now);
  }

  /** Writes the changeable fields of `after`, and adds a version. */
  #write(
    before: Unit,
    after: Unit,
    version: { parentVersion: number | null; reason: string },
    now: Instant,
  ): SavedUnit {
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) this.#textIndex.remove([before]);
    performNow(this.#recorder.touch('unit', before.id));
    this.#db.run(
      `UPDATE unit SET updated_at = ?, state = ?, confidence = ?, salience = ?, sensitivity = ?, pinned = ?,
         topic_tags = ?, expires_at = ?, reinforcement = ?, emotion = ?, version = version + 1, payload = ?
       WHERE id = ?`,
      now,
      STATES.indexOf(after.state),
      after.confidence,
      after.salience,
      SENSITIVITIES.indexOf(after.sensitivity),
      after.pinned ? 1 : 0,
      sealTags(this.#keys, after.topicTags),
      after.expiresAt,
      after.reinforcement,
      after.emotion && JSON.stringify(after.emotion),
      sealPayload(this.#keys, storedPayload(after)),
      before.id,
    );
    const unit = this.#mustGet(before.id);
    if (hasNewWords) {
      this.#textIndex.add([unit]);
      // Its vector is of the old text.
      this.#vectors.removeNow([unit.id]);
    }
    this.#vectors.refreshMetadata(unit);
    if (isFilteredOtherwise(before, unit)) this.#feed.note(unit.id);
    this.#writeVersion(unit, version.parentVersion, version.reason, now);
    return { unit, hasNewWords };
  }

  /** Replaces the payload of a unit, and deletes its earlier versions. */
  reword(unitId: number, payload: Unit['payload'], now: Instant): void {
    const before = this.#mustGet(unitId);
    this.#db.run('DELETE FROM unit_version WHERE unit_id = ?', unitId);
    const version = { parentVersion: null, reason: 'something it rested on was forgotten' };
    this.#write(before, { ...before, payload } as Unit, version, now);
  }

  /** Restores a unit's row with its index entries, except its accesses; null deletes it. */
  putBack(unitId: number, row: Row | null): void {
    const before = this.#mustGet(unitId);
    if (!row) return this.#erase(before);
    const { access_count, last_accessed_at } = performNow(this.#recorder.read('unit', [unitId])) ?? row;
    const written = { ...row, access_count, last_accessed_at } as Row;
    const after = this.#read({ ...written, sealed: this.#sealedOf(row) } as KeptRow);
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) {
      this.#textIndex.remove([before]);
      this.#vectors.removeNow([unitId]);
    }
    const columns = Object.keys(written).filter((column) => column !== 'id');
    this.#db.run(
      `UPDATE unit SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      ...columns.map((column) => written[column] ?? null),
      unitId,
    );
    if (hasNewWords) this.#textIndex.add([after]);
    this.#vectors.refreshMetadata(after);
    this.#feed.note(unitId);
  }

  #sealedOf(row: Row): Uint8Array | null {
    const turnId = row['turn_id'] ?? null;
    return (
      this.#db.get<{ sealed: Uint8Array }>('SELECT sealed FROM turn WHERE id = ?', turnId)?.sealed ?? null
    );
  }

  /** Deletes a derived unit with everything that refers to it. */
  #erase(unit: Unit): void {
    this.#textIndex.remove([unit]);
    this.#vectors.removeNow([unit.id]);
    this.#db.run(
      'UPDATE entity SET mentions = mentions - 1 WHERE id IN (SELECT entity_id FROM unit_entity WHERE unit_id = ?)',
      unit.id,
    );
    for (const table of ['unit_entity', 'edge', 'derivation', 'unit_version', 'vector_pending']) {
      this.#db.run(`DELETE FROM ${table} WHERE unit_id = ?`, unit.id);
    }
    this.#db.run('DELETE FROM link WHERE from_unit_id = ?1 OR to_unit_id = ?1', unit.id);
    this.#db.run('DELETE FROM unit WHERE id = ?', unit.id);
  }

  /** The first version of an episode follows from its turn and is not stored. */
  listVersions(unitId: number): UnitVersion[] {
    const kept = this.#db
      .all('SELECT * FROM unit_version WHERE unit_id = ? ORDER BY version', unitId)
      .map((row) => readVersion(openVersion(this.#keys, row)));
    if (kept[0]?.version === 1) return kept;
    const turn = this.#db.get<SealedTurnRow & { created_at: number }>(FIRST_EPISODE, unitId);
    const opened = turn && openTurn(this.#keys, turn);
    if (!opened || !isReadable(opened)) return kept;
    return [firstVersion(firstEpisode(opened, unitId, opened.created_at), this.#hashWords), ...kept];
  }

  #writeVersion(unit: Unit, parentVersion: number | null, reason: string, now: Instant): void {
    this.#db.run(
      'INSERT INTO unit_version VALUES (?, ?, ?, ?, ?, ?, ?)',
      unit.id,
      unit.version,
      parentVersion,
      reason,
      payloadHash(unit, this.#hashWords),
      now,
      sealSnapshot(this.#keys, unit),
    );
    this.#recorder.touchNew('unit_version', unit.id, unit.version);
  }

  readonly #hashWords = (words: string) => this.#keys.hashWords(words);

  /** Converts a row of `SELECT` above to a unit. */
  #read(row: KeptRow): Unit {
    return readUnit({
      ...row,
      ...openWords(this.#keys, row.sealed),
      payload: openPayload(this.#keys, row.payload),
      topic_tags: openTags(this.#keys, row.topic_tags),
    });
  }

  #mustGet(id: number): Unit {
    const unit = this.get(id);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${id}.`);
    return unit;
  }
}

function saidBy(unit: Unit | undefined): { text: string; speaker: string | null } {
  return { text: textOf(unit), speaker: unit?.kind === 'episode' ? unit.payload.speaker : null };
}
