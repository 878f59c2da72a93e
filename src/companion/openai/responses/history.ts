/** What was said before a request that names only a response or a conversation, from the kept turns. */
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
  /** Turns told to the model, the last; what was said before is recalled. */
  readonly recentTurns: number;
}

export interface History {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  /** Turn index of the user's last words; null when there are none. */
  readonly userIndex: number | null;
  /** Turn index of what comes next. */
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
 * The conversation up to a response, with the functions that it called.
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

/** How many of the turns go before what follows a response; all, where none of them says that it is of that response. */
function endOf(turns: readonly Turn[], key: string, { isCalling }: { readonly isCalling: boolean }): number {
  const own = turns.findLastIndex(({ meta, speaker }) => meta['responseId'] === key && speaker !== COMPANION);
  const last = turns.findLastIndex(({ speaker }) => speaker !== COMPANION);
  // What it said while it called is told with the calls.
  if (isCalling) return 1 + (own === -1 ? last : own);
  const end = turns.findLastIndex(({ meta }) => meta['responseId'] === key);
  return end === -1 ? turns.length : end + 1;
}

/** A message that an `item_reference` names; null where it is not known. */
export async function readMessage(memory: Memory, itemId: string): Promise<Message | null> {
  const id = parseId(itemId);
  if (!id) return null;
  const turns = await turnsOf(memory, id);
  const turn = turns.findLast(({ meta, speaker }) => meta['responseId'] === id.key && speaker === COMPANION);
  return turn ? messageOf(turn) : null;
}

/** A call that an `item_reference` names; null where it is not known. */
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
