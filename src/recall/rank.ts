import type { Unit } from '../model/model.ts';
import type { ScoredId } from '../store/store.ts';
import { rankConversation } from './conversation/conversation.ts';
import { computeFeatures } from './features.ts';
import type { Intent } from './intent.ts';
import { labelScore } from './judge.ts';
import type { SpecifiedProfile } from './profiles.ts';
import { buildQueries } from './queries.ts';
import type { Ranking, RankInput } from './ranking.ts';
import { byScore, timeDecay, weigh } from './score.ts';
import { fuseResults, search, type SearchResults } from './search.ts';
import { weightsOf } from './strategy.ts';
import { expandByTopic, topicStrengths } from './topics.ts';
import { tracedSearch, type TracedSearch } from './trace.ts';
import type { Candidate, Question } from './types.ts';

/** Maximum number of scored units. (Deep recall: 40 after fusion; more cost little here.) */
const MAX_CANDIDATES = 120;

export async function rank(input: RankInput): Promise<Ranking> {
  const { profile } = input;
  return profile.base === 'conversation' ? rankConversation(input, profile) : rankSpecified(input, profile);
}

/** Ranks by one of the four specified profiles. */
async function rankSpecified(input: RankInput, profile: SpecifiedProfile): Promise<Ranking> {
  const { store, question, intent, clock } = input;
  const queries = [...buildQueries(question.utterance, question.context), ...(input.expandedQueries ?? [])];
  const plan = { queries, strategy: input.strategy, timeRange: intent.timeRange };
  const results = await search(input, plan);
  const fused = clock.timeNow('fuse', () => fuseResults(results));
  const found = inOrder(fused).slice(0, MAX_CANDIDATES);
  const { expanded, strengths } = await clock.time('topics', () =>
    readTopics(input, profile, found, results),
  );
  const units: Unit[] = await clock.time('fetch', () => store.units.get([...found, ...expanded.keys()]));
  const features = clock.timeNow('features', () =>
    computeFeatures({
      units,
      results,
      expanded,
      topicStrengths: strengths,
      fused,
      utterance: question.utterance,
      now: question.now,
      recencyTauDays: profile.recencyTauDays,
      feeling: input.feeling,
      timeRange: intent.timeRange,
    }),
  );
  const searchWeights = weightsOf(input.strategy, asksAboutToday(question, intent));
  const { vector, keyword } = searchWeights;
  // The strategy decides, unless a profile file gives weights.
  const weights = profile.name === 'weighted' ? { vector, keyword } : profile.weights;
  const decay = (unit: Unit) =>
    profile.base === 'weighted' ? timeDecay(question.now - unit.occurredAt, searchWeights) : 1;
  const candidates = clock.timeNow('score', () =>
    units
      .map((unit): Candidate => {
        const own = features.get(unit.id) ?? {};
        return { unitId: unit.id, unit, features: own, score: weigh(own, weights).score * decay(unit) };
      })
      .sort(byScore),
  );
  return {
    candidates,
    scored: candidates,
    found: fused.size + expanded.size,
    vectorState: results.vectorState,
    queries,
    searches: traceSearches(results),
    notes: { weights, recencyTauDays: profile.recencyTauDays, feeling: input.feeling },
    label: (candidate) => labelScore(candidate.score, profile),
    probability: () => null,
    contributions: (candidate) => weigh(candidate.features, weights).contributions,
  };
}

/** For a profile that weighs topics: further episodes of the topics with their cosines, and topic strengths. */
async function readTopics(
  { store, question }: RankInput,
  { weights }: SpecifiedProfile,
  found: readonly number[],
  { queryVector }: SearchResults,
): Promise<{ expanded: Map<number, number>; strengths: Map<number, number> }> {
  if (!weights['topicStrength']) return { expanded: new Map(), strengths: new Map() };
  const joining = await expandByTopic(store, found, question.filter);
  const cosines = queryVector && (await store.indexes.vectors.cosines(queryVector, joining));
  return {
    expanded: new Map(joining.map((unitId) => [unitId, cosines?.get(unitId) ?? 0])),
    strengths: await topicStrengths(store, [...found, ...joining]),
  };
}

/** All found units, best first by reciprocal rank fusion. */
function inOrder(fused: ReadonlyMap<number, number>): number[] {
  return [...fused].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([unitId]) => unitId);
}

function traceSearches(results: SearchResults): TracedSearch[] {
  const ids = (list: readonly ScoredId[]) => list.map((hit) => hit.unitId);
  return [
    ...results.vector.map((list, query) => tracedSearch('vector', query, ids(list))),
    ...results.keyword.map((list, query) => tracedSearch('keyword', query, ids(list))),
    ...(results.time.length === 0 ? [] : [tracedSearch('time', null, results.time)]),
  ];
}

function asksAboutToday({ now }: Question, { timeRange }: Intent): boolean {
  return (
    timeRange !== null &&
    timeRange.from <= now &&
    now < timeRange.to &&
    timeRange.to - timeRange.from <= 90_000_000
  );
}
