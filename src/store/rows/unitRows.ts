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
  type Payloads,
  type Unit,
  type UnitVersion,
} from '../../model/model.ts';
import type { UnitFeeling } from '../unitTable.ts';
import type { Row } from './row.ts';
import { readEmotion } from './topicRows.ts';

const EPISODE = KINDS.indexOf('episode');

export interface UnitRow extends Row {
  id: number;
  kind: number;
  turn_id: number | null;
  conversation_id: string;
  turn_index: number;
  payload: string;
  speaker: string | null;
  text: string | null;
}

/** When a note was edited, unless it is a journal note; null if never. */
export function editedAt(unit: Unit | undefined): Instant | null {
  if (unit?.kind !== 'note' || unit.version === 1 || unit.payload.memoryType === 'journal') return null;
  return unit.updatedAt;
}

/** A unit that was changed or added. */
export interface SavedUnit {
  readonly unit: Unit;
  readonly hasNewWords: boolean;
}

export function changedPayload(
  unit: Unit,
  content: NewUnitParsed['content'] | undefined,
  notes: Partial<Payloads['episode']> | undefined,
): Unit['payload'] {
  if (content && content.kind !== unit.kind) {
    throw new MemoryError('INVALID_INPUT', `Unit ${unit.id} is a ${unit.kind}, not a ${content.kind}.`);
  }
  if (notes && unit.kind !== 'episode') {
    throw new MemoryError('INVALID_INPUT', `Unit ${unit.id} is a ${unit.kind}; only an episode has notes.`);
  }
  return { ...(content?.payload ?? unit.payload), ...notes };
}

/** For an episode only metadata in addition to its text, which is stored in the turn. */
export function storedPayload(unit: Unit): string {
  if (unit.kind !== 'episode') return JSON.stringify(unit.payload);
  const { imageSummary, contextNote, reflection, masks } = unit.payload;
  const notes = Object.entries({ imageSummary, contextNote, reflection }).filter(([, note]) => note !== null);
  return JSON.stringify({ ...Object.fromEntries(notes), ...(masks?.length && { masks }) });
}

/** A hash of text, which may be keyed. */
export type HashWords = (words: string) => string;

export function payloadHash(unit: Pick<Unit, 'payload'>, hashWords: HashWords = sha256): string {
  return hashWords(JSON.stringify(unit.payload));
}

function sha256(words: string): string {
  return hash('sha256', words);
}

export function readVersion(row: Row): UnitVersion {
  return {
    unitId: Number(row['unit_id']),
    version: Number(row['version']),
    parentVersion: row['parent_version'] as number | null,
    reason: String(row['reason']),
    payloadHash: String(row['payload_hash']),
    at: Number(row['at']),
    snapshot: JSON.parse(String(row['snapshot'])) as UnitVersion['snapshot'],
  };
}

export function firstVersion(unit: Unit, hashWords?: HashWords): UnitVersion {
  const { id: unitId, createdAt: at } = unit;
  const snapshot = unit as unknown as UnitVersion['snapshot'];
  return {
    unitId,
    version: 1,
    parentVersion: null,
    reason: 'ingested',
    payloadHash: payloadHash(unit, hashWords),
    at,
    snapshot,
  };
}

/** Whether any field changed by which cached filters select units. */
export function isFilteredOtherwise(before: Unit, after: Unit): boolean {
  return (
    before.state !== after.state ||
    before.sensitivity !== after.sensitivity ||
    before.expiresAt !== after.expiresAt
  );
}

/** Converts a row of `SELECT` above to a unit. */
export function readUnit(row: UnitRow): Unit {
  const kind = KINDS[row.kind] as Kind;
  const stored = JSON.parse(row.payload) as Record<string, unknown>;
  const payload =
    row.kind === EPISODE
      ? {
          turnId: row.turn_id,
          conversationId: row.conversation_id,
          turnIndex: row.turn_index,
          // A turn is only missing in a damaged memory, which must still open to be verified.
          speaker: row.speaker ?? '',
          text: row.text ?? '',
          imageSummary: stored['imageSummary'] ?? null,
          contextNote: stored['contextNote'] ?? null,
          reflection: stored['reflection'] ?? null,
          ...(stored['masks'] !== undefined && { masks: stored['masks'] }),
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

export interface FeelingRow {
  id: number;
  occurred_at: number;
  salience: number;
  emotion: string | null;
}

export function readFeeling({ id, occurred_at, salience, emotion }: FeelingRow): UnitFeeling {
  return { unitId: id, occurredAt: occurred_at, salience, emotion: readEmotion(emotion) };
}

export function textOf(unit: Unit | undefined): string {
  return unit ? unitText(unit) : '';
}

/** Null for anything but a fact. */
export function predicateOf(unit: Unit | undefined): string | null {
  return unit?.kind === 'fact' ? unit.payload.predicate : null;
}

export interface PassageRow {
  id: number;
  kind: number;
  occurredAt: number;
  conversationId: string | null;
  turnIndex: number | null;
  payload: string;
  speaker: string | null;
  text: string | null;
}
