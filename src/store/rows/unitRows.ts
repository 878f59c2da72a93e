import { hash } from 'node:crypto';
import {
  KINDS,
  maskedName,
  MemoryError,
  SCOPES,
  SENSITIVITIES,
  STATES,
  unitText,
  type Instant,
  type NewUnitParsed,
  type Payloads,
  type Unit,
  type UnitVersion,
} from '../../model/model.ts';
import type { Passage, UnitFeeling } from '../unitTable.ts';
import { parseColumn, parseTexts } from './columns.ts';
import type { CodeOf, Row } from './row.ts';
import { readEmotion } from './topicRows.ts';

const EPISODE = KINDS.indexOf('episode');

/** A row of the table `unit`; text is encrypted. */
export interface KeptUnitRow {
  id: number;
  kind: CodeOf<typeof KINDS>;
  turn_id: number | null;
  conversation_id: string;
  turn_index: number;
  occurred_at: number;
  created_at: number;
  updated_at: number;
  source: string;
  state: CodeOf<typeof STATES>;
  confidence: number;
  salience: number;
  sensitivity: CodeOf<typeof SENSITIVITIES>;
  pinned: number;
  topic_tags: string;
  scope: CodeOf<typeof SCOPES>;
  expires_at: number | null;
  reinforcement: number;
  access_count: number;
  last_accessed_at: number | null;
  emotion: string | null;
  version: number;
  payload: string;
}

/** With its encrypted turn. */
export type SealedUnitRow = KeptUnitRow & { sealed: Uint8Array | null };

/** A row of the table `unit` that was read with all its columns. */
export function toUnitRow(row: Row, sealed: Uint8Array | null): SealedUnitRow {
  return { ...(row as Row & KeptUnitRow), sealed };
}

/** With the text of its turn. */
export interface UnitRow extends KeptUnitRow {
  speaker: string | null;
  text: string | null;
}

/** When a note was edited, unless it is a journal note; null if never. */
function editedAt(unit: Unit | undefined): Instant | null {
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

/** @param payload of the unit's kind */
export function withPayload(unit: Unit, payload: Unit['payload']): Unit {
  return { ...unit, payload } as Unit;
}

/** For an episode only metadata in addition to its text, which is stored in the turn. */
export function storedPayload(unit: Unit): string {
  if (unit.kind !== 'episode') return JSON.stringify(unit.payload);
  const { imageSummary, contextNote, reflection, masks, isSpeakerMasked } = unit.payload;
  const notes = Object.entries({ imageSummary, contextNote, reflection }).filter(([, note]) => note !== null);
  return JSON.stringify({
    ...Object.fromEntries(notes),
    ...(masks?.length && { masks }),
    ...(isSpeakerMasked && { isSpeakerMasked }),
  });
}

/** A hash of text, which may be keyed. */
export type HashWords = (words: string) => string;

export function payloadHash(unit: Pick<Unit, 'payload'>, hashWords: HashWords = sha256): string {
  return hashWords(JSON.stringify(unit.payload));
}

function sha256(words: string): string {
  return hash('sha256', words);
}

export function firstVersion(unit: Unit, hashWords?: HashWords): UnitVersion {
  const { id: unitId, createdAt: at } = unit;
  return {
    unitId,
    version: 1,
    parentVersion: null,
    reason: 'ingested',
    payloadHash: payloadHash(unit, hashWords),
    at,
    snapshot: unit,
  };
}

/** Converts a row of `SELECT` above to a unit. */
export function readUnit(row: UnitRow): Unit {
  const kind = KINDS[row.kind];
  const stored = parseColumn<'payload'>(row.payload);
  const payload =
    row.kind === EPISODE
      ? {
          turnId: row.turn_id,
          conversationId: row.conversation_id,
          turnIndex: row.turn_index,
          // A turn is only missing in a damaged memory, which must still open to be verified.
          speaker: stored['isSpeakerMasked'] && row.speaker ? maskedName(row.speaker) : (row.speaker ?? ''),
          text: row.text ?? '',
          imageSummary: stored['imageSummary'] ?? null,
          contextNote: stored['contextNote'] ?? null,
          reflection: stored['reflection'] ?? null,
          ...(stored['masks'] !== undefined && { masks: stored['masks'] }),
          ...(stored['isSpeakerMasked'] === true && { isSpeakerMasked: true }),
        }
      : stored;
  return { ...readCommon(row), kind, payload } as Unit;
}

function readCommon(row: UnitRow): Omit<Unit, 'kind' | 'payload'> {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    source: row.source,
    state: STATES[row.state],
    confidence: row.confidence,
    salience: row.salience,
    sensitivity: SENSITIVITIES[row.sensitivity],
    pinned: row.pinned === 1,
    topicTags: row.topic_tags === '[]' ? [] : parseTexts(row.topic_tags),
    scope: SCOPES[row.scope],
    expiresAt: row.expires_at,
    reinforcement: row.reinforcement,
    accessCount: row.access_count,
    lastAccessedAt: row.last_accessed_at,
    emotion: readEmotion(row.emotion),
    version: row.version,
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

/** A unit without what scoring does not need, with the encrypted text of its turn. */
export interface PassageRow {
  id: number;
  kind: CodeOf<typeof KINDS>;
  occurredAt: number;
  conversationId: string | null;
  turnIndex: number | null;
  payload: string;
  sealed: Uint8Array | null;
}

/** Whether the text of the turn is the whole text of the unit. */
export function isPlainPassage(row: PassageRow): boolean {
  return row.kind === EPISODE && row.payload === '{}';
}

/** @param unit the whole unit, unless its passage is plain */
export function passageOf(
  row: PassageRow & { readonly speaker: string; readonly text: string },
  unit: Unit | undefined,
): Passage {
  return {
    unitId: row.id,
    kind: KINDS[row.kind],
    text: isPlainPassage(row) ? row.text : unit ? unitText(unit) : '',
    occurredAt: editedAt(unit) ?? row.occurredAt,
    conversationId: row.conversationId,
    turnIndex: row.turnIndex,
    speaker: unit?.kind === 'episode' ? unit.payload.speaker : row.kind === EPISODE ? row.speaker : null,
    predicate: unit?.kind === 'fact' ? unit.payload.predicate : null,
  };
}

/** The passage of a unit that was read whole. */
export function passageOfUnit(unit: Unit): Passage {
  const episode = unit.kind === 'episode' ? unit.payload : null;
  return {
    unitId: unit.id,
    kind: unit.kind,
    text: unitText(unit),
    occurredAt: editedAt(unit) ?? unit.occurredAt,
    conversationId: episode?.conversationId ?? null,
    turnIndex: episode?.turnIndex ?? null,
    speaker: episode?.speaker ?? null,
    predicate: unit.kind === 'fact' ? unit.payload.predicate : null,
  };
}
