/** Messages that a client sends again because it did not hear the answer. */
import type { AddedTurn, Memory, Turn } from '../engine/engine.ts';
import type { ParsedChatRequest } from './requests.ts';
import { COMPANION } from './window.ts';

/** A message that was sent before is looked for among the last turns of its conversation. */
const MAX_TURNS_READ = 50;

export interface Sent {
  readonly said: AddedTurn;
  /** Null when there is no reply yet, or only the beginning of one. */
  readonly reply: AddedTurn | null;
}

/** The message with the request's `messageId`, when it was kept before. */
export async function findSent(
  memory: Memory,
  { conversationId, messageId }: Pick<ParsedChatRequest, 'messageId'> & { readonly conversationId: string },
): Promise<Sent | null> {
  if (messageId === undefined) return null;
  const turns = await memory.conversations.recent(conversationId, MAX_TURNS_READ);
  const at = turns.findIndex(({ meta }) => meta?.['messageId'] === messageId);
  const said = turns[at];
  if (!said) return null;
  const next = turns[at + 1];
  const isReply = next?.speaker === COMPANION && next.meta?.['interrupted'] === undefined;
  const [saidUnit, replyUnit] = await unitsOf(memory, isReply ? [said, next] : [said]);
  return saidUnit ? { said: saidUnit, reply: replyUnit ?? null } : null;
}

/** Adding a turn that is there already changes nothing and returns its ids. */
async function unitsOf(memory: Memory, turns: readonly Turn[]): Promise<AddedTurn[]> {
  return Promise.all(
    turns.map(({ conversationId, turnIndex, speaker, text }) =>
      memory.add({ conversationId, turnIndex, speaker, text }),
    ),
  );
}
