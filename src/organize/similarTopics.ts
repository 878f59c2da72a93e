/** Topics to be merged: small ones with the topic they are most similar to, and topics about the same subject. */
import { dot, coherence, direction, joined, type Mass } from '../vectors/vectors.ts';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { expectedMaximum, standardized, type Background } from './background.ts';
import type { Pause } from '../async/async.ts';
import { MAX_PAUSE_MS } from './passages.ts';
import { TARGET_MEMBERS } from './split.ts';
import type { TopicView } from './survey.ts';

/** Topics to be merged into one. */
export interface SimilarTopics {
  readonly intoId: number;
  readonly topicIds: readonly number[];
  readonly why: 'surrounding' | 'similar' | 'same';
}

/** The topic that surrounds a small one in its conversation. */
export interface SurroundingTopic {
  readonly topicId: number;
  /** Whether that topic occurs on both sides, or only before or only after. */
  readonly isOnBothSides: boolean;
}

/** A topic of at most this many turns, fewer than two exchanges, is isolated. */
const MAX_ISOLATED = 3;
/** A small topic is merged into a topic if it is at least this share as similar to it as its members are on average. */
const SHARE_OF_MEMBERS = 0.75;
/** Topics whose directions have at least this cosine are about the same; the halves of one talk are rarely more similar. */
const SAME = 0.85;
/** A topic with less weight than this means nothing by itself: “うん、そうだね”. */
const MIN_WEIGHT = 0.3;

/** A topic, or several that will be merged. */
interface Group {
  readonly into: TopicView;
  readonly others: readonly TopicView[];
  readonly mass: Mass | null;
  /** Of the mass; null when it has none. */
  readonly along: Float32Array | null;
  readonly members: number;
  readonly why: SimilarTopics['why'];
}

export function isIsolated({ topic, unitIds }: TopicView): boolean {
  return unitIds.length <= MAX_ISOLATED && topic.childIds.length === 0;
}

/**
 * The topic around a small one: that of the turns before and after it in its conversation, without a long pause
 * between; null when there are several, or none.
 */
export async function readSurrounding(store: Store, view: TopicView): Promise<SurroundingTopic | null> {
  const around = await store.units.neighbours(view.unitIds, { before: 1, after: 1 });
  const own = new Set(view.unitIds);
  const besideOn = (side: 'before' | 'after') =>
    around.flatMap((each) => each[side]).filter((id) => !own.has(id));
  const [before, after] = [besideOn('before'), besideOn('after')];
  const near = await nearInTime(store, view, [...before, ...after]);
  const topics = await store.topics.ofUnits([...near]);
  const topicsOf = (ids: readonly number[]) =>
    ids.filter((id) => near.has(id)).flatMap((id) => topics.get(id)?.[0] ?? []);
  const [earlier, later] = [topicsOf(before), topicsOf(after)];
  const [topicId, ...others] = new Set([...earlier, ...later]);
  if (topicId === undefined || others.length > 0) return null;
  return { topicId, isOnBothSides: earlier.length > 0 && later.length > 0 };
}

async function nearInTime(
  store: Store,
  { topic }: TopicView,
  unitIds: readonly number[],
): Promise<Set<number>> {
  const passages = await store.units.passages(unitIds);
  const isNear = (at: Instant) =>
    at >= (topic.firstAt ?? at) - MAX_PAUSE_MS && at <= (topic.lastAt ?? at) + MAX_PAUSE_MS;
  return new Set(passages.filter(({ occurredAt }) => isNear(occurredAt)).map(({ unitId }) => unitId));
}

/**
 * @param views topics that may be merged
 * @param flanks of isolated topics
 */
export async function findSimilarTopics(
  views: readonly TopicView[],
  flanks: ReadonlyMap<number, SurroundingTopic>,
  background: Background | null,
  pause: Pause,
): Promise<SimilarTopics[]> {
  let groups = views
    .filter(({ unitIds }) => unitIds.length > 0)
    .map((view): Group => ({
      into: view,
      others: [],
      mass: view.mass,
      along: view.mass && direction(view.mass.sum),
      members: view.unitIds.length,
      why: 'similar',
    }));
  const compared = new Set<Group>();
  // A merged group differs from its parts and may be similar to other topics, so this repeats.
  for (let before = Infinity; groups.length < before;) {
    before = groups.length;
    groups = await mergeIsolated(groups, flanks, background, pause);
    if (background) groups = await mergeSame(groups, compared, background, pause);
  }
  return groups
    .filter(({ others }) => others.length > 0)
    .map(({ into, others, why }) => ({
      intoId: into.topic.id,
      topicIds: others.map(({ topic }) => topic.id).sort((a, b) => a - b),
      why,
    }));
}

