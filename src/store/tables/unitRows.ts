import {
  KINDS,
  MemoryError,
  SCOPES,
  SENSITIVITIES,
  STATES,
  unitText,
  type Instant,
  type NewUnitParsed,
  type Unit,
  type UnitOf,
  type UnitVersion,
} from '../../model/model.ts';
import {
  changedPayload,
  firstVersion,
  openVersion,
  payloadHash,
  readVersion,
  sealPayload,
  sealSnapshot,
  sealTags,
  storedPayload,
  unitJob,
  type Row,
  type SavedUnit,
  type VersionRow,
  withPayload,
} from '../rows/rows.ts';
import type { UnitChange } from '../store.ts';
import type { OwnParts } from './ownParts.ts';
import { rowHash } from './rowHashes.ts';
import type { RowRecorder } from './rowImages.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';
import type { UnitReading } from './unitReading.ts';
import type { VectorRows } from './vectors.ts';

/** What writing units needs of the other tables. */
interface UnitParts {
  readonly tx: Sql;
  readonly reading: UnitReading;
  readonly recorder: RowRecorder;
  readonly own: OwnParts;
  readonly vectors: VectorRows;
}

/** Writes units with their versions; each change updates everything that depends on it. */
export class UnitRows {
  readonly #tables: UnitParts;
  readonly #tx: Sql;
  readonly #reading: UnitReading;
  readonly #recorder: RowRecorder;
  readonly #own: OwnParts;

  constructor(tables: UnitParts) {
    this.#tables = tables;
    this.#tx = tables.tx;
    this.#reading = tables.reading;
    this.#recorder = tables.recorder;
    this.#own = tables.own;
  }

  /** @returns the unit after the change, and whether its searchable text has changed */
  *save(change: UnitChange, now: Instant): Steps<SavedUnit> {
    if (change.type === 'add') {
      return { unit: yield* this.#add(change.unit, change.reason, now), hasNewWords: true };
    }
    const before = yield* this.mustGet(change.unitId);
    if (change.expectedVersion !== undefined && change.expectedVersion !== before.version) {
      throw new MemoryError(
        'VERSION_CONFLICT',
        `Unit ${before.id} has version ${before.version}, not ${change.expectedVersion}.`,
        { unitId: before.id, version: before.version },
      );
    }
    return change.type === 'update'
      ? yield* this.#update(before, change, now)
      : yield* this.#restore(before, change, now);
  }

  /** Facts whose object is this entity. */
  *factsAbout(entityId: number): Steps<UnitOf<'fact'>[]> {
    const ids = yield* this.#tx.all<{ id: number }>(
      `SELECT id FROM unit WHERE memory_id = $1 AND kind = ${KINDS.indexOf('fact')}
         AND payload ->> 'objectEntityId' = ?::bigint::text ORDER BY id`,
      entityId,
    );
    const facts: UnitOf<'fact'>[] = [];
    for (const { id } of ids) {
      const unit = yield* this.mustGet(id);
      if (unit.kind === 'fact') facts.push(unit);
    }
    return facts;
  }

  *saveAll(changes: readonly UnitChange[], now: Instant): Steps<SavedUnit[]> {
    const saved: SavedUnit[] = [];
    for (const change of changes) saved.push(yield* this.save(change, now));
    return saved;
  }

