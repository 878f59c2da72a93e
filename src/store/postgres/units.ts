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
import {
  changedPayload,
  editedAt,
  firstEpisode,
  firstVersion,
  type FeelingRow,
  isReadable,
  openPayload,
  openTags,
  openVersion,
  payloadHash,
  readFeeling,
  readUnit,
  readVersion,
  sealPayload,
  sealSnapshot,
  sealTags,
  storedPayload,
  textOf,
  unitJob,
  type EpisodeTurn,
  predicateOf,
  type PassageRow,
  type Row,
  type SavedUnit,
} from '../rows/rows.ts';
import type { Passage, UnitChange, UnitFeeling, UnitFilter, UnitPage } from '../store.ts';
import { filterSql } from './filter.ts';
import type { Session, Value } from './session.ts';
import type { JobRows } from './jobRows.ts';
import { perform, type SharedTables } from '../tables/tables.ts';
import type { TextIndex } from './textIndex.ts';
import type { VectorRows } from './vectors.ts';
import { noteNewUnits } from './vectorSet.ts';

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
type KeptTurn = Omit<EpisodeTurn, 'speaker' | 'text' | 'meta' | 'origin' | 'salt'> & {
  sealed: Uint8Array;
  created_at: number;
};

/** Parts that are updated with the units. */
interface UnitParts {
  readonly session: Session;
  readonly shared: SharedTables;
  readonly textIndex: TextIndex;
  readonly vectors: VectorRows;
  readonly jobs: JobRows;
}

/** The rows of the table `unit`. */
export class UnitTable {
  readonly #parts: UnitParts;
  readonly #tx: Session;

  constructor(parts: UnitParts) {
    this.#parts = parts;
    this.#tx = parts.session;
  }

  async getMany(ids: readonly number[]): Promise<Unit[]> {
    if (ids.length === 0) return [];
    return this.#read(await this.#tx.all<KeptRow>(SELECT_MANY, ids));
  }

