/**
 * The default profile: it had the best measured results on conversations in three languages. See docs/decisions and
 * bench/quality.md.
 */
import { terms, type Span } from '../../text/text.ts';
import { headSize } from '../dedupe.ts';
import type { Document } from '../documents.ts';
import type { Ranking, RankInput } from '../ranking.ts';
import { byScore, weigh, weightedSum } from '../score.ts';
import type { Scored } from '../types.ts';
import { conversationFeatures, type ConversationFeatures } from './features.ts';
import { gather } from './gather.ts';
import { isPlain, readBest, withReranked } from './rerankFeatures.ts';
import { weightsAt, type ConversationProfile, type ConversationWeights } from '../conversationProfile.ts';
import { answerable, labelOf, probabilityOf, situationOf } from './probability.ts';
import { Bm25, CountedTurns, weighTerms } from './queryTerms.ts';
import { findReferents, referredTypes } from './referents.ts';
import { centredCosine, type Similarity } from './promising.ts';
import { withSameConversation } from './sameConversation.ts';
import { placeTurns, type Turns } from './turns.ts';
import { asksAboutUnknown } from './unknownNames.ts';

/** Number of best candidates that are reordered by features that need the whole unit. */
const MAX_REORDERED = 40;
const NONE: ReadonlyMap<number, number> = new Map();

export async function rankConversation(input: RankInput, profile: ConversationProfile): Promise<Ranking> {
  const { store, question, intent, clock, reader } = input;
  const { inject } = profile;
  const dependsOnContext = question.context.length > 0 && intent.references.length > 0;
  const termWeights = weighTerms(intent.keywords, question.context, dependsOnContext);
  const queryTerms = [...termWeights.keys()];
  const gathered = await gather(input, termWeights, dependsOnContext);
  const { unitIds, spans, queryVector } = gathered;
  const [turns, talkedAbout] = await clock.time('fetch', () =>
    Promise.all([
      placeTurns(gathered, (ids) => reader.read(ids)),
      spans.length > 0 ? store.indexes.times.of(unitIds) : new Map<number, Span[]>(),
    ]),
  );
  const { documents } = turns;
  const cosines = cosinesOf(documents, gathered.similarity);
  const statistics = await clock.time('statistics', () =>
    store.indexes.text.statistics({ terms: queryTerms, speakers: speakersOf(documents) }),
  );
  const counted = clock.timeNow('features', () => new CountedTurns(queryTerms, documents));
  const bm25 = new Bm25(counted, termWeights, statistics);
  const ownWeights = new Map(intent.keywords.map((term) => [term, 1]));
  const own = new Bm25(counted, ownWeights, statistics, inject.assumedTurns);
  const features = clock.timeNow('features', () =>
    conversationFeatures({
      question,
      spans,
      talkedAbout,
      turns,
      cosines: cosines.centred,
      bm25,
      own,
      statistics,
    }),
  );
  const weights = weightsAt(profile, statistics.documents);
  const scored = clock.timeNow('score', () => scoreEach(features, documents, weights));
  const ordered = clock.timeNow('score', () =>
    withSameConversation(scored, conversationIn(turns), weights.sameConversation),
  );
  const isUnknown = await clock.time('judge', () => asksAboutUnknown(store, intent.namesAskedAbout, counted));
  const situation = clock.timeNow('judge', () =>
    situationOf(scored, turns, own, {
      asksAboutUnknown: isUnknown,
      address: intent.address,
      language: intent.language,
      refers: referredTypes(question.utterance, intent.references).length > 0,
      documents: statistics.documents,
      nearest: cosines.nearest,
    }),
  );
  const probability = (hit: Scored) => probabilityOf(hit, situation, inject);
  const isSure = answerable(situation, inject) > 0 || weights.referent === 0;
  const referents = isSure ? NONE : await clock.time('referents', () => findReferents(input, queryVector));
  const rerankInput = { weights, feeling: input.feeling, referents };
  const candidates = await clock.time('fetch', () =>
    readBest(store, ordered, candidateLimit(input), rerankInput),
  );
  const isRead = new Set(candidates.map(({ unitId }) => unitId));
  const read = documents.filter(({ unitId }) => isRead.has(unitId));
  const answers = { ...situation, best: bestScoreOfAnswers(ordered, read, question.utterance) };
  const label = (hit: Scored) => labelOf(hit, answers, inject);
  // “That trip” assumes that the memory knows the trip: the most likely referent is worth showing.
  const [referent] = referents.keys();
  return {
    candidates,
    scored: isPlain(rerankInput) ? ordered : withReranked(ordered, candidates),
    found: gathered.found,
    vectorState: gathered.vectorState,
    queries: [question.utterance],
    searches: gathered.searches,
    notes: {
      dependsOnContext,
      termWeights: Object.fromEntries(termWeights),
      spans,
      weights,
      feeling: input.feeling,
      situation,
      confidence: answerable(situation, inject),
    },
    label: (hit) => (hit.unitId === referent ? 'high' : label(hit)),
    probability: (hit) =>
      hit.unitId === referent ? Math.max(inject.high, probability(hit)) : probability(hit),
    contributions: (candidate) => weigh(candidate.features, weights).contributions,
  };
}

