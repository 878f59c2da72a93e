/** The topics view: topics with their main episodes. */
import type { Topic } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { reciprocalRankFusion } from '../fuse.ts';
import { countTopics } from '../topics.ts';
import { unranked, type Found } from './find.ts';
import { isoOrNull, toItems } from './items.ts';
import { hasAnyUnit } from './names.ts';
import { whyTopic, type SentenceOptions } from './reasons.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';
import type { ExploredTopic, TopicLink } from './types.ts';
import { MAX_WEIGHED, byWeight } from './weight.ts';

/** Maximum number of ranked topics. */
const MAX_TOPICS = 300;
/** Maximum number of topics found by title, summary and the members' words. */
const MAX_BY_WORDS = 20;
/** Number of episodes shown for a topic. */
const MAIN_EPISODES = 5;
/** Without a ranking, the topics of this many newest units are counted. */
const MAX_COUNTED = 1_000;

export interface RankedTopics {
  /** Best first. */
  readonly ids: readonly number[];
  readonly scores: ReadonlyMap<number, number>;
  /** The found units by topic, best first. */
  readonly found: ReadonlyMap<number, readonly Found[]>;
  /** Topics found by their own words. */
  readonly named: ReadonlySet<number>;
}

/** The topics that match a question. @param found what matches its words and emotion; null: it has neither */
export async function rankTopics(
  store: Store,
  query: ResolvedQuery,
  found: readonly Found[] | null,
): Promise<RankedTopics> {
  if (found !== null) return rankByFound(store, query, found);
  const ids = await topicsWithin(store, query);
  return { ids, scores: new Map(), found: new Map(), named: new Set() };
}

async function rankByFound(
  store: Store,
  query: ResolvedQuery,
  found: readonly Found[],
): Promise<RankedTopics> {
  const topicsOf = await store.topics.ofUnits(found.map(({ unitId }) => unitId));
  const voted = countTopics(
    found.map(({ unitId, score }) => ({ unitId, weight: score || 1 })),
    topicsOf,
  );
  const byTopic = new Map<number, Found[]>();
  for (const each of found) {
    for (const topicId of topicsOf.get(each.unitId) ?? []) {
      byTopic.set(topicId, [...(byTopic.get(topicId) ?? []), each]);
    }
  }
  const named = await namedTopics(store, query);
  const scores = reciprocalRankFusion([voted, named]);
  const ids = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([topicId]) => topicId);
  return { ids: ids.slice(0, MAX_TOPICS), scores, found: byTopic, named: new Set(named) };
}

/** Topics that contain the words. Only if no other condition applies to episodes; else the episodes decide. */
async function namedTopics(
  store: Store,
  { text, topic, keywords, emotion }: ResolvedQuery,
): Promise<number[]> {
  if (topic !== null || emotion !== null || keywords.length > 0) return [];
  const hits = await store.topics.search(terms(text ?? ''), MAX_BY_WORDS);
  return hits.map(({ topicId }) => topicId);
}

/** Without anything to rank by: the topic and its subtopics, or the topics of the units that pass the filter. */
async function topicsWithin(store: Store, query: ResolvedQuery): Promise<number[]> {
  const { topic, entity, filter } = query;
  if (topic !== null) {
    const below = await store.topics.list({ parentId: topic.id }, { limit: MAX_TOPICS - 1 });
    return [topic.id, ...below.map(({ id }) => id)];
  }
  if (entity === null) {
    const { from, to } = filter;
    const within = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return (await store.topics.list(within, { limit: MAX_TOPICS })).map(({ id }) => id);
  }
  const units = await store.units.list(filter, { limit: MAX_COUNTED });
  const topicsOf = await store.topics.ofUnits(units.map(({ id }) => id));
  const counts = new Map<number, number>();
  for (const id of [...topicsOf.values()].flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ids = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([topicId]) => topicId);
  return ids.slice(0, MAX_TOPICS);
}

/** The input of an answer: the memory, the query, and the wording. */
export interface Scene {
  readonly store: Store;
  readonly query: ResolvedQuery;
  readonly sentenceOptions: SentenceOptions;
}

/**
 * The first topics that have something to show, and which remain. A topic without a visible episode is left out: its
 * title is made from their words.
 */
export async function showTopics(
  scene: Scene,
  ranked: RankedTopics,
  ids: readonly number[],
  limit: number,
): Promise<{ topics: ExploredTopic[]; left: number[] }> {
  const topics: ExploredTopic[] = [];
  let next = 0;
  for (const id of ids) {
    if (topics.length === limit) break;
    next += 1;
    const [topic] = await scene.store.topics.get([id]);
    const shown = topic?.state === 'active' ? await mainEpisodes(scene, topic, ranked) : [];
    if (topic && shown.length > 0) topics.push(await describe(scene, topic, shown, ranked));
  }
  return { topics, left: ids.slice(next) };
}

/** The episodes that match the words best, else the most salient ones. */
async function mainEpisodes(
  { store, query: { filter } }: Scene,
  topic: Topic,
  { found, named }: RankedTopics,
): Promise<Found[]> {
  const own = found.get(topic.id);
  if (own) return own.slice(0, MAIN_EPISODES);
  // A topic found by its title may show episodes without the words, but they must match all other conditions.
  if (found.size > 0 && !named.has(topic.id)) return [];
  const units = await store.units.list({ ...filter, topicId: topic.id }, { limit: MAX_WEIGHED });
  return units.sort(byWeight).slice(0, MAIN_EPISODES).map(unranked);
}

async function describe(
  { store, query, sentenceOptions }: Scene,
  topic: Topic,
  shown: readonly Found[],
  ranked: RankedTopics,
): Promise<ExploredTopic> {
  const { id, title, summary, strength, members, centroidEmotion, firstAt, lastAt } = topic;
  const {
    kinds: _,
    from: _from,
    to: _to,
    entityId: _entityId,
    topicId: _topicId,
    ...anything
  } = query.filter;
  const [parents, children, episodes] = await Promise.all([
    linksTo(store, topic.parentIds, anything),
    linksTo(store, topic.childIds, anything),
    toItems(store, shown, query, sentenceOptions),
  ]);
  const period = { from: isoOrNull(firstAt), to: isoOrNull(lastAt) };
  const found = ranked.found.get(id)?.length ?? 0;
  return {
    id,
    title,
    summary,
    strength,
    members,
    period: period.from !== null && period.to !== null ? { from: period.from, to: period.to } : null,
    emotion: centroidEmotion,
    parents,
    children,
    episodes,
    score: ranked.scores.get(id) ?? 0,
    why: whyTopic(topic, { found, isNamed: ranked.named.has(id) }, query, sentenceOptions),
  };
}

/** The topics that have a visible unit. */
async function linksTo(store: Store, ids: readonly number[], filter: UnitFilter): Promise<TopicLink[]> {
  const topics = await store.topics.get(ids);
  const told = await Promise.all(topics.map(({ id }) => hasAnyUnit(store, { ...filter, topicId: id })));
  return topics.filter((_, i) => told[i]).map(({ id, title }) => ({ id, title }));
}
