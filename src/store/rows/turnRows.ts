import { hash, randomBytes } from 'node:crypto';
import {
  maskedName,
  type Episode,
  type Instant,
  type NewJob,
  type Turn,
  type Unit,
} from '../../model/model.ts';
import type { TurnDraft } from '../evidence.ts';
import { parseColumn, type Origin } from './columns.ts';

/** The previous chain hash of the first turn. */
export const CHAIN_START = new Uint8Array(32);

/**
 * Replaces the conversation of a forgotten turn, followed by a keyed hash of its id, so that the same turn is not
 * added again. Ids of conversations never contain a slash.
 */
export const FORGOTTEN = '/forgotten/';
const SALT_BYTES = 16;

/** A decrypted turn; the text of a forgotten one is empty. */
export interface TurnRow {
  id: number;
  conversation_id: string;
  turn_index: number;
  speaker: string;
  text: string;
  occurred_at: number;
  meta: string;
  origin: string;
  /** Random; it prevents guessing the text from the hash. Empty in turns from before salts were added. */
  salt: string;
  content_hash: Uint8Array;
  chain_hash: Uint8Array;
  raw_pointer: string | null;
}

export type NewTurnRow = Omit<TurnRow, 'id'>;

/** The data of a turn from which its episode is made. */
export type EpisodeTurn = Omit<TurnRow, 'content_hash' | 'chain_hash' | 'raw_pointer'>;

/** The payload of a new episode in its stored form: what the turn does not say. */
export function firstPayload({ imageSummary, masks, isSpeakerMasked }: Origin): string {
  return JSON.stringify({
    ...(imageSummary !== null && { imageSummary }),
    ...(masks && { masks }),
    ...(isSpeakerMasked && { isSpeakerMasked }),
  });
}

export function toTurnRow(draft: TurnDraft, turnIndex: number, previous: Uint8Array): NewTurnRow {
  const { source, sensitivity, scope, imageSummary, masks = [], isSpeakerMasked } = draft;
  const origin: Origin = {
    source,
    sensitivity,
    scope,
    imageSummary,
    ...(masks.length > 0 && { masks }),
    ...(isSpeakerMasked && { isSpeakerMasked }),
  };
  const row = {
    conversation_id: draft.conversationId,
    turn_index: turnIndex,
    speaker: draft.speaker,
    text: draft.text,
    occurred_at: draft.occurredAt,
    meta: JSON.stringify(draft.meta),
    origin: JSON.stringify(origin),
    salt: draft.salt ?? randomBytes(SALT_BYTES).toString('base64url'),
  };
  const content = contentHash(row);
  return { ...row, content_hash: content, chain_hash: chainHash(previous, content), raw_pointer: null };
}

/** SHA-256 over the content of a turn, as JSON of its columns in this order, and its salt if it has one. */
export function contentHash(
  row: Pick<
    TurnRow,
    'conversation_id' | 'turn_index' | 'speaker' | 'text' | 'occurred_at' | 'meta' | 'origin' | 'salt'
  >,
): Uint8Array {
  const content = [
    row.conversation_id,
    row.turn_index,
    row.speaker,
    row.text,
    row.occurred_at,
    row.meta,
    row.origin,
    ...(row.salt ? [row.salt] : []),
  ];
  return hash('sha256', JSON.stringify(content), 'buffer');
}

/** SHA-256 over the previous chain hash followed by this content hash. */
export function chainHash(previous: Uint8Array, content: Uint8Array): Uint8Array {
  return hash('sha256', Buffer.concat([previous, content]), 'buffer');
}

/** The episode in its first version. */
export function firstEpisode(turn: EpisodeTurn, unitId: number, createdAt: Instant): Episode {
  const origin = parseColumn<'origin'>(turn.origin);
  return {
    id: unitId,
    kind: 'episode',
    occurredAt: turn.occurred_at,
    createdAt,
    updatedAt: createdAt,
    source: origin.source,
    state: 'raw',
    confidence: 1,
    salience: 0.5,
    sensitivity: origin.sensitivity,
    pinned: false,
    topicTags: [],
    scope: origin.scope,
    expiresAt: null,
    reinforcement: 0,
    accessCount: 0,
    lastAccessedAt: null,
    emotion: null,
    version: 1,
    payload: {
      turnId: turn.id,
      conversationId: turn.conversation_id,
      turnIndex: turn.turn_index,
      speaker: origin.isSpeakerMasked ? maskedName(turn.speaker) : turn.speaker,
      text: turn.text,
      imageSummary: origin.imageSummary,
      contextNote: null,
      reflection: null,
      ...(origin.masks && { masks: [...origin.masks] }),
      ...(origin.isSpeakerMasked && { isSpeakerMasked: true }),
    },
  };
}

/** The job of one kind for a unit. */
export function unitJob(kind: string, unit: Unit): NewJob {
  const conversationId = unit.kind === 'episode' ? unit.payload.conversationId : null;
  return { kind, key: `${kind}:${unit.id}`, conversationId, input: { unitId: unit.id } };
}

export function readTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    turnIndex: row.turn_index,
    speaker: row.speaker,
    text: row.text,
    occurredAt: row.occurred_at,
    meta: parseColumn<'meta'>(row.meta || '{}'),
    salt: row.salt,
    contentHash: Buffer.from(row.content_hash).toString('hex'),
    chainHash: Buffer.from(row.chain_hash).toString('hex'),
    rawPointer: row.raw_pointer,
    isForgotten: isForgotten(row),
  };
}

/** Whether a turn was forgotten: then only its entry in the chain is left. */
export function isForgotten(row: Pick<TurnRow, 'conversation_id'>): boolean {
  return row.conversation_id.startsWith(FORGOTTEN);
}

/** Whether the text is readable: a readable turn always has a speaker. */
export function isReadable(row: Pick<TurnRow, 'speaker'>): boolean {
  return row.speaker !== '';
}