/** Best first, each by itself. @param features in the order of the documents */
function scoreEach(
  features: readonly ConversationFeatures[],
  documents: readonly Document[],
  weights: ConversationWeights,
): Scored[] {
  return features
    .map((own, turn): Scored => {
      const { unitId } = documents[turn] as Document;
      return { unitId, features: own, score: weightedSum(own, weights) };
    })
    .sort(byScore);
}

/** The conversation of each turn; null for other units. */
function conversationIn({ documents, places }: Turns): (unitId: number) => string | null {
  return (unitId) => {
    const { turnIndex, conversationId } = documents[places.get(unitId) as number] as Document;
    return turnIndex === null ? null : conversationId;
  };
}

/** Two questions are the same if they share at least this share of the shorter question's terms. */
const SAME_QUESTION = 0.8;

/** The best score of a unit that is not the same question as the utterance: an earlier question contains no answer. */
function bestScoreOfAnswers(scored: readonly Scored[], read: readonly Document[], utterance: string): number {
  const asked = new Set(terms(utterance));
  const repeats = new Set(
    read
      .filter(({ isQuestion, text }) => isQuestion && isSameQuestion(asked, text))
      .map(({ unitId }) => unitId),
  );
  const best = scored.find(({ unitId }) => !repeats.has(unitId)) ?? scored[0];
  return best?.score ?? 0;
}

function isSameQuestion(asked: ReadonlySet<string>, text: string): boolean {
  const before = new Set(terms(text));
  return asked.intersection(before).size >= SAME_QUESTION * Math.min(asked.size, before.size);
}

interface Cosines {
  /**
   * Cosine of each turn with the query, minus its mean cosine with all units, divided by the standard deviation of
   * cosines; 0 for turns without a vector.
   */
  readonly centred: Float64Array;
  /** The greatest cosine, converted to the scale of the bundled embedder; null if nothing has a vector. */
  readonly nearest: number | null;
}

function cosinesOf(documents: readonly Document[], similarity: Similarity | null): Cosines {
  const centred = new Float64Array(documents.length);
  if (!similarity) return { centred, nearest: null };
  const { cosines, scale } = similarity;
  let nearest: number | null = null;
  for (const [i, { unitId }] of documents.entries()) {
    const cosine = cosines.get(unitId);
    if (cosine === undefined) continue;
    centred[i] = centredCosine(similarity, cosine);
    nearest = Math.max(nearest ?? -1, cosine);
  }
  return { centred, nearest: nearest === null ? null : scale.asBundled(nearest) };
}

/** Number of candidates read whole: those that can become hits and those that can still change places with them. */
function candidateLimit({ question, feeling, isReordered }: RankInput): number {
  const head = headSize(question.limit);
  return isReordered || feeling !== null ? Math.max(MAX_REORDERED, head) : head;
}

function speakersOf(documents: Iterable<Document>): string[] {
  const speakers = new Set<string>();
  let last: string | null = null;
  for (const { speaker } of documents) {
    if (speaker !== null && speaker !== last) speakers.add(speaker);
    last = speaker;
  }
  return [...speakers];
}
