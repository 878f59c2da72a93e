/** Recall for a conversation: the turns related to an utterance, as quotes with their topics. (MemoryCore §6.2) */
import { maskedWords, parseInput, revealed, type Episode, type Topic, type Unit } from '../../model/model.ts';
import { countTokens } from '../../text/text.ts';
import { fitBudget, NO_BUDGET } from '../budget.ts';
import { dedupe } from '../dedupe.ts';
import { recallUnits, type Recalled, type RecallParts } from '../pipeline.ts';
import { countTopics, MAX_LEADING } from '../topics.ts';
import type { Hit, Relevance } from '../types.ts';
import { whySentence, type WhyOptions } from '../why.ts';
import { quoteOf } from './quote.ts';
import { reasonsFor } from './reasons.ts';
import { surroundings } from './surroundings.ts';
import {
  autoRecallOptionsSchema,
  type AutoRecallOptions,
  type Bundle,
  type BundleTopic,
  type Highlight,
} from './types.ts';

export { autoRecallOptionsSchema, quoteOf };
export type { AutoRecallOptions, Bundle, BundleTopic, Highlight } from './types.ts';

const DEFAULT_BUDGET_TOKENS = 1_500;
/** Maximum number of topics in the bundle. */
const MAX_TOPICS = 5;
/** If no hit is labelled high or medium, this many of the first hits select the topics. */
const MAX_UNCERTAIN_HITS = 3;
/** The weight of a hit, by label, when topics are counted. */
const VOTES: Readonly<Record<Relevance, number>> = { high: 1, medium: 0.7, low: 0.3 };
/** Share of the highlights reserved for episodes around the hits in the same topics; more when there are few hits. */
const SURROUNDING_SHARE = 0.3;
/** The contribution given for an episode that was not a hit itself. */
const SURROUNDING = [{ feature: 'surrounding', value: 1, weight: 1, contribution: 1 }];

/** @throws MemoryError EMPTY_TEXT, INVALID_INPUT, INVALID_TIME */
export async function autoRecall(
  parts: RecallParts,
  utterance: string,
  input: AutoRecallOptions,
): Promise<Bundle> {
  const options: AutoRecallOptions = parseInput(autoRecallOptionsSchema, input, 'options of a recall');
  const { budgetTokens = DEFAULT_BUDGET_TOKENS, count } = options;
  const recalled = await recallUnits(parts, utterance, {
    ...options,
    kinds: ['episode'],
    // Only the quotes count against the budget.
    budgetTokens: NO_BUDGET,
    count: false,
  });
  const { result, clock, question } = recalled;
  const found = await clock.time('topics', () => gather(parts, recalled));
  const told = clock.timeNow('quotes', () => fitBundle(recalled, found, budgetTokens));
  if (count !== false) {
    const recollected = told.highlights.flatMap(({ unitId, score }) => (score === null ? [] : unitId));
    parts.counter.count(recollected, question.now);
  }
  const { totalTokens, remainingTokens, ...bundle } = told;
  return {
    ...bundle,
    inject: result.inject,
    metadata: {
      ...result.metadata,
      totalLatencyMs: clock.totalMs(),
      breakdown: clock.breakdown(),
      candidatesAfter: bundle.highlights.length,
      totalTokens,
      budgetRemaining: remainingTokens,
    },
  };
}

/** An episode of the bundle. It has no hit if it was added from the surroundings of a hit. */
interface Found {
  readonly episode: Episode;
  readonly hit: Hit | null;
  readonly topicIds: readonly number[];
}

interface Gathered {
  /** In the order of the bundle. */
  readonly episodes: readonly Found[];
  /** The leading topic first. */
  readonly topics: readonly Topic[];
}

