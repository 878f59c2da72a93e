/** Finds the stored turn of the user's words. */
import type { Turn } from '../engine/engine.ts';
import type { Line, PromptInput } from './promptInput.ts';

/** The most turns searched, from the end of the conversation. */
export const MAX_TURNS_READ = 256;

/**
 * The turn in which an earlier call stored the same words; null when they are new. Models are called several times
 * for the same words: when a call is retried, when tools have answered, and when a reply is regenerated. If the
 * user says the same words twice, they are two turns.
 * @param turns the conversation's last turns, in order
 */
export function findKept(turns: readonly Turn[], { words, before, isAnswered }: PromptInput): Turn | null {
  const place = turns.findLastIndex(({ speaker }) => speaker === words.speaker);
  const turn = turns[place];
  if (!turn || turn.text !== words.text) return null;
  const isUnanswered = place === turns.length - 1;
  if (isUnanswered || isAnswered) return turn;
  // A reply is stored already. If it is being regenerated, the lines before the words match those before the turn
  // better.
  return agreement(turns.slice(0, place), before) > agreement(turns, before) ? turn : null;
}

/** How many lines are equal, from the end. */
function agreement(turns: readonly Turn[], lines: readonly Line[]): number {
  let count = 0;
  while (count < Math.min(turns.length, lines.length)) {
    const [turn, line] = [turns.at(-1 - count), lines.at(-1 - count)];
    if (turn?.speaker !== line?.speaker || turn?.text !== line?.text) break;
    count += 1;
  }
  return count;
}
