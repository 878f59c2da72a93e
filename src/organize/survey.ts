/** Reads what the rules need: each topic with its members' passages, one topic at a time. */
import { massOf, type Mass } from '../vectors/vectors.ts';
import { unitsOfKind, type Episode, type Instant, type Topic } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { backgroundOf, type Background } from './background.ts';
import { tallyOf, type Tally } from './figures.ts';
import { memberOf, passagesOf, type Passage } from './passages.ts';

/** The data of a topic that is kept in memory while a plan is made. */
export interface TopicView {
  readonly topic: Topic;
  readonly unitIds: readonly number[];
  /** Of its passages; null when none has a vector. */
  readonly mass: Mass | null;
  /** The period of its own episodes, without the first and last tenth. */
  readonly core: { readonly from: Instant; readonly to: Instant } | null;
  /** Of its own episodes. */
  readonly tally: Tally;
}

/** A topic with the passages of its members. */
export interface TopicRead extends TopicView {
  readonly passages: readonly Passage[];
}

const PAGE = 500;
/** The background is computed from this many ranges of this many turns. */
const MAX_STRETCHES = 40;
const STRETCH_TURNS = 32;
const EDGE = 0.1;

/** Every active topic, by id. */
export async function listTopics(store: Store): Promise<Topic[]> {
  const topics: Topic[] = [];
  for (;;) {
    const page = await store.topics.list({ state: 'active' }, { limit: PAGE, offset: topics.length });
    topics.push(...page);
    if (page.length < PAGE) return topics.sort((a, b) => a.id - b.id);
  }
}

/** Own episodes of a topic in order of time. */
export async function membersOf(store: Store, topicId: number): Promise<Episode[]> {
  const members: Episode[] = [];
  for (;;) {
    const last = members.at(-1);
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const ids = await store.topics.membersOf(topicId, { limit: PAGE, ...(after && { after }) });
    members.push(...unitsOfKind('episode', await store.units.get(ids)));
    if (ids.length < PAGE) return members;
  }
}

/**
 * How similar passages of this memory are; null when there are too few. Read from ranges of turns spread evenly
 * over the memory, independently of topics, so that reorganising does not change it.
 */
export async function readBackground(store: Store, common: Float32Array | null): Promise<Background | null> {
  const { units } = await store.admin.info();
  const stretches = Math.min(MAX_STRETCHES, Math.ceil(units.episode / STRETCH_TURNS));
  const samples: Passage[][] = [];
  for (let i = 0; i < stretches; i++) {
    const offset = Math.floor((i * units.episode) / stretches);
    const filter = { kinds: ['episode'], maxSensitivity: 'secret', withArchived: true } as const;
    const episodes = unitsOfKind('episode', await store.units.list(filter, { limit: STRETCH_TURNS, offset }));
    samples.push((await toPassages(store, episodes, common)).passages);
  }
  return backgroundOf(samples);
}

async function toPassages(store: Store, episodes: readonly Episode[], common: Float32Array | null) {
  const vectors = await store.indexes.vectors.get(episodes.map(({ id }) => id));
  const passages = passagesOf(episodes.map((episode) => memberOf(episode, vectors.get(episode.id), common)));
  return { vectors, passages };
}

/** @param common the mean of the memory's vectors */
export async function readTopic(
  store: Store,
  topic: Topic,
  common: Float32Array | null,
  now: Instant,
): Promise<TopicRead> {
  const episodes = await membersOf(store, topic.id);
  const { vectors, passages } = await toPassages(store, episodes, common);
  const points = passages.flatMap(({ point }) => point ?? []);
  return {
    topic,
    unitIds: episodes.map(({ id }) => id),
    passages,
    mass: points[0] ? massOf(points, points[0].vector.length) : null,
    core: coreOf(episodes),
    tally: tallyOf(episodes, vectors, now),
  };
}

function coreOf(episodes: readonly Episode[]): TopicView['core'] {
  const at = (share: number) => episodes[Math.round((episodes.length - 1) * share)]?.occurredAt;
  const [from, to] = [at(EDGE), at(1 - EDGE)];
  return from === undefined || to === undefined ? null : { from, to };
}