/** Merges each small topic, the smallest first, into the topic that it is most similar to. */
async function mergeIsolated(
  all: readonly Group[],
  flanks: ReadonlyMap<number, SurroundingTopic>,
  background: Background | null,
  pause: Pause,
): Promise<Group[]> {
  const groups = new Set(all);
  const small = all
    .filter((group) => group.members <= MAX_ISOLATED && canBeMerged(group))
    .sort((a, b) => a.members - b.members || a.into.topic.id - b.into.topic.id);
  for (const one of small) {
    await pause();
    // It may already have been merged with another small topic.
    if (!groups.delete(one)) continue;
    const others = [...groups].filter((group) => group.members + one.members <= TARGET_MEMBERS);
    const flank = surroundingGroup(one, others, flanks, background);
    const found = flank ?? (background && mostSimilarTo(one, others, background));
    if (found && groups.delete(found)) groups.add(merged(found, one, flank ? 'surrounding' : 'similar'));
    else groups.add(one);
  }
  return byId([...groups]);
}

function byId(groups: Group[]): Group[] {
  return groups.sort((a, b) => a.into.topic.id - b.into.topic.id);
}

/** A topic that a person named, or that has children, is not merged into another. */
function canBeMerged({ into }: Group): boolean {
  return into.topic.source !== 'user' && into.topic.childIds.length === 0;
}

function surroundingGroup(
  one: Group,
  others: readonly Group[],
  flanks: ReadonlyMap<number, SurroundingTopic>,
  background: Background | null,
): Group | null {
  const flank = one.others.length === 0 ? flanks.get(one.into.topic.id) : undefined;
  const found =
    flank &&
    others.find(({ into, others: more }) => [into, ...more].some(({ topic }) => topic.id === flank.topicId));
  if (!flank || !found) return null;
  const saysLittle = one.mass === null || one.mass.weight < MIN_WEIGHT;
  if (saysLittle) return found;
  if (!flank.isOnBothSides || !background || !one.along || !found.along) return null;
  const isStranger = standardized(dot(one.along, found.along), background) < 0;
  return isStranger ? null : found;
}

/** The most similar topic, if the similarity is above chance and fits that topic's own coherence. */
function mostSimilarTo({ along }: Group, others: readonly Group[], background: Background): Group | null {
  if (!along) return null;
  let best: { group: Group; cosine: number } | null = null;
  for (const group of others) {
    const cosine = group.along ? dot(along, group.along) : -1;
    if (cosine > (best?.cosine ?? -1)) best = { group, cosine };
  }
  if (!best?.group.mass) return null;
  const isChance = standardized(best.cosine, background) < expectedMaximum(others.length);
  return !isChance && best.cosine >= SHARE_OF_MEMBERS * coherence(best.group.mass) ? best.group : null;
}

/**
 * Merges pairs about the same subject, the most similar first.
 * @param compared groups that were already compared with each other
 */
async function mergeSame(
  all: readonly Group[],
  compared: Set<Group>,
  background: Background,
  pause: Pause,
): Promise<Group[]> {
  const pairs: { a: Group; b: Group; similarity: number }[] = [];
  const large = all.filter((group) => group.members > MAX_ISOLATED && canBeMerged(group));
  const chance = background.usual + expectedMaximum(large.length) * background.deviation;
  const minSimilarity = Math.max(SAME, chance);
  for (const [i, a] of large.entries()) {
    await pause();
    const isKnown = compared.has(a);
    for (const b of large.slice(i + 1)) {
      if (isKnown && compared.has(b)) continue;
      if (!a.along || !b.along || a.members + b.members > TARGET_MEMBERS) continue;
      const similarity = dot(a.along, b.along);
      if (similarity >= minSimilarity) pairs.push({ a, b, similarity });
    }
  }
  for (const group of large) compared.add(group);
  const gone = new Set<Group>();
  const made: Group[] = [];
  for (const { a, b } of pairs.sort((x, y) => y.similarity - x.similarity)) {
    if (gone.has(a) || gone.has(b)) continue;
    gone.add(a).add(b);
    made.push(merged(a, b, 'same'));
  }
  return byId([...all.filter((group) => !gone.has(group)), ...made]);
}

/** The larger topic takes in the smaller; a topic that a person named takes in the other. */
function merged(a: Group, b: Group, why: SimilarTopics['why']): Group {
  const [into, other] = rank(a) >= rank(b) ? [a, b] : [b, a];
  const mass = into.mass && other.mass ? joined(into.mass, other.mass) : (into.mass ?? other.mass);
  return {
    into: into.into,
    others: [...into.others, other.into, ...other.others],
    mass,
    along: mass && direction(mass.sum),
    members: a.members + b.members,
    why: into.others.length > 0 && into.why === 'same' ? 'same' : why,
  };
}

function rank({ into, members }: Group): number {
  return members + (into.topic.source === 'user' ? 1e9 : 0) + (into.topic.childIds.length > 0 ? 1e6 : 0);
}
