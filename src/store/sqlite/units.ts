import { hash } from 'node:crypto';
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
  type UnitVersion,
} from '../../model/model.ts';
import type { Passage, UnitChange, UnitFilter } from '../store.ts';
import type { Database, Row } from './database.ts';
import { filterSql } from './filter.ts';
import type { TextIndex } from './textIndex.ts';
import type { SqliteVectorIndex } from './vectorIndex.ts';

/** Units with the words of their turns. */
const SELECT = 'SELECT u.*, t.speaker, t.text FROM unit u LEFT JOIN turn t ON t.id = u.turn_id';
const EPISODE = KINDS.indexOf('episode');

const PASSAGES = `SELECT u.id, u.kind, u.occurred_at AS occurredAt, u.conversation_id AS conversationId, u.payload,
    t.speaker, t.text
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value LEFT JOIN turn t ON t.id = u.turn_id`;

interface PassageRow {
  id: number;
  kind: number;
  occurredAt: number;
  conversationId: string | null;
  payload: string;
  speaker: string | null;
  text: string | null;
}

interface UnitRow extends Row {
  id: number;
  kind: number;
  turn_id: number | null;
  conversation_id: string;
  turn_index: number;
  payload: string;
  speaker: string | null;
  text: string | null;
}

/** How units lie in the table `unit`. */
export class UnitTable {
  readonly #db: Database;
  readonly #textIndex: TextIndex;
  readonly #vectors: SqliteVectorIndex;

  constructor(db: Database, textIndex: TextIndex, vectors: SqliteVectorIndex) {
    this.#db = db;
    this.#textIndex = textIndex;
    this.#vectors = vectors;
  }

  getMany(ids: readonly number[]): Unit[] {
    const units: Unit[] = [];
    for (const id of ids) {
      const unit = this.get(id);
      if (unit) units.push(unit);
    }
    return units;
  }

  get(id: number): Unit | undefined {
    const row = this.#db.get<UnitRow>(`${SELECT} WHERE u.id = ?`, id);
    return row && readUnit(row);
  }

  /** Read in one statement and without what scoring does not need: a recall reads hundreds. */
  passages(ids: readonly number[]): Passage[] {
    const rows = this.#db.all<PassageRow>(PASSAGES, JSON.stringify(ids));
    return rows.map((row) => {
      const { id: unitId, kind, occurredAt, conversationId, speaker } = row;
      const isPlain = kind === EPISODE && row.payload === '{}';
      const text = isPlain ? (row.text ?? '') : textOf(this.get(unitId));
      return { unitId, kind: KINDS[kind] as Kind, text, occurredAt, conversationId, speaker };
    });
  }

  list(filter: UnitFilter, page: { limit: number; offset?: number }): Unit[] {
    const { where, values } = filterSql(filter);
    const sql = `${SELECT} WHERE ${where} ORDER BY u.occurred_at DESC, u.id DESC LIMIT ? OFFSET ?`;
    return this.#db.all<UnitRow>(sql, ...values, page.limit, page.offset ?? 0).map(readUnit);
  }

  /** Every unit, in pages by id. Pages, not one cursor, so that the caller may write in between. */
  *pages(size = 1_000): Generator<Unit[]> {
    for (let afterId = 0; ;) {
      const rows = this.#db.all<UnitRow>(`${SELECT} WHERE u.id > ? ORDER BY u.id LIMIT ?`, afterId, size);
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(readUnit);
      afterId = last.id;
    }
  }

