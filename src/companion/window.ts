/** The conversation just before: what stands in the prompt as it was said. */
import type { Memory, ModelMessage } from '../engine/engine.ts';
import type { Episode } from '../model/model.ts';
import { wasOffRecord } from './offRecord.ts';

/** The speaker of everything that the companion says: what is learnt from others is not learnt from it. */
export const COMPANION = 'ai';

/** Something said, by whom. */
export interface Line {
  readonly speaker: string;
  readonly text: string;
}

/** The episodes before one in its conversation, at most so many, oldest first; archived ones are left out,
 * but for those that were off the record when they were said. */
export async function episodesBefore(memory: Memory, unitId: number, most: number): Promise<Episode[]> {
  if (most === 0) return [];
  const [found] = await memory.units.neighbours([unitId], { before: most, after: 0 });
  const units = await memory.units.get(found?.before ?? []);
  const episodes = units.filter((unit) => unit.kind === 'episode');
  const conversationId = episodes[0]?.payload.conversationId;
  if (conversationId === undefined || episodes.every(({ state }) => state !== 'archived')) return episodes;
  const isHeld = wasOffRecord(await memory.conversations.recent(conversationId, most + 1));
  return episodes.filter((episode) => episode.state !== 'archived' || isHeld(episode));
}

/** An episode's words, and what its images show. */
export function lineOf({ payload }: Episode): Line {
  return { speaker: payload.speaker, text: withImages(payload.text, payload.imageSummary) };
}

/** Words, and what the images that came with them show. */
export function withImages(text: string, imageSummary: string | null): string {
  return imageSummary === null ? text : `${text}\n[${imageSummary}]`;
}

/**
 * Lines as a model is given them: the companion's as the assistant's, all others as the user's, named where more than one of
 * those speak. Many models want the user to begin and the two to take turns, so what it said before the first of the
 * others is left out, and lines of one side that follow each other become one message.
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
