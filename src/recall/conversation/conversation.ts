/** The default profile: what measured best on conversations in three languages. See docs/decisions and bench/quality.md. */
import type { Unit } from '../../model/model.ts';
import type { Ranking, RankInput } from '../rank.ts';
import { byScore, weigh } from '../score.ts';
import type { Candidate, Relevance } from '../types.ts';
import { conversationFeatures } from './features.ts';
import { gather } from './gather.ts';
import { CONVERSATION } from './profile.ts';
import { Bm25, weighTerms } from './queryTerms.ts';

/** Candidates that are read whole; the rest of the ranking could not become hits. */
const MOST_RANKED = 200;

export async function rankConversation(input: RankInput): Promise<Ranking> {
  const { store, question, clock, reader } = input;
  const termWeights = weighTerms(question);
  const queryTerms = [...termWeights.keys()];
  const gathered = await gather(input, queryTerms);
  const documents = await clock.time('fetch', () =>
    reader.read([...new Set([...gathered.unitIds, ...gathered.before.values(), ...gathered.after.values()])]),
  );
  const [statistics, vectors, meanVector] = await clock.time('statistics', () =>
    Promise.all([
      store.statistics({ terms: queryTerms, speakers: speakersOf(documents.values()) }),
      gathered.queryVector ? store.vectors.get(gathered.unitIds) : new Map<number, Float32Array>(),
      gathered.queryVector ? store.vectors.mean() : null,
    ]),
  );
  const bm25 = new Bm25(termWeights, statistics);
  const { features, bestBm25 } = clock.timeNow('features', () =>
    conversationFeatures({
      question,
      timeRange: input.intent.timeRange,
      gathered,
      documents,
      vectors,
      meanVector,
      bm25,
      speakers: statistics.speakers,
    }),
  );
  const scored = [...features]
    .map(([unitId, own]) => ({ unitId, features: own, score: weigh(own, CONVERSATION.weights).score }))
    .sort((a, b) => b.score - a.score || a.unitId - b.unitId);
  const units = await clock.time('fetch', () =>
    readUnits(
      input,
      scored.slice(0, MOST_RANKED).map((c) => c.unitId),
    ),
  );
  const candidates = scored
    .slice(0, MOST_RANKED)
    .flatMap(({ unitId, features: own, score }): Candidate[] => {
      const unit = units.get(unitId);
      return unit ? [{ unit, features: own, score }] : [];
    })
    .sort(byScore);
  const confidence = confidenceOf(candidates, bestBm25 / Math.max(bm25.ideal, 1e-9));
  return {
    candidates,
    found: gathered.unitIds.length,
    vectorState: gathered.vectorState,
    queries: [question.utterance],
    searches: gathered.searches,
    notes: { termWeights: Object.fromEntries(termWeights), weights: CONVERSATION.weights, confidence },
    label: (candidate) => labelCandidate(candidate, candidates[0]?.score ?? 0, confidence.z),
    contributions: (candidate) => weigh(candidate.features, CONVERSATION.weights).contributions,
  };
}

async function readUnits({ store }: RankInput, unitIds: readonly number[]): Promise<Map<number, Unit>> {
  return new Map((await store.getUnits(unitIds)).map((unit) => [unit.id, unit]));
}

function speakersOf(documents: Iterable<{ speaker: string | null }>): string[] {
  const speakers = new Set<string>();
  for (const { speaker } of documents) if (speaker !== null) speakers.add(speaker);
  return [...speakers];
}

/** Two signals that do not depend on each other: how much of the query is known, and how far the best stands out. */
function confidenceOf(
  candidates: readonly Candidate[],
  known: number,
): { known: number; stands: number; z: number } {
  const { inject } = CONVERSATION;
  const others = candidates.slice(1, 20);
  const mean = others.reduce((sum, candidate) => sum + candidate.score, 0) / Math.max(1, others.length);
  const stands = (candidates[0]?.score ?? 0) - mean;
  return { known, stands, z: inject.known * known + inject.stands * stands + inject.constant };
}

function labelCandidate(candidate: Candidate, best: number, z: number): Relevance {
  const { inject } = CONVERSATION;
  const isNearBest = candidate.score >= best * 0.7;
  if (z > inject.high && isNearBest) return 'high';
  return z > inject.medium && isNearBest ? 'medium' : 'low';
}