  /** See `UnitTable.save`. */
  *saveWithJobs(changes: readonly UnitChange[], jobKinds: readonly string[], now: Instant): Steps<Unit[]> {
    const saved = (yield* this.saveAll(changes, now)).map(({ unit }) => unit);
    const jobs = saved.flatMap((unit) => jobKinds.map((kind) => unitJob(kind, unit)));
    yield* settled(this.#own.insertJobs(jobs, now));
    return saved;
  }

  /** @throws MemoryError NOT_FOUND */
  *link(fromUnitId: number, toUnitId: number, relation: string): Steps<void> {
    yield* this.mustGet(fromUnitId);
    yield* this.mustGet(toUnitId);
    const row = { from_unit_id: fromUnitId, to_unit_id: toUnitId, relation };
    const sql = 'INSERT INTO link VALUES ($1, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
    yield* this.#tx.run(sql, fromUnitId, toUnitId, relation, rowHash(this.#tx.keys, 'link', row));
  }

  *#add(unit: NewUnitParsed, reason: string, now: Instant): Steps<Unit> {
    const id = yield* this.#tx.insertNew('unit', {
      kind: KINDS.indexOf(unit.content.kind),
      occurred_at: unit.occurredAt ?? now,
      created_at: now,
      updated_at: now,
      source: unit.source,
      scope: SCOPES.indexOf(unit.scope),
      access_count: 0,
      version: 1,
      ...this.#columns({ ...unit, reinforcement: 0 }),
      payload: sealPayload(this.#tx.keys, JSON.stringify(unit.content.payload)),
    });
    yield* settled(this.#own.noteNewUnits([id]));
    this.#recorder.touchNew('unit', id);
    const saved = yield* this.mustGet(id);
    yield* settled(this.#own.addToTextIndex([saved]));
    yield* this.#writeVersion(saved, null, reason, now);
    return saved;
  }

  *#update(before: Unit, change: Extract<UnitChange, { type: 'update' }>, now: Instant): Steps<SavedUnit> {
    const { content, notes, ...set } = change.set;
    const payload = changedPayload(before, content, notes);
    const after = { ...withPayload(before, payload), ...set };
    return yield* this.#write(before, after, { parentVersion: before.version, reason: change.reason }, now);
  }

