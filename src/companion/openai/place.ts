/** Which turn of a kept conversation a client's message is. */
import type { Instant, Turn } from '../../model/model.ts';
import type { Line } from '../window.ts';

/** The same words again, with a reply in between, are a reply asked for anew; after longer they are said again. */
const ASKED_ANEW_WITHIN_MS = 600_000;
/** Turns read of a conversation to find where a message belongs. */
export const MAX_TURNS_READ = 256;

/**
 * The turn index of a message: of the turn that it is, when it was kept before; else its place among the client's
 * messages, when that is free; else null, the next free one. Clients send a conversation again with every request,
 * leave out its beginning when it grows long, and go back to say something else.
 *
 * @param turns the conversation's last turns, in order
 * @param lines what user and assistant said, as the client tells it
 * @param at the place in `lines` of the message
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
      : place === last && (place === turns.length - 1 || now - turn.occurredAt < ASKED_ANEW_WITHIN_MS);
    if (isKnown) return turn.turnIndex;
  }
  return null;
}
