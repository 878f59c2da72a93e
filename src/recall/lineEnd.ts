import type { Embedder } from '../llm/llm.ts';
import type { Unit } from '../model/model.ts';
import { CONVERSATION } from './conversationProfile.ts';

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * What is embedded of a line before an utterance: its last characters, whole words where words have spaces. A wide
 * character is three wide. See docs/decisions/0039.
 */
export function lineEnd(text: string): string {
  const width = CONVERSATION.contextVectorWidth;
  const whole = text.trimEnd();
  const characters = Array.from(whole.slice(-2 * width));
  let from = characters.length;
  for (let left = width; from > 0; from--) {
    left -= WIDE.test(characters[from - 1]!) ? 3 : 1;
    if (left < 0) break;
  }
  const end = characters.slice(from).join('');
  return end.length < whole.length
    ? end.replace(/^[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+\s+/u, '')
    : end;
}

/** With more new turns at once, they are an import, whose lines are before no utterance. */
const MAX_SAID = 3;

/**
 * Embeds the ends of turns that were just said, so that a recall for the next utterance finds their vectors in the
 * embedder's cache. Only an embedder in this process has one.
 */
export async function embedLineEnds(
  embedder: Embedder,
  units: readonly Unit[],
  signal: AbortSignal,
): Promise<void> {
  if (!embedder.isLocal || units.length > MAX_SAID) return;
  const ends = units.flatMap((unit) => (unit.kind === 'episode' ? lineEnd(unit.payload.text) : []));
  const wanted = ends.filter((end) => end !== '');
  if (wanted.length > 0) await embedder.embed(wanted, 'query', signal);
}
