/** Makes small memories from large ones: cuts each conversation to a few turns around what answers a query. */
import { MemoryError } from '../model/model.ts';
import type { EvaluationConversation, EvaluationQuery, EvaluationSet } from './dataset.ts';

/**
 * The same set in memories of at most `size` turns. For each query whose gold is not in a cut yet, the turns closest to
 * its gold make a new one. A cut gets all queries whose whole gold it contains; the first cut of a conversation also
 * gets the unanswerable ones. Queries that name only sessions, or more gold than `size`, are left out with a note.
 * @throws MemoryError INVALID_INPUT
 */
export async function cutSet(set: EvaluationSet, size: number): Promise<EvaluationSet> {
  if (!Number.isInteger(size) || size < 1)
    throw new MemoryError('INVALID_INPUT', 'A cut needs a whole number of turns, at least one.');
  const counts: number[] = [];
  let all = 0;
  for await (const conversation of set.conversations()) {
    all += conversation.queries.length;
    counts.push(...cutConversation(conversation, size).map(({ queries }) => queries.length));
  }
  const left = all - counts.reduce((sum, count) => sum + count, 0);
  const about = `Cut to ${size} turns around what answers each query`;
  return {
    ...set,
    notes: [...(set.notes ?? []), left === 0 ? `${about}.` : `${about}; queries left out: ${left}.`],
    queryCounts: async () => counts,
    async *conversations() {
      for await (const conversation of set.conversations()) yield* cutConversation(conversation, size);
    },
  };
}

export function cutConversation(
  conversation: EvaluationConversation,
  size: number,
): EvaluationConversation[] {
  if (conversation.turns.length <= size) return [conversation];
  const places = new Map(conversation.turns.map(({ sourceId }, place) => [sourceId, place]));
  const cuts: EvaluationConversation[] = [];
  const waiting = new Map(
    conversation.queries.flatMap((query) => {
      const gold = goldPlaces(query, places);
      return gold.length > 0 && gold.length <= size ? [[query, gold] as const] : [];
    }),
  );
  for (const [query, gold] of waiting) {
    // Queries that are in an earlier cut have been removed here.
    const kept = closest(gold, conversation.turns.length, size);
    const inside = [...waiting].filter(([, own]) => own.every((place) => kept.has(place)));
    for (const [taken] of inside) waiting.delete(taken);
    const unanswerable = cuts.length === 0 ? conversation.queries.filter((each) => each.isUnanswerable) : [];
    const asked = [...inside.map(([each]) => each), ...unanswerable];
    cuts.push({
      ...conversation,
      id: `${conversation.id} around ${query.id}`,
      origin: conversation.id,
      turns: conversation.turns.filter((_, place) => kept.has(place)),
      queries: asked.map((each) => ({ ...each, cutoffTurn: cutoffAmong(each, places, kept, conversation) })),
    });
  }
  return cuts;
}

/** Empty when the query is unanswerable, or its turns are not known. */
function goldPlaces(query: EvaluationQuery, places: ReadonlyMap<string, number>): number[] {
  return query.isUnanswerable ? [] : query.goldTurns.flatMap((turn) => places.get(turn) ?? []);
}

/** The places of the `size` turns closest to any of the gold; in a tie, the earlier. */
function closest(gold: readonly number[], turns: number, size: number): ReadonlySet<number> {
  const kept = new Set(gold);
  for (let distance = 1; kept.size < size; distance++) {
    for (const place of gold.flatMap((at) => [at - distance, at + distance]))
      if (kept.size < size && place >= 0 && place < turns) kept.add(place);
  }
  return kept;
}

/** The first kept turn from the cut-off on; null when all kept turns are before it. */
function cutoffAmong(
  { cutoffTurn }: EvaluationQuery,
  places: ReadonlyMap<string, number>,
  kept: ReadonlySet<number>,
  { turns }: EvaluationConversation,
): string | null {
  const from = cutoffTurn === null ? undefined : places.get(cutoffTurn);
  if (from === undefined) return null;
  const next = turns.findIndex((_, place) => place >= from && kept.has(place));
  return turns[next]?.sourceId ?? null;
}
