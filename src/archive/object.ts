/** The format of an object: JSON Lines, a header and one line for each turn. */
import { z } from 'zod';
import { MemoryError } from '../model/model.ts';
import type { RawTurn } from '../store/store.ts';
import type { ArchivedObject } from './place.ts';

const VERSION = 1;
const hex = z.string().regex(/^[0-9a-f]{64}$/);
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/);

const headerSchema = z.object({
  omoide: z.literal('archive'),
  version: z.literal(VERSION),
  memoryId: z.string(),
  timeZone: z.string(),
});
export type ArchiveHeader = Pick<z.infer<typeof headerSchema>, 'memoryId' | 'timeZone'>;

const turnSchema = z.object({
  id: z.int().min(1),
  turnIndex: z.int().min(0),
  occurredAt: z.number(),
  sealed: base64,
  contentHash: hex,
  chainHash: hex,
  conversationHash: z.string(),
  conversation: base64.nullable(),
});

const OBJECT = /\/(\d{8})\.jsonl$/;
const RECEIPT = /\/receipt-\d{8}\.json$/;
const DIGITS = 8;

export function objectName(memoryId: string, number: number): string {
  return `${memoryId}/${String(number).padStart(DIGITS, '0')}.jsonl`;
}

export function receiptName(memoryId: string, number: number): string {
  return `${memoryId}/receipt-${String(number).padStart(DIGITS, '0')}.json`;
}

/** The number of an object of turns, from 1; null for other objects. */
export function objectNumber(name: string): number | null {
  const digits = OBJECT.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function isReceiptName(name: string): boolean {
  return RECEIPT.test(name);
}

/** The pointer of a turn to its copy. */
export function formatPointer({ name, version }: ArchivedObject): string {
  return version === null ? name : `${name}?versionId=${version}`;
}

export function parsePointer(pointer: string): ArchivedObject {
  const [name = '', version = null] = pointer.split('?versionId=');
  return { name, version };
}

export function formatObject({ memoryId, timeZone }: ArchiveHeader, turns: readonly RawTurn[]): Uint8Array {
  const header = { omoide: 'archive', version: VERSION, memoryId, timeZone };
  const lines = [header, ...turns.map(formatTurn)].map((line) => `${JSON.stringify(line)}\n`);
  return Buffer.from(lines.join(''));
}

function formatTurn(turn: RawTurn): z.infer<typeof turnSchema> {
  const { id, turnIndex, occurredAt, contentHash, chainHash, conversation } = turn;
  return {
    id,
    turnIndex,
    occurredAt,
    sealed: Buffer.from(turn.sealed).toString('base64'),
    contentHash,
    chainHash,
    conversationHash: conversation.hash,
    conversation: conversation.sealed && Buffer.from(conversation.sealed).toString('base64'),
  };
}

/** @throws MemoryError FILE_UNREADABLE */
export function parseObject(
  content: Uint8Array,
  object: ArchivedObject,
): { header: ArchiveHeader; turns: RawTurn[] } {
  try {
    const [first = '', ...lines] = Buffer.from(content).toString().trimEnd().split('\n');
    const rawPointer = formatPointer(object);
    const turns = lines.map((line) => parseTurn(turnSchema.parse(JSON.parse(line)), rawPointer));
    return { header: headerSchema.parse(JSON.parse(first)), turns };
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${object.name} is damaged, or not an archive of turns.`, {
      cause,
    });
  }
}

function parseTurn(turn: z.infer<typeof turnSchema>, rawPointer: string): RawTurn {
  const { id, turnIndex, occurredAt, contentHash, chainHash } = turn;
  return {
    id,
    turnIndex,
    occurredAt,
    sealed: Buffer.from(turn.sealed, 'base64'),
    contentHash,
    chainHash,
    conversation: {
      hash: turn.conversationHash,
      sealed: turn.conversation === null ? null : Buffer.from(turn.conversation, 'base64'),
    },
    rawPointer,
  };
}