  save(change: UnitChange, now: Instant): Unit {
    return change.type === 'add' ? this.#add(change.unit, change.reason, now) : this.#update(change, now);
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
      JSON.stringify(unit.topicTags),
      SCOPES.indexOf(unit.scope),
      unit.expiresAt,
      unit.emotion && JSON.stringify(unit.emotion),
      JSON.stringify(unit.content.payload),
    );
    const saved = this.#mustGet(id);
    this.#textIndex.add([saved]);
    this.#writeVersion(saved, null, reason, now);
    return saved;
  }

  #update(change: Extract<UnitChange, { type: 'update' }>, now: Instant): Unit {
    const before = this.#mustGet(change.unitId);
    const { content, ...set } = change.set;
    const after = { ...before, ...set } as Unit;
    if (content) {
      if (content.kind !== before.kind) {
        throw new MemoryError(
          'INVALID_INPUT',
          `Unit ${before.id} is a ${before.kind}, not a ${content.kind}.`,
        );
      }
      this.#textIndex.remove([before]);
    }
    const payload = content ? content.payload : before.payload;
    this.#db.run(
      `UPDATE unit SET updated_at = ?, state = ?, confidence = ?, salience = ?, sensitivity = ?, pinned = ?,
         topic_tags = ?, expires_at = ?, reinforcement = ?, emotion = ?, version = version + 1
         ${content ? ', payload = ?' : ''} WHERE id = ?`,
      now,
      STATES.indexOf(after.state),
      after.confidence,
      after.salience,
      SENSITIVITIES.indexOf(after.sensitivity),
      after.pinned ? 1 : 0,
      JSON.stringify(after.topicTags),
      after.expiresAt,
      after.reinforcement,
      after.emotion && JSON.stringify(after.emotion),
      ...(content ? [JSON.stringify(payload)] : []),
      before.id,
    );
    const saved = this.#mustGet(before.id);
    if (content) {
      this.#textIndex.add([saved]);
      // Its words changed, so its vector no longer stands for it.
      this.#vectors.removeNow([saved.id]);
    }
    this.#vectors.refreshMetadata(saved);
    this.#writeVersion(saved, before.version, change.reason, now);
    return saved;
  }

  listVersions(unitId: number): UnitVersion[] {
    return this.#db
      .all('SELECT * FROM unit_version WHERE unit_id = ? ORDER BY version', unitId)
      .map((row) => ({
        unitId: Number(row['unit_id']),
        version: Number(row['version']),
        parentVersion: row['parent_version'] as number | null,
        reason: String(row['reason']),
        payloadHash: String(row['payload_hash']),
        at: Number(row['at']),
        snapshot: JSON.parse(String(row['snapshot'])) as UnitVersion['snapshot'],
      }));
  }

  #writeVersion(unit: Unit, parentVersion: number | null, reason: string, now: Instant): void {
    this.#db.run(
      'INSERT INTO unit_version VALUES (?, ?, ?, ?, ?, ?, ?)',
      unit.id,
      unit.version,
      parentVersion,
      reason,
      hash('sha256', JSON.stringify(unit.payload)),
      now,
      JSON.stringify(unit),
    );
  }

  #mustGet(id: number): Unit {
    const unit = this.get(id);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${id}.`);
    return unit;
  }
}

/** A row of `SELECT` above as a unit. */
function readUnit(row: UnitRow): Unit {
  const kind = KINDS[row.kind] as Kind;
  const stored = JSON.parse(row.payload) as Record<string, unknown>;
  const payload =
    row.kind === EPISODE
      ? {
          turnId: row.turn_id,
          conversationId: row.conversation_id,
          turnIndex: row.turn_index,
          // A turn can only be missing from a damaged memory, which must still open to be verified.
          speaker: row.speaker ?? '',
          text: row.text ?? '',
          imageSummary: stored['imageSummary'] ?? null,
          contextNote: stored['contextNote'] ?? null,
          reflection: stored['reflection'] ?? null,
        }
      : stored;
  return { ...readCommon(row), kind, payload } as Unit;
}

function readCommon(row: UnitRow): Omit<Unit, 'kind' | 'payload'> {
  return {
    id: row.id,
    occurredAt: row['occurred_at'] as number,
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
    source: row['source'] as string,
    state: STATES[row['state'] as number] as Unit['state'],
    confidence: row['confidence'] as number,
    salience: row['salience'] as number,
    sensitivity: SENSITIVITIES[row['sensitivity'] as number] as Unit['sensitivity'],
    pinned: row['pinned'] === 1,
    topicTags: row['topic_tags'] === '[]' ? [] : (JSON.parse(row['topic_tags'] as string) as string[]),
    scope: SCOPES[row['scope'] as number] as Unit['scope'],
    expiresAt: row['expires_at'] as number | null,
    reinforcement: row['reinforcement'] as number,
    accessCount: row['access_count'] as number,
    lastAccessedAt: row['last_accessed_at'] as number | null,
    emotion: row['emotion'] === null ? null : (JSON.parse(row['emotion'] as string) as Unit['emotion']),
    version: row['version'] as number,
  };
}

function textOf(unit: Unit | undefined): string {
  return unit ? unitText(unit) : '';
}
