/** The timeline of a memory: the current conversation and the proactive messages in between. */
import { randomUUID } from 'node:crypto';
import type { Memory } from '../engine/engine.ts';
import type { Episode, Instant } from '../model/model.ts';
import { COMPANION } from './window.ts';

/** A chat without a conversation id continues the last conversation unless it was silent for longer than this. */
const MAX_SILENCE_MS = 6 * 3_600_000;
/** Older proactive messages are not part of the recent conversation; recall still finds them. */
const RECENT_MS = 24 * 3_600_000;
const MAX_PROACTIVE = 6;
const PROACTIVE_SOURCES = ['notification', 'meta_request', 'reminder'] as const;

/** The conversation of the last chat turn, or null when it is older than the pause. */
export async function currentConversation(memory: Memory, now: Instant): Promise<string | null> {
  const [last] = await memory.units.list({ kinds: ['episode'], source: 'chat' }, { limit: 1 });
  if (last?.kind !== 'episode' || now - last.occurredAt > MAX_SILENCE_MS) return null;
  return last.payload.conversationId;
}

/**
 * The id of the conversation that contains a notification or meta request and the message about it.
 * @param talk the chat conversation it belongs to; null: any
 */
export function proactiveConversationId(
  source: 'notification' | 'meta_request',
  talk: string | null,
): string {
  return `${source}-${randomUUID()}${talk === null ? '' : `@${talk}`}`;
}

/** Whether a proactive episode belongs to this conversation. */
function belongsTo({ payload }: Episode, talk: string): boolean {
  const at = payload.conversationId.indexOf('@');
  return at < 0 || payload.conversationId.slice(at + 1) === talk;
}

/**
 * Recent notifications and proactive messages that belong to a conversation, oldest first: those that name it, and
 * those that name none. Placeholders of meta requests are left out: they have no text.
 */
export async function proactiveEpisodes(
  memory: Memory,
  conversationId: string,
  now: Instant,
): Promise<Episode[]> {
  const pages = await Promise.all(
    PROACTIVE_SOURCES.map((source) =>
      memory.units.list({ kinds: ['episode'], source, from: now - RECENT_MS }, { limit: 4 * MAX_PROACTIVE }),
    ),
  );
  return pages
    .flat()
    .filter((unit): unit is Episode => unit.kind === 'episode' && unit.state !== 'archived')
    .filter(({ source, payload }) => source === 'notification' || payload.speaker === COMPANION)
    .filter((episode) => belongsTo(episode, conversationId))
    .sort(byTime)
    .slice(-2 * MAX_PROACTIVE);
}

/** By the time of the episode, then by the order of storing. */
export function byTime(a: Episode, b: Episode): number {
  return a.occurredAt - b.occurredAt || a.id - b.id;
}
