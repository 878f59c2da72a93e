/** Finds the topics most similar to a talk. */
import { dot, meanOf, norm, unitLength, withoutDirections } from '../../vectors/vectors.ts';
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { isTelling, type Moment } from './talk.ts';
import type { Common, VectorSource } from './vectors.ts';

interface SimilarTopic {
  readonly topicId: number;
  /** −1 to 1; about 0 for a random topic. */
  readonly score: number;
}

/** The query. */
export interface TopicQuery {
  /** The turns, in order. */
  readonly moments: readonly Moment[];
  readonly common: Common;
  readonly source: VectorSource;
  /** This topic is excluded. */
  readonly exceptId: number | null;
  readonly minScore: number;
}

/** The most topics that are compared, and the most from which they are chosen. */
const MAX_COMPARED = 6;
const NEAREST = 16;
/** The last words of a talk with which topics are searched. */
const MAX_WORDS = 48;
/** How many members represent a topic, and from how many of the oldest they are chosen. */
const SAMPLED = 24;
const MAX_READ = 1_000;
/**
 * If the members of a topic agree less (mean cosine with their common direction), its score is reduced in
 * proportion. Without this, a few topics without a subject attract everything: on sui-ja one took 1,468 of 4,311
 * turns.
 */
const COHERENT = 0.4;

/** The direction of the subject of some turns: their weighted mean. Null when there are no vectors. */
export function directionOf(moments: readonly Moment[], common: Common): Float32Array | null {
  const weighted = moments.flatMap(({ vector, weight }) =>
    vector && weight > 0 ? [vector.map((value) => value * weight)] : [],
  );
  const mean = meanOf(weighted);
  return mean && unitLength(withoutDirections(mean, common));
}

/** The topics most similar to the turns, best first. */
export async function findSimilarTopics(
  store: Store,
  query: TopicQuery,
  signal: AbortSignal,
): Promise<SimilarTopic[]> {
  const direction = directionOf(query.moments.filter(isTelling), query.common);
  if (!direction) return [];
  const candidates = query.source.isKept
    ? await nearestTopics(store, direction, query)
    : await topicsWithSimilarWords(store, query);
  const similar: SimilarTopic[] = [];
  for (const { topicId, cosine } of candidates) {
    const score = await similarity(store, { topicId, cosine, direction }, query, signal);
    if (score >= query.minScore) similar.push({ topicId, score });
  }
  return similar.sort((a, b) => b.score - a.score || a.topicId - b.topicId);
}

interface Candidate {
  readonly topicId: number;
  /** With its centroid; null: not computed yet. */
  readonly cosine: number | null;
}

async function nearestTopics(
  store: Store,
  direction: Float32Array,
  { common, exceptId, minScore }: TopicQuery,
): Promise<Candidate[]> {
  // The direction is orthogonal to the common directions, so these only affect the length of the centroids.
  const near = await store.topics.nearest(direction, NEAREST);
  const ids = near.map(({ topicId }) => topicId).filter((id) => id !== exceptId);
  const centroids = await store.topics.centroids(ids);
  return [...centroids]
    .map(([topicId, centroid]) => ({
      topicId,
      cosine: dot(direction, unitLength(withoutDirections(centroid, common))),
    }))
    .filter(({ cosine }) => cosine >= minScore)
    .sort((a, b) => b.cosine - a.cosine || a.topicId - b.topicId)
    .slice(0, MAX_COMPARED);
}

async function topicsWithSimilarWords(store: Store, { moments, exceptId }: TopicQuery): Promise<Candidate[]> {
  const words = new Set(moments.filter(isTelling).flatMap(({ text }) => terms(text)));
  const found = await store.topics.search([...words].slice(-MAX_WORDS), MAX_COMPARED + 1);
  return found.flatMap(({ topicId }) => (topicId === exceptId ? [] : [{ topicId, cosine: null }]));
}

async function similarity(
  store: Store,
  { topicId, cosine, direction }: Candidate & { readonly direction: Float32Array },
  { common, source }: TopicQuery,
  signal: AbortSignal,
): Promise<number> {
  const vectors = await source.of(await sampleMembers(store, topicId, SAMPLED), signal);
  const mean = meanOf([...vectors.values()]);
  if (!mean) return -1;
  const own = withoutDirections(mean, common);
  return (cosine ?? dot(direction, unitLength(own))) * Math.min(1, norm(own) / COHERENT);
}

/** At most `max` episodes that represent a topic, evenly spread over its time, in order. */
export async function sampleMembers(store: Store, topicId: number, max: number): Promise<number[]> {
  return spread(await store.topics.membersOf(topicId, { limit: MAX_READ }), max);
}

/** At most `max` of the elements, evenly spread. */
export function spread<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all];
  return Array.from({ length: max }, (_, i) => all[Math.floor((i * all.length) / max)]!);
}
