/** Finds the stored turn of a client's message. */
import type { Instant, Turn } from '../../model/model.ts';
import type { Line } from '../window.ts';

/**
 * The same words repeated within this time, with a reply in between, are a request to regenerate the reply; later, a
 * new turn.
 */
const REGENERATE_WITHIN_MS = 600_000;
/** Number of turns read to find where a message belongs. */
export const MAX_TURNS_READ = 256;

/**
 * The turn index of a message: of the stored turn if it is already stored; else its position among the client's
 * messages, if that is free; else null, which means the next free one. Clients resend the conversation with every
 * request, leave out its beginning when it grows long, and go back to an earlier point to say something else.
 *
 * @param turns the conversation's last turns, in order
 * @param lines text of the user and the assistant, as the client sent it
 * @param at the index in `lines` of the message
 */
export function placeOf(
  turns: readonly Turn[],
  lines: readonly Line[],
  at: number,
  now: Instant,
): number | null {
  const line = lines[at];
  const end = (turns.at(-1)?.turnIndex ?? -1) + 1;
  if (!line || at >= end) return at;
  const isSame = (turn: Turn) => turn.speaker === line.speaker && turn.text === line.text;
  const last = turns.findLastIndex(({ speaker }) => speaker === line.speaker);
  const before = lines[at - 1];
  for (const place of new Set([turns.findIndex(({ turnIndex }) => turnIndex === at), last])) {
    const turn = turns[place];
    if (!turn || !isSame(turn)) continue;
    const isKnown = before
      ? turns[place - 1]?.text === before.text
      : place === last && (place === turns.length - 1 || now - turn.occurredAt < REGENERATE_WITHIN_MS);
    if (isKnown) return turn.turnIndex;
  }
  return null;
}