  *#restore(before: Unit, change: Extract<UnitChange, { type: 'restore' }>, now: Instant): Steps<SavedUnit> {
    const versions = yield* this.listVersions(before.id);
    const version = versions.find((version) => version.version === change.version);
    if (!version) {
      throw new MemoryError('NOT_FOUND', `Unit ${before.id} has no version ${change.version}.`);
    }
    return yield* this.#write(
      before,
      version.snapshot,
      { parentVersion: version.version, reason: change.reason },
      now,
    );
  }

  /** Writes the changeable fields of `after`, and adds a version. */
  *#write(
    before: Unit,
    after: Unit,
    version: { parentVersion: number | null; reason: string },
    now: Instant,
  ): Steps<SavedUnit> {
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) yield* settled(this.#own.removeFromTextIndex([before]));
    yield* this.#recorder.touch('unit', before.id);
    yield* this.#writeColumns(before.id, {
      ...this.#columns(after),
      payload: sealPayload(this.#tx.keys, storedPayload(after)),
      updated_at: now,
      version: before.version + 1,
    });
    const unit = yield* this.mustGet(before.id);
    if (hasNewWords) {
      yield* settled(this.#own.addToTextIndex([unit]));
      // Its vector is of the old text.
      yield* this.#tables.vectors.remove([unit.id]);
    }
    yield* this.#tables.vectors.refresh(unit);
    yield* this.#writeVersion(unit, version.parentVersion, version.reason, now);
    return { unit, hasNewWords };
  }

  /** Writes every column of a unit as it is given, except accesses, and no version. The caller updates the indexes. */
  *writeBack(unit: Unit): Steps<void> {
    yield* this.#writeColumns(unit.id, {
      kind: KINDS.indexOf(unit.kind),
      occurred_at: unit.occurredAt,
      created_at: unit.createdAt,
      updated_at: unit.updatedAt,
      source: unit.source,
      scope: SCOPES.indexOf(unit.scope),
      version: unit.version,
      ...this.#columns(unit),
      payload: sealPayload(this.#tx.keys, storedPayload(unit)),
    });
  }

  /** The version of a unit as it is, which is missing. */
  *writeLostVersion(unit: Unit, now: Instant): Steps<void> {
    yield* this.#writeColumns(unit.id, { updated_at: now });
    const saved = yield* this.mustGet(unit.id);
    yield* this.#writeVersion(saved, null, 'the version was lost', now);
  }

  /** Replaces the payload of a unit, and deletes its earlier versions. */
  *reword(unitId: number, payload: Unit['payload'], now: Instant): Steps<void> {
    const before = yield* this.mustGet(unitId);
    yield* this.#tx.run('DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = ?', unitId);
    const version = { parentVersion: null, reason: 'something it rested on was forgotten' };
    yield* this.#write(before, withPayload(before, payload), version, now);
  }

  /** Restores a unit's row with its index entries, except its accesses; null deletes it. */
  *putBack(unitId: number, row: Row | null): Steps<void> {
    const before = yield* this.mustGet(unitId);
    if (!row) return yield* this.#erase(before);
    const { access_count = 0, last_accessed_at = null } =
      (yield* this.#recorder.read('unit', [unitId])) ?? row;
    const { id: _, ...columns } = row;
    const written: Row = { ...columns, access_count, last_accessed_at };
    const after = (yield* this.#reading.ofRow({ ...written, id: unitId })) ?? before;
    const hasNewWords = unitText(after) !== unitText(before);
    if (hasNewWords) {
      yield* settled(this.#own.removeFromTextIndex([before]));
      yield* this.#tables.vectors.remove([unitId]);
    }
    yield* this.#writeColumns(unitId, written);
    if (hasNewWords) yield* settled(this.#own.addToTextIndex([after]));
    yield* this.#tables.vectors.refresh(after);
  }

  /** Deletes a derived unit with everything that refers to it. */
  *#erase(unit: Unit): Steps<void> {
    yield* settled(this.#own.removeFromTextIndex([unit]));
    yield* this.#tables.vectors.remove([unit.id]);
    yield* this.#tx.run(
      `UPDATE entity SET mentions = mentions - 1 WHERE memory_id = $1
         AND id IN (SELECT entity_id FROM unit_entity WHERE memory_id = $1 AND unit_id = ?)`,
      unit.id,
    );
    for (const table of ['unit_entity', 'edge', 'derivation', 'unit_version', 'vector_pending']) {
      yield* this.#tx.run(`DELETE FROM ${table} WHERE memory_id = $1 AND unit_id = ?`, unit.id);
    }
    yield* this.#tx.run(
      'DELETE FROM link WHERE memory_id = $1 AND (from_unit_id = ? OR to_unit_id = ?)',
      unit.id,
      unit.id,
    );
    yield* this.#tx.run('DELETE FROM unit WHERE memory_id = $1 AND id = ?', unit.id);
  }

  /** The first version of an episode follows from its turn and is not stored. */
  *listVersions(unitId: number): Steps<UnitVersion[]> {
    const sql = 'SELECT * FROM unit_version WHERE memory_id = $1 AND unit_id = ? ORDER BY version';
    const rows = yield* this.#tx.all<VersionRow>(sql, unitId);
    const kept = rows.map((row) => readVersion(openVersion(this.#tx.keys, row)));
    if (kept[0]?.version === 1) return kept;
    const episode = yield* this.#reading.firstEpisode(unitId);
    return episode ? [firstVersion(episode, this.#hashWords), ...kept] : kept;
  }

  *#writeVersion(unit: Unit, parentVersion: number | null, reason: string, now: Instant): Steps<void> {
    yield* this.#tx.run(
      'INSERT INTO unit_version VALUES ($1, ?, ?, ?, ?, ?, ?, ?)',
      unit.id,
      unit.version,
      parentVersion,
      reason,
      payloadHash(unit, this.#hashWords),
      now,
      sealSnapshot(this.#tx.keys, unit),
    );
    this.#recorder.touchNew('unit_version', unit.id, unit.version);
  }

  readonly #hashWords = (words: string) => this.#tx.keys.hashWords(words);

  *#writeColumns(unitId: number, columns: Row): Steps<void> {
    const set = Object.keys(columns).map((column) => `${column} = ?`);
    const sql = `UPDATE unit SET ${set.join(', ')} WHERE memory_id = $1 AND id = ?`;
    yield* this.#tx.run(sql, ...Object.values(columns), unitId);
  }

  /** The columns that can change, except the payload. */
  #columns(unit: Omit<NewUnitParsed, 'content'> & Pick<Unit, 'reinforcement'>): Row {
    return {
      state: STATES.indexOf(unit.state),
      confidence: unit.confidence,
      salience: unit.salience,
      sensitivity: SENSITIVITIES.indexOf(unit.sensitivity),
      pinned: unit.pinned ? 1 : 0,
      topic_tags: sealTags(this.#tx.keys, unit.topicTags),
      expires_at: unit.expiresAt,
      reinforcement: unit.reinforcement,
      emotion: unit.emotion && JSON.stringify(unit.emotion),
    };
  }

  /** @throws MemoryError NOT_FOUND */
  *mustGet(id: number): Steps<Unit> {
    const unit = yield* this.#reading.get(id);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${id}.`);
    return unit;
  }
}