async function gather(
  { store, reader }: RecallParts,
  { result, units, question }: Recalled,
): Promise<Gathered> {
  const { hits } = result;
  const { limit, filter } = question;
  const sure = hits.filter(({ relevance }) => relevance !== 'low');
  // If some hits are certain, hits that are only loosely related would distract.
  const shown = sure.length > 0 ? sure : hits;
  const leading = sure.length > 0 ? sure : hits.slice(0, MAX_UNCERTAIN_HITS);
  const topicsOfHits = await store.topics.ofUnits([...units.keys()]);
  const topicIds = countTopics(
    leading.map(({ unitId, relevance }) => ({ unitId, weight: VOTES[relevance] })),
    topicsOfHits,
  );
  const leads = topicIds.slice(0, MAX_LEADING).flatMap((topicId) => {
    const hit = leading.find(({ unitId }) => topicsOfHits.get(unitId)?.includes(topicId));
    return hit ? [{ topicId, hit }] : [];
  });
  const room = Math.max(Math.ceil(limit * SURROUNDING_SHARE), limit - shown.length);
  const around = await surroundings(store, leads, filter, {
    except: new Set(shown.map(({ unitId }) => unitId)),
    limit: room,
  });
  const topicsAround = await store.topics.ofUnits(around.map(({ id }) => id));
  const ofHit = (hit: Hit): Found[] => {
    const unit = units.get(hit.unitId);
    return unit?.kind === 'episode'
      ? [{ episode: unit, hit, topicIds: topicsOfHits.get(unit.id) ?? [] }]
      : [];
  };
  const first = leading.slice(0, Math.max(1, limit - around.length));
  const episodes = [
    ...first.flatMap(ofHit),
    ...around.map((episode) => ({ episode, hit: null, topicIds: topicsAround.get(episode.id) ?? [] })),
    ...shown.filter((hit) => !first.includes(hit)).flatMap(ofHit),
  ];
  return {
    episodes: await withoutRepeats({ store, reader }, episodes, limit),
    topics: await store.topics.get(topicIds.slice(0, MAX_TOPICS)),
  };
}

/** Removes neighbours that repeat what a hit says. */
async function withoutRepeats(
  { store, reader }: Pick<RecallParts, 'store' | 'reader'>,
  episodes: readonly Found[],
  limit: number,
): Promise<Found[]> {
  const vectors = await store.indexes.vectors.get(episodes.map(({ episode }) => episode.id));
  const candidates = episodes.map((found) => ({ found, unit: found.episode }));
  const prints = { vectors, sketch: (unit: Unit) => reader.sketch(unit) };
  return dedupe(candidates, prints, limit).kept.map(({ found }) => found);
}

interface BundleContent extends Pick<Bundle, 'highlights' | 'topics' | 'why'> {
  readonly totalTokens: number;
  readonly remainingTokens: number;
}

/** Adds topics, then quotes, in order, while they fit the budget. */
function fitBundle(recalled: Recalled, { episodes, topics }: Gathered, budgetTokens: number): BundleContent {
  const topicItems = topics.map((topic) => ({
    topic,
    highlight: null,
    tokens: countTokens(`${topic.title}\n${topic.summary ?? ''}`),
  }));
  const quotes = episodes.map((found) => {
    const highlight = highlightOf(found, recalled);
    return { topic: null, highlight, tokens: countTokens(highlight.quote.text) };
  });
  const { fitting, totalTokens, remainingTokens } = fitBudget([...topicItems, ...quotes], budgetTokens);
  const highlights = fitting.flatMap(({ highlight }) => highlight ?? []);
  const isQuoted = (topic: Topic) => highlights.some(({ topicIds }) => topicIds.includes(topic.id));
  const told = fitting.flatMap(({ topic }) => (topic && isQuoted(topic) ? topic : []));
  const why = reasonsFor(told, highlights, whyOptions(recalled));
  return {
    highlights,
    topics: told.map((topic) => topicOf(topic, highlights)),
    why,
    totalTokens,
    remainingTokens,
  };
}

function highlightOf({ episode, hit, topicIds }: Found, recalled: Recalled): Highlight {
  const { turnId, conversationId, turnIndex, speaker } = episode.payload;
  const { keywords } = recalled.result.metadata.intent;
  const sentence = whySentence(episode, SURROUNDING, whyOptions(recalled));
  return {
    unitId: episode.id,
    turnId,
    conversationId,
    turnIndex,
    speaker,
    occurredAt: new Date(episode.occurredAt).toISOString(),
    quote: quoteOf(maskedWords(revealed(episode, recalled.question.reveals).payload), keywords),
    topicIds,
    score: hit?.score ?? null,
    why: hit?.why ?? { sentence, contributions: SURROUNDING, reason: null },
  };
}

function whyOptions({ result, question, feeling }: Recalled): WhyOptions {
  const { language } = result.metadata.intent;
  return { language, timeZone: question.timeZone, comforts: feeling?.comforts === true };
}

function topicOf(topic: Topic, highlights: readonly Highlight[]): BundleTopic {
  const { id, title, summary, strength, firstAt, lastAt } = topic;
  const iso = (at: number) => new Date(at).toISOString();
  return {
    id,
    title,
    summary,
    strength,
    highlights: highlights.filter(({ topicIds }) => topicIds.includes(id)).length,
    period: firstAt === null || lastAt === null ? null : { from: iso(firstAt), to: iso(lastAt) },
  };
}