  async get(id: number): Promise<Unit | undefined> {
    const rows = await this.#tx.all<KeptRow>(`${SELECT} AND u.id = ?`, id);
    return (await this.#read(rows))[0];
  }

  /** Read with one statement and only the columns that scoring needs: a recall reads hundreds. */
  async passages(ids: readonly number[]): Promise<Passage[]> {
    const kept = await this.#tx.all<KeptPassage & object>(PASSAGES, ids);
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
      return { unitId, kind: KINDS[kind] as Kind, text, occurredAt, ...place, speaker, predicate };
    });
  }

  async list(filter: UnitFilter, page: UnitPage): Promise<Unit[]> {
    return this.#read(await this.#page<KeptRow>(SELECT, filter, page));
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
      const rows = await this.#tx.all<KeptRow>(`${SELECT} AND u.id > ? ORDER BY u.id LIMIT ?`, afterId, size);
      const last = rows.at(-1);
      if (!last) return;
      yield await this.#read(rows);
      afterId = last.id;
    }
  }

  async count(): Promise<number> {
    return (await this.#tx.get<{ n: number }>('SELECT count(*) AS n FROM unit WHERE memory_id = $1'))?.n ?? 0;
  }

  /** Facts whose object is this entity. */
  async factsAbout(entityId: number): Promise<UnitOf<'fact'>[]> {
    const rows = await this.#tx.all<KeptRow>(
      `${SELECT} AND u.kind = ${KINDS.indexOf('fact')} AND u.payload ->> 'objectEntityId' = ? ORDER BY u.id`,
      String(entityId),
    );
    return (await this.#read(rows)) as UnitOf<'fact'>[];
  }

  /** @returns the current unit, and whether its indexed words have changed */
  async save(change: UnitChange, now: Instant): Promise<SavedUnit> {
    if (change.type === 'add') {
      return { unit: await this.#add(change.unit, change.reason, now), hasNewWords: true };
    }
    const before = await this.#mustGet(change.unitId);
    if (change.expectedVersion !== undefined && change.expectedVersion !== before.version) {
      throw new MemoryError(
        'VERSION_CONFLICT',
        `Unit ${before.id} has version ${before.version}, not ${change.expectedVersion}.`,
        { unitId: before.id, version: before.version },
      );
    }
    return change.type === 'update' ? this.#update(before, change, now) : this.#restore(before, change, now);
  }

  async saveAll(changes: readonly UnitChange[], now: Instant): Promise<SavedUnit[]> {
    const saved: SavedUnit[] = [];
    for (const change of changes) saved.push(await this.save(change, now));
    return saved;
  }

  async saveWithJobs(
    changes: readonly UnitChange[],
    jobKinds: readonly string[],
    now: Instant,
  ): Promise<Unit[]> {
    const saved = (await this.saveAll(changes, now)).map(({ unit }) => unit);
    const jobs = saved.flatMap((unit) => jobKinds.map((kind) => unitJob(kind, unit)));
    await this.#parts.jobs.insert(jobs, now);
    return saved;
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

  /** @throws MemoryError NOT_FOUND */
  async link(fromUnitId: number, toUnitId: number, relation: string): Promise<void> {
    await this.#mustGet(fromUnitId);
    await this.#mustGet(toUnitId);
    const sql = 'INSERT INTO link VALUES ($1, ?, ?, ?) ON CONFLICT DO NOTHING';
    await this.#tx.run(sql, fromUnitId, toUnitId, relation);
  }

  async #add(unit: NewUnitParsed, reason: string, now: Instant): Promise<Unit> {
    const id = await this.#tx.nextIds('unit');
    await this.#tx.run(
      `INSERT INTO unit (memory_id, id, kind, occurred_at, created_at, updated_at, source, state, confidence, salience,
         sensitivity, pinned, topic_tags, scope, expires_at, reinforcement, access_count, emotion, version, payload)
       VALUES ($1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, 1, ?)`,
      id,
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
      sealTags(this.#tx.keys, unit.topicTags),
      SCOPES.indexOf(unit.scope),
      unit.expiresAt,
      unit.emotion && JSON.stringify(unit.emotion),
      sealPayload(this.#tx.keys, JSON.stringify(unit.content.payload)),
    );
    await noteNewUnits(this.#tx, [id]);
    this.#parts.shared.recorder.touchNew('unit', id);
    const saved = await this.#mustGet(id);
    await this.#parts.textIndex.add([saved]);
    await this.#writeVersion(saved, null, reason, now);
    return saved;
  }

  async #update(
    before: Unit,
    change: Extract<UnitChange, { type: 'update' }>,
    now: Instant,
  ): Promise<SavedUnit> {
    const { content, notes, ...set } = change.set;
    const payload = changedPayload(before, content, notes);
    const after = { ...before, ...set, payload } as Unit;
    return this.#write(before, after, { parentVersion: before.version, reason: change.reason }, now);
  }

  async #restore(
    before: Unit,
    change: Extract<UnitChange, { type: 'restore' }>,
    now: Instant,
  ): Promise<SavedUnit> {
    const versions = await this.listVersions(before.id);
    const version = versions.find((version) => version.version === change.version);
    if (!version) {
      throw new MemoryError('NOT_FOUND', `Unit ${before.id} has no version ${change.version}.`);
    }
    const then = version.snapshot as unknown as Unit;
    return this.#write(before, then, { parentVersion: version.version, reason: change.reason }, now);
  }

  /** Writes the changeable fields of `after` and stores the change as a version. */
  async #write(
    before: Unit,
    after: Unit,
    version: { parentVersion: number | null; reason: string },
    now: Instant,
  ): Promise<SavedUnit> {
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) await this.#parts.textIndex.remove([before]);
    await perform(this.#parts.shared.recorder.touch('unit', before.id));
    await this.#tx.run(
      `UPDATE unit SET updated_at = ?, state = ?, confidence = ?, salience = ?, sensitivity = ?, pinned = ?,
         topic_tags = ?, expires_at = ?, reinforcement = ?, emotion = ?, version = version + 1, payload = ?
       WHERE memory_id = $1 AND id = ?`,
      now,
      STATES.indexOf(after.state),
      after.confidence,
      after.salience,
      SENSITIVITIES.indexOf(after.sensitivity),
      after.pinned ? 1 : 0,
      sealTags(this.#tx.keys, after.topicTags),
      after.expiresAt,
      after.reinforcement,
      after.emotion && JSON.stringify(after.emotion),
      sealPayload(this.#tx.keys, storedPayload(after)),
      before.id,
    );
    const unit = await this.#mustGet(before.id);
    if (hasNewWords) {
      await this.#parts.textIndex.add([unit]);
      // Its vector no longer matches its text.
      await this.#parts.vectors.remove([unit.id]);
    }
    await this.#parts.vectors.refreshMetadata(unit);
    await this.#writeVersion(unit, version.parentVersion, version.reason, now);
    return { unit, hasNewWords };
  }

  /** Replaces a unit's payload without storing a version. */
  async reword(unitId: number, payload: Unit['payload'], now: Instant): Promise<void> {
    const before = await this.#mustGet(unitId);
    await this.#tx.run('DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = ?', unitId);
    const version = { parentVersion: null, reason: 'something it rested on was forgotten' };
    await this.#write(before, { ...before, payload } as Unit, version, now);
  }

  /** Restores a unit's row and its index entries, except its accesses; null: deletes it. */
  async putBack(unitId: number, row: Row | null): Promise<void> {
    const before = await this.#mustGet(unitId);
    if (!row) return this.#erase(before);
    const { access_count, last_accessed_at } =
      (await perform(this.#parts.shared.recorder.read('unit', [unitId]))) ?? row;
    const written = { ...row, access_count, last_accessed_at } as Row;
    const [after] = await this.#read([{ ...written, sealed: await this.#sealedOf(row) } as KeptRow]);
    if (!after) return;
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) {
      await this.#parts.textIndex.remove([before]);
      await this.#parts.vectors.remove([unitId]);
    }
    const columns = Object.keys(written).filter((column) => column !== 'id' && column !== 'memory_id');
    const set = columns.map((column) => `${column} = ?`).join(', ');
    await this.#tx.run(
      `UPDATE unit SET ${set} WHERE memory_id = $1 AND id = ?`,
      ...columns.map((column) => (written[column] ?? null) as Value),
      unitId,
    );
    if (hasNewWords) await this.#parts.textIndex.add([after]);
    await this.#parts.vectors.refreshMetadata(after);
  }

  async #sealedOf(row: Row): Promise<Uint8Array | null> {
    const turn = await this.#tx.get<{ sealed: Uint8Array }>(
      'SELECT sealed FROM turn WHERE memory_id = $1 AND id = ?',
      row['turn_id'] as number | null,
    );
    return turn?.sealed ?? null;
  }

  /** Deletes a derived unit and all rows that refer to it. */
  async #erase(unit: Unit): Promise<void> {
    await this.#parts.textIndex.remove([unit]);
    await this.#parts.vectors.remove([unit.id]);
    await this.#tx.run(
      `UPDATE entity SET mentions = mentions - 1 WHERE memory_id = $1
         AND id IN (SELECT entity_id FROM unit_entity WHERE memory_id = $1 AND unit_id = ?)`,
      unit.id,
    );
    for (const table of ['unit_entity', 'edge', 'derivation', 'unit_version', 'vector_pending']) {
      await this.#tx.run(`DELETE FROM ${table} WHERE memory_id = $1 AND unit_id = ?`, unit.id);
    }
    await this.#tx.run(
      'DELETE FROM link WHERE memory_id = $1 AND (from_unit_id = ? OR to_unit_id = ?)',
      unit.id,
      unit.id,
    );
    await this.#tx.run('DELETE FROM unit WHERE memory_id = $1 AND id = ?', unit.id);
  }

  /** An episode's first version is its turn; it is not stored separately. */
  async listVersions(unitId: number): Promise<UnitVersion[]> {
    const rows = await this.#tx.all(
      'SELECT * FROM unit_version WHERE memory_id = $1 AND unit_id = ? ORDER BY version',
      unitId,
    );
    const kept = rows.map((row) => readVersion(openVersion(this.#tx.keys, row)));
    if (kept[0]?.version === 1) return kept;
    const turns = await this.#tx.all<KeptTurn & object>(FIRST_EPISODE, unitId);
    const [turn] = await this.#tx.keys.withWords(this.#tx, turns);
    if (!turn || !isReadable(turn)) return kept;
    return [firstVersion(firstEpisode(turn, unitId, turn.created_at), this.#hashWords), ...kept];
  }

  async #writeVersion(unit: Unit, parentVersion: number | null, reason: string, now: Instant): Promise<void> {
    await this.#tx.run(
      'INSERT INTO unit_version VALUES ($1, ?, ?, ?, ?, ?, ?, ?)',
      unit.id,
      unit.version,
      parentVersion,
      reason,
      payloadHash(unit, this.#hashWords),
      now,
      sealSnapshot(this.#tx.keys, unit),
    );
    this.#parts.shared.recorder.touchNew('unit_version', unit.id, unit.version);
  }

  readonly #hashWords = (words: string) => this.#tx.keys.hashWords(words);

  /** Rows of `SELECT` above as units. */
  async #read(rows: readonly KeptRow[]): Promise<Unit[]> {
    const { keys } = this.#tx;
    return (await keys.withWords(this.#tx, rows)).map((row) =>
      readUnit({
        ...row,
        payload: openPayload(keys, row.payload),
        topic_tags: openTags(keys, row.topic_tags),
      }),
    );
  }

  async #mustGet(id: number): Promise<Unit> {
    const unit = await this.get(id);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${id}.`);
    return unit;
  }
}

/** Whether the passage is the whole text of its unit. */
function isPlain(row: KeptPassage): boolean {
  return row.kind === EPISODE && row.payload === '{}';
}
