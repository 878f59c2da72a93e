/** The topic that talk is most like. */
import { dot, meanOf, norm, unitLength, withoutDirections } from '../../vectors/vectors.ts';
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { isTelling, type Moment } from './talk.ts';
import type { Common, VectorSource } from './vectors.ts';

interface SimilarTopic {
  readonly topicId: number;
  /** −1 to 1; of topics taken at random about 0. */
  readonly score: number;
}

/** What is looked for. */
export interface TopicQuery {
  /** What is said, in order. */
  readonly moments: readonly Moment[];
  readonly common: Common;
  readonly source: VectorSource;
  /** This topic is no candidate. */
  readonly exceptId: number | null;
  readonly leastScore: number;
}

/** Topics that are compared at most, and those among which they are chosen. */
const MAX_COMPARED = 6;
const NEAREST = 16;
/** Words of talk that topics are searched by, the last ones. */
const MAX_WORDS = 48;
/** Members that stand for a topic, and the oldest among which they are chosen. */
const SAMPLED = 24;
const MAX_READ = 1_000;
/**
 * A topic whose members agree less with one another (mean cosine with their common direction) counts the less the less
 * they agree. Without this a few topics of nothing in particular draw in everything: on sui-ja one took 1,468 of 4,311
 * turns.
 */
const COHERENT = 0.4;

/** The direction of what some turns are about: their mean, those that tell more counting more. Null of none. */
export function directionOf(moments: readonly Moment[], common: Common): Float32Array | null {
  const weighted = moments.flatMap(({ vector, weight }) =>
    vector && weight > 0 ? [vector.map((value) => value * weight)] : [],
  );
  const mean = meanOf(weighted);
  return mean && unitLength(withoutDirections(mean, common));
}

/** The topics most like what is said, best first. */
export async function findSimilarTopics(
  store: Store,
  query: TopicQuery,
  signal: AbortSignal,
): Promise<SimilarTopic[]> {
  const direction = directionOf(query.moments.filter(isTelling), query.common);
  if (!direction) return [];
  const candidates = query.source.isKept
    ? await nearestTopics(store, direction, query)
    : await topicsOfLikeWords(store, query);
  const similar: SimilarTopic[] = [];
  for (const { topicId, cosine } of candidates) {
    const score = await likeness(store, { topicId, cosine, direction }, query, signal);
    if (score >= query.leastScore) similar.push({ topicId, score });
  }
  return similar.sort((a, b) => b.score - a.score || a.topicId - b.topicId);
}

interface Candidate {
  readonly topicId: number;
  /** With its centroid; null: not known yet. */
  readonly cosine: number | null;
}

async function nearestTopics(
  store: Store,
  direction: Float32Array,
  { common, exceptId, leastScore }: TopicQuery,
): Promise<Candidate[]> {
  // Without what is common the direction tells topics apart by the rest alone, but for their length.
  const near = await store.topics.nearest(direction, NEAREST);
  const ids = near.map(({ topicId }) => topicId).filter((id) => id !== exceptId);
  const centroids = await store.topics.centroids(ids);
  return [...centroids]
    .map(([topicId, centroid]) => ({
      topicId,
      cosine: dot(direction, unitLength(withoutDirections(centroid, common))),
    }))
    .filter(({ cosine }) => cosine >= leastScore)
    .sort((a, b) => b.cosine - a.cosine || a.topicId - b.topicId)
    .slice(0, MAX_COMPARED);
}

async function topicsOfLikeWords(store: Store, { moments, exceptId }: TopicQuery): Promise<Candidate[]> {
  const words = new Set(moments.filter(isTelling).flatMap(({ text }) => terms(text)));
  const found = await store.topics.search([...words].slice(-MAX_WORDS), MAX_COMPARED + 1);
  return found.flatMap(({ topicId }) => (topicId === exceptId ? [] : [{ topicId, cosine: null }]));
}

async function likeness(
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

/** At most so many episodes that stand for a topic, evenly spread over its time, in order. */
export async function sampleMembers(store: Store, topicId: number, most: number): Promise<number[]> {
  return spread(await store.topics.membersOf(topicId, { limit: MAX_READ }), most);
}

/** Of many, at most so many, evenly spread. */
export function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!);
}
