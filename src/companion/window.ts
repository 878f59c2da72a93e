/** The last turns of the conversation, which the prompt contains verbatim. */
import type { Memory, ModelMessage } from '../engine/engine.ts';
import type { Episode } from '../model/model.ts';
import { wasOffRecord } from './offRecord.ts';

/** The speaker of the companion's turns. What is learnt from others is not learnt from it. */
export const COMPANION = 'ai';

/** A speaker's text. */
export interface Line {
  readonly speaker: string;
  readonly text: string;
}

/**
 * The episodes before one in its conversation, oldest first. Archived ones are left out, except those that were off the
 * record when they were said.
 * @param max maximum number
 */
export async function episodesBefore(memory: Memory, unitId: number, max: number): Promise<Episode[]> {
  if (max === 0) return [];
  const [found] = await memory.units.neighbours([unitId], { before: max, after: 0 });
  const units = await memory.units.get(found?.before ?? []);
  const episodes = units.filter((unit) => unit.kind === 'episode');
  const conversationId = episodes[0]?.payload.conversationId;
  if (conversationId === undefined || episodes.every(({ state }) => state !== 'archived')) return episodes;
  const isHeld = wasOffRecord(await memory.conversations.recent(conversationId, max + 1));
  return episodes.filter((episode) => episode.state !== 'archived' || isHeld(episode));
}

/** An episode's text, and the description of its images. */
export function lineOf({ payload }: Episode): Line {
  return { speaker: payload.speaker, text: withImages(payload.text, payload.imageSummary) };
}

/** Text, and the description of the images that came with it. */
export function withImages(text: string, imageSummary: string | null): string {
  return imageSummary === null ? text : `${text}\n[${imageSummary}]`;
}

/**
 * Converts lines to a model's messages: the companion's as the assistant's, all others as the user's, with names if
 * more than one speak. Many models require that the user begins and that roles alternate, so companion lines before the
 * first user line are left out, and consecutive lines of one role become one message.
 */
export function toMessages(lines: readonly Line[]): ModelMessage[] {
  const others = new Set(lines.filter(({ speaker }) => speaker !== COMPANION).map(({ speaker }) => speaker));
  const messages: { role: ModelMessage['role']; content: string }[] = [];
  for (const { speaker, text } of lines) {
    const role = speaker === COMPANION ? 'assistant' : 'user';
    if (messages.length === 0 && role === 'assistant') continue;
    const content = role === 'user' && others.size > 1 ? `${speaker}: ${text}` : text;
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else messages.push({ role, content });
  }
  return messages;
}
