/** The default profile: what measured best on conversations in three languages. See docs/decisions and bench/quality.md. */
import type { Store } from '../../store/store.ts';
import type { Span } from '../../text/text.ts';
import { headSize } from '../dedupe.ts';
import type { Ranking, RankInput } from '../rank.ts';
import { MOST_RERANKED } from '../rerank.ts';
import { byScore, weigh } from '../score.ts';
import type { Candidate, Relevance, Scored } from '../types.ts';
import { conversationFeatures } from './features.ts';
import { gather } from './gather.ts';
import { CONVERSATION, WEIGHTS } from './profile.ts';
import { Bm25, weighTerms } from './queryTerms.ts';

export async function rankConversation(input: RankInput): Promise<Ranking> {
  const { store, question, clock, reader } = input;
  const leans = question.context.length > 0 && input.intent.references.length > 0;
  const termWeights = weighTerms(question, leans);
  const queryTerms = [...termWeights.keys()];
  const gathered = await gather(input, queryTerms, leans);
  const { unitIds, before, after, spans, queryVector } = gathered;
  const documents = await clock.time('fetch', () =>
    reader.read(new Set([...unitIds, ...before.values(), ...after.values()])),
  );
  const [statistics, cosines, talkedAbout] = await clock.time('statistics', () =>
    Promise.all([
      store.statistics({ terms: queryTerms, speakers: speakersOf(documents.values()) }),
      cosinesWith(store, queryVector, unitIds),
      spans.length > 0 ? store.timesOf(unitIds) : new Map<number, Span[]>(),
    ]),
  );
  const bm25 = new Bm25(termWeights, statistics);
  const { features, bestBm25 } = clock.timeNow('features', () =>
    conversationFeatures({ question, spans, talkedAbout, gathered, documents, cosines, bm25, statistics }),
  );
  const scored = clock.timeNow('score', () =>
    [...features]
      .map(([unitId, own]): Scored => ({ unitId, features: own, score: weigh(own, WEIGHTS).score }))
      .sort(byScore),
  );
  const candidates = await clock.time('fetch', () =>
    readUnits(store, scored.slice(0, mostRead(question.limit))),
  );
  const confidence = confidenceOf(scored, bestBm25 / Math.max(bm25.ideal, 1e-9));
  return {
    candidates,
    scored,
    found: unitIds.length,
    vectorState: gathered.vectorState,
    queries: [question.utterance],
    searches: gathered.searches,
    notes: { leans, termWeights: Object.fromEntries(termWeights), spans, weights: WEIGHTS, confidence },
    label: (candidate) => labelCandidate(candidate, scored[0]?.score ?? 0, confidence.z),
    contributions: (candidate) => weigh(candidate.features, WEIGHTS).contributions,
  };
}

/** Cosines with the query, less the cosine that every unit has with it on average. */
async function cosinesWith(
  store: Store,
  query: Float32Array | null,
  unitIds: readonly number[],
): Promise<Map<number, number>> {
  if (!query) return new Map();
  const [cosines, mean] = await Promise.all([store.vectors.cosines(query, unitIds), store.vectors.mean()]);
  const common = mean ? query.reduce((sum, value, i) => sum + value * mean[i]!, 0) : 0;
  return new Map([...cosines].map(([unitId, cosine]) => [unitId, cosine - common]));
}

/** Candidates that are read whole: what may become a hit, and what a reranker may look at. */
function mostRead(limit: number): number {
  return Math.max(MOST_RERANKED, headSize(limit));
}

async function readUnits(store: Store, scored: readonly Scored[]): Promise<Candidate[]> {
  const units = await store.getUnits(scored.map((candidate) => candidate.unitId));
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  return scored.flatMap((candidate) => {
    const unit = byId.get(candidate.unitId);
    return unit ? [{ ...candidate, unit }] : [];
  });
}

function speakersOf(documents: Iterable<{ speaker: string | null }>): string[] {
  const speakers = new Set<string>();
  for (const { speaker } of documents) if (speaker !== null) speakers.add(speaker);
  return [...speakers];
}

/** Two signals that do not depend on each other: how much of the query is known, and how far the best stands out. */
function confidenceOf(
  candidates: readonly Scored[],
  known: number,
): { known: number; stands: number; z: number } {
  const { inject } = CONVERSATION;
  const others = candidates.slice(1, 20);
  const mean = others.reduce((sum, candidate) => sum + candidate.score, 0) / Math.max(1, others.length);
  const stands = (candidates[0]?.score ?? 0) - mean;
  return { known, stands, z: inject.known * known + inject.stands * stands + inject.constant };
}

function labelCandidate(candidate: Scored, best: number, z: number): Relevance {
  const { inject } = CONVERSATION;
  const isNearBest = candidate.score >= best * 0.7;
  if (z > inject.high && isNearBest) return 'high';
  return z > inject.medium && isNearBest ? 'medium' : 'low';
}
