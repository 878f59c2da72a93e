import type { Scored } from '../types.ts';

/** Further turns of one conversation tell nothing more of its others. */
const MAX_COUNTED = 3;

/**
 * Orders the candidates again, by how many better ones are of the same conversation: in a large memory what belongs
 * together was said together, and in a small one each conversation tells of something else. Chosen one by one, best
 * first; a turn may rise to just behind the one that was chosen last, so that the best one stays.
 *
 * @param scored best first
 * @param conversationOf null for a unit that is no turn, such as a fact
 * @param weight of each better turn of the same conversation
 * @returns best first, with the feature `sameConversation`
 */
export function withSameConversation(
  scored: readonly Scored[],
  conversationOf: (unitId: number) => string | null,
  weight: number,
): Scored[] {
  if (weight === 0) return [...scored];
  const left = scored.map((one) => ({ one, conversation: conversationOf(one.unitId), score: one.score }));
  const counts = new Map<string, number>();
  const chosen: Scored[] = [];
  while (left.length > 0) {
    const best = left.reduce((first, { score }, at) => (score > left[first]!.score ? at : first), 0);
    const [{ one, conversation, score }] = left.splice(best, 1) as [(typeof left)[number]];
    const last = chosen.at(-1);
    const shown = last === undefined ? score : Math.min(score, last.score);
    const sameConversation = (shown - one.score) / weight;
    chosen.push({ ...one, features: { ...one.features, sameConversation }, score: shown });
    if (conversation === null) continue;
    const count = (counts.get(conversation) ?? 0) + 1;
    counts.set(conversation, count);
    if (count > MAX_COUNTED) continue;
    for (const other of left) if (other.conversation === conversation) other.score += weight;
  }
  return chosen;
}
