/** Detects messages that a client sends again because it received no answer. */
import type { AddedTurn, Memory, NewTurn, Turn } from '../engine/engine.ts';
import { MemoryError } from '../model/model.ts';
import type { ParsedChatRequest } from './requests.ts';
import { COMPANION } from './window.ts';

/** Number of last turns of the conversation among which a repeated message is searched. */
const MAX_TURNS_READ = 50;

export interface StoredExchange {
  readonly userTurn: AddedTurn;
  /** Null when there is no reply yet, or only an incomplete one. */
  readonly reply: AddedTurn | null;
}

/** The stored message with the request's `messageId`. */
export async function findStoredExchange(
  memory: Memory,
  { conversationId, messageId }: Pick<ParsedChatRequest, 'messageId'> & { readonly conversationId: string },
): Promise<StoredExchange | null> {
  if (messageId === undefined) return null;
  const turns = await memory.conversations.recent(conversationId, MAX_TURNS_READ);
  const at = turns.findIndex(({ meta }) => meta?.['messageId'] === messageId);
  const userTurn = turns[at];
  if (!userTurn) return null;
  const next = turns[at + 1];
  const isReply = next?.speaker === COMPANION && next.meta?.['interrupted'] === undefined;
  const [userUnit, replyUnit] = await unitsOf(memory, isReply ? [userTurn, next] : [userTurn]);
  return userUnit ? { userTurn: userUnit, reply: replyUnit ?? null } : null;
}

/** Adding a turn that is already stored changes nothing and returns its ids. */
async function unitsOf(memory: Memory, turns: readonly Turn[]): Promise<AddedTurn[]> {
  return Promise.all(
    turns.map(({ conversationId, turnIndex, speaker, text }) =>
      memory.add({ conversationId, turnIndex, speaker, text }),
    ),
  );
}

/**
 * Stores turns in order, each with an id made of the request's key and its index. Turns that the same request stored
 * before are not stored twice. Must not run for two requests at once.
 * @param onKept called with each turn when it is on the disk
 * @throws MemoryError TURN_CONFLICT when the key was used with other words; errors of `memory.add`
 */
export async function keepOnce(
  memory: Memory,
  { turns, key }: { readonly turns: readonly NewTurn[]; readonly key: string },
  onKept: (turn: AddedTurn) => void,
): Promise<void> {
  const known = await knownTurns(memory, turns);
  for (const [i, turn] of turns.entries()) {
    const messageId = `${key}.${i}`;
    const before = known.get(placeOf(turn.conversationId, messageId));
    if (before && (before.text !== turn.text || before.speaker !== turn.speaker))
      throw new MemoryError('TURN_CONFLICT', 'The same Idempotency-Key was used with other text before.');
    const again = before && { turnIndex: before.turnIndex };
    onKept(await memory.add({ ...turn, ...again, meta: { ...turn.meta, messageId } }));
  }
}

/** The last turns of the conversations, by client id. */
async function knownTurns(memory: Memory, turns: readonly NewTurn[]): Promise<Map<string, Turn>> {
  const known = new Map<string, Turn>();
  for (const conversationId of new Set(turns.map((turn) => turn.conversationId))) {
    const last = await memory.conversations.recent(conversationId, MAX_TURNS_READ + turns.length);
    for (const turn of last) {
      const messageId = turn.meta['messageId'];
      if (typeof messageId === 'string') known.set(placeOf(conversationId, messageId), turn);
    }
  }
  return known;
}

function placeOf(conversationId: string, messageId: string): string {
  return JSON.stringify([conversationId, messageId]);
}
