/** Which turn of a kept conversation the user's words are. */
import type { Turn } from '../engine/engine.ts';
import type { Line, PromptInput } from './promptInput.ts';

/** Turns looked at, from the end of the conversation. */
export const MAX_TURNS_READ = 256;

/**
 * The turn that the user's words were kept as, by an earlier call for the same words; null when they are said now. Models
 * are called several times for the same words: when a call is tried again, when tools have answered, and when a reply is
 * asked for anew. The same words said twice are two turns.
 * @param turns the conversation's last turns, in order
 */
export function findKept(turns: readonly Turn[], { words, before, isAnswered }: PromptInput): Turn | null {
  const place = turns.findLastIndex(({ speaker }) => speaker === words.speaker);
  const turn = turns[place];
  if (!turn || turn.text !== words.text) return null;
  const isUnanswered = place === turns.length - 1;
  if (isUnanswered || isAnswered) return turn;
  // A reply is there already: asked for anew, what was said before the words leads up to the turn and not beyond it.
  return agreement(turns.slice(0, place), before) > agreement(turns, before) ? turn : null;
}

/** How many lines, from the end, are the same. */
function agreement(turns: readonly Turn[], lines: readonly Line[]): number {
  let count = 0;
  while (count < Math.min(turns.length, lines.length)) {
    const [turn, line] = [turns.at(-1 - count), lines.at(-1 - count)];
    if (turn?.speaker !== line?.speaker || turn?.text !== line?.text) break;
    count += 1;
  }
  return count;
}
