/** Reads the conversation before a request that names only a response or a conversation, from the stored turns. */
import type { Memory } from '../../../engine/engine.ts';
import { checkId, MemoryError, type Turn } from '../../../model/model.ts';
import { COMPANION } from '../../window.ts';
import type { Message } from '../messages.ts';
import { MAX_TURNS_READ } from '../place.ts';
import { parseId, type ResponseKey } from './ids.ts';
import type { RecentCalls, ToolCall } from './recentCalls.ts';

interface HistoryParts {
  readonly memory: Memory;
  readonly recentCalls: RecentCalls;
  /** Number of last turns that the model receives; earlier ones are recalled. */
  readonly recentTurns: number;
}

export interface History {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  /** Turn index of the user's last message; null when there is none. */
  readonly userIndex: number | null;
  /** The next turn index. */
  readonly nextIndex: number;
}

/** @throws MemoryError INVALID_INPUT, INVALID_ID */
export async function readConversation(
  { memory, recentTurns }: HistoryParts,
  conversationId: string,
): Promise<History> {
  const turns = await turnsOf(memory, { conversationId });
  return { conversationId, ...placesIn(turns), messages: turns.slice(-recentTurns).map(messageOf) };
}

/**
 * The conversation up to a response, including its function calls.
 * @throws MemoryError INVALID_INPUT
 */
export async function readUpTo(parts: HistoryParts, responseId: string): Promise<History> {
  const id = parseId(responseId);
  const turns = id ? await turnsOf(parts.memory, id) : [];
  if (!id || turns.length === 0)
    throw new MemoryError('INVALID_INPUT', `previous_response_id: there is no response “${responseId}”.`);
  const round = parts.recentCalls.get(id.key);
  const upTo = turns.slice(0, endOf(turns, id.key, { isCalling: round !== null }));
  const messages = upTo.slice(-parts.recentTurns).map(messageOf);
  const { conversationId } = id;
  return { conversationId, ...placesIn(upTo), messages: [...messages, ...(round?.messages ?? [])] };
}

function placesIn(turns: readonly Turn[]): Pick<History, 'userIndex' | 'nextIndex'> {
  const user = turns.findLast(({ speaker }) => speaker !== COMPANION);
  return { userIndex: user?.turnIndex ?? null, nextIndex: (turns.at(-1)?.turnIndex ?? -1) + 1 };
}

/** The number of turns up to the response; all turns if none belongs to it. */
function endOf(turns: readonly Turn[], key: string, { isCalling }: { readonly isCalling: boolean }): number {
  const own = turns.findLastIndex(({ meta, speaker }) => meta['responseId'] === key && speaker !== COMPANION);
  const last = turns.findLastIndex(({ speaker }) => speaker !== COMPANION);
  // Text that came with the calls is sent together with them.
  if (isCalling) return 1 + (own === -1 ? last : own);
  const end = turns.findLastIndex(({ meta }) => meta['responseId'] === key);
  return end === -1 ? turns.length : end + 1;
}

/** The message that an `item_reference` names; null if it is unknown. */
export async function readMessage(memory: Memory, itemId: string): Promise<Message | null> {
  const id = parseId(itemId);
  if (!id) return null;
  const turns = await turnsOf(memory, id);
  const turn = turns.findLast(({ meta, speaker }) => meta['responseId'] === id.key && speaker === COMPANION);
  return turn ? messageOf(turn) : null;
}

/** The call that an `item_reference` names; null if it is unknown. */
export function findCall(recentCalls: RecentCalls, itemId: string): ToolCall | null {
  const id = parseId(itemId);
  return (id && recentCalls.get(id.key)?.calls[id.nth]) ?? null;
}

async function turnsOf(
  memory: Memory,
  { conversationId }: Pick<ResponseKey, 'conversationId'>,
): Promise<readonly Turn[]> {
  const id = checkId(conversationId, 'conversation id');
  const turns = await memory.conversations.recent(id, MAX_TURNS_READ);
  return turns.filter(({ isForgotten }) => !isForgotten);
}

function messageOf({ speaker, text }: Turn): Message {
  return { role: speaker === COMPANION ? 'assistant' : 'user', content: text };
}
