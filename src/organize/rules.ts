/** Plans by rules, in addition to operations that were decided before. */
import { joined, type Mass } from '../vectors/vectors.ts';
import type { Instant, PlanOperation, Topic } from '../model/model.ts';
import type { Background } from './background.ts';
import { proposeConsolidation } from './consolidate.ts';
import type { RolledBackProposals } from './rolledBack.ts';
import { added, EMPTY_TALLY, figuresOf, hasDrifted } from './figures.ts';
import { TopicGraph, type Node } from './graph.ts';
import {
  findSimilarTopics,
  isIsolated,
  readSurrounding,
  type SurroundingTopic,
  type SimilarTopics,
} from './similarTopics.ts';
import { findFamilies, type Branch } from './parents.ts';
import type { OrganizeParts } from './parts.ts';
import type { Pause } from '../async/async.ts';
import { groupsToSplit, proposeSplit } from './split.ts';
import { readTopic, type TopicView } from './survey.ts';
import { topicsOf } from './validate.ts';
import { languageOf, WORDING } from './wording.ts';

/** The state of the memory for which a plan is made. */
export interface Situation {
  readonly parts: OrganizeParts;
  readonly now: Instant;
  /** All active topics. */
  readonly topics: readonly Topic[];
  /** Mean of the memory's vectors. */
  readonly common: Float32Array | null;
  readonly background: Background | null;
  readonly pause: Pause;
}

export interface RulesPlan {
  readonly operations: readonly PlanOperation[];
  readonly refresh: readonly number[];
}

/** @param decided operations that are kept: their topics are not changed */
export async function planByRules(
  situation: Situation,
  decided: readonly PlanOperation[],
  declined: RolledBackProposals,
): Promise<RulesPlan> {
  const { parts, pause, now } = situation;
  const taken = new Set(decided.flatMap(topicsOf));
  const { views, splits } = await surveyTopics(situation, taken, declined);
  const free = views.filter(
    ({ topic }) => !taken.has(topic.id) && !splits.some((split) => split.topicId === topic.id),
  );
  const merges = (await proposeMerges(situation, free))
    .flatMap((merge) => declined.prune(merge))
    .filter((operation) => operation.type === 'merge');
  const families = await proposeParents(situation, views, merges, taken);
  const units = await proposeConsolidation(parts.store, now, pause);
  const operations = [...splits, ...merges, ...families, ...units].flatMap((operation) =>
    declined.prune(operation),
  );
  return { operations, refresh: driftedAmong(views, await readCentroids(situation)) };
}

type Split = Extract<PlanOperation, { type: 'split' }>;
type Merge = Extract<PlanOperation, { type: 'merge' }>;

async function surveyTopics(
  { parts, topics, common, background, pause, now }: Situation,
  taken: ReadonlySet<number>,
  declined: RolledBackProposals,
): Promise<{ views: TopicView[]; splits: Split[] }> {
  const views: TopicView[] = [];
  const splits: Split[] = [];
  for (const topic of topics) {
    await pause();
    const read = await readTopic(parts.store, topic, common, now);
    const { passages: _, ...view } = read;
    views.push(view);
    const groups = taken.has(topic.id) ? null : groupsToSplit(read, background);
    const split = groups && (await proposeSplit(parts, read, groups));
    if (split) splits.push(...declined.prune(split).filter((operation) => operation.type === 'split'));
  }
  return { views, splits };
}

async function readCentroids({ parts, topics }: Situation): Promise<Map<number, Float32Array>> {
  return parts.store.topics.centroids(topics.map(({ id }) => id));
}

/** Topics whose stored figures differ from those of their episodes. */
function driftedAmong(views: readonly TopicView[], centroids: ReadonlyMap<number, Float32Array>): number[] {
  const graph = new TopicGraph(views.map(({ topic }) => topic));
  const tallies = new Map<Node, TopicView['tally']>(views.map(({ topic, tally }) => [topic.id, tally]));
  const drifted = views.filter(({ topic, tally }) => {
    const below = [...graph.descendantsOf(topic.id)].map((id) => tallies.get(id) ?? EMPTY_TALLY);
    return hasDrifted(topic, centroids.get(topic.id), figuresOf(tally, below.reduce(added, tally)));
  });
  return drifted.map(({ topic }) => topic.id);
}

async function proposeMerges(
  { parts, background, pause }: Situation,
  views: readonly TopicView[],
): Promise<Merge[]> {
  const flanks = new Map<number, SurroundingTopic>();
  for (const view of views) {
    if (!isIsolated(view) || view.unitIds.length === 0) continue;
    await pause();
    const flank = await readSurrounding(parts.store, view);
    if (flank) flanks.set(view.topic.id, flank);
  }
  const byId = new Map(views.map((view) => [view.topic.id, view]));
  const merges: Merge[] = [];
  for (const group of await findSimilarTopics(views, flanks, background, pause))
    merges.push(await mergeOf(parts, group, byId));
  return merges;
}

async function mergeOf(
  parts: OrganizeParts,
  { intoId, topicIds, why }: SimilarTopics,
  byId: ReadonlyMap<number, TopicView>,
): Promise<Merge> {
  const into = byId.get(intoId);
  const others = topicIds.flatMap((id) => byId.get(id)?.unitIds ?? []);
  const own = into?.unitIds ?? [];
  // The target's name is kept when most episodes are its own, or when all topics have the same name.
  const isShared = topicIds.every((id) => byId.get(id)?.topic.title === into?.topic.title);
  const isOutgrown = others.length >= own.length && !isShared && into?.topic.source !== 'user';
  const rename = isOutgrown ? await parts.nameTopic([...own, ...others]) : null;
  const { reasons } = WORDING[languageOf([into?.topic.title ?? ''])];
  return { type: 'merge', topicIds: [...topicIds], intoId, rename, reason: reasons[why] };
}

async function proposeParents(
  { parts, background, pause }: Situation,
  views: readonly TopicView[],
  merges: readonly Merge[],
  taken: ReadonlySet<number>,
): Promise<PlanOperation[]> {
  if (!background) return [];
  const topicsLeft = views.length - merges.flatMap(({ topicIds }) => topicIds).length;
  const branches = branchesOf(views, merges).filter(({ topicId }) => !taken.has(topicId));
  const byId = new Map<Node, TopicView>(views.map((view) => [view.topic.id, view]));
  const graph = new TopicGraph(views.map(({ topic }) => topic));
  const operations: PlanOperation[] = [];
  for (const { parentId, childIds } of await findFamilies(branches, topicsLeft, background, pause)) {
    await pause();
    const below = childIds.flatMap((id) => [id, ...graph.descendantsOf(id)]);
    const merged = merges.flatMap(({ intoId, topicIds }) => (below.includes(intoId) ? topicIds : []));
    const unitIds = [...below, ...merged].flatMap((id) => byId.get(id)?.unitIds ?? []);
    const parent = parentId === null ? await parts.nameTopic(unitIds) : { topicId: parentId };
    const { reasons } = WORDING[languageOf(childIds.map((id) => byId.get(id)?.topic.title ?? ''))];
    operations.push({ type: 'parent', childIds: [...childIds], parent, reason: reasons.nearAndSimilar });
  }
  return operations;
}

/** Topics without a parent, after the merges. */
function branchesOf(views: readonly TopicView[], merges: readonly Merge[]): Branch[] {
  const gone = new Map(merges.flatMap(({ topicIds, intoId }) => topicIds.map((id) => [id, intoId] as const)));
  const graph = new TopicGraph(views.map(({ topic }) => topic));
  for (const [index, merge] of merges.entries()) graph.apply(merge, index);
  const masses = new Map<Node, { mass: Mass; core: Branch['core'] }>();
  for (const { topic, mass, core } of views) {
    if (!mass || !core) continue;
    const id = gone.get(topic.id) ?? topic.id;
    const known = masses.get(id);
    masses.set(id, known ? withMore(known, { mass, core }) : { mass, core });
  }
  return views.flatMap(({ topic }): Branch[] => {
    if (gone.has(topic.id) || graph.parentsOf(topic.id).size > 0) return [];
    const below = [...graph.descendantsOf(topic.id)];
    const known = [topic.id, ...below].flatMap((id) => masses.get(id) ?? []);
    const [first, ...rest] = known;
    if (!first) return [];
    const children = isUmbrella(topic) ? graph.childrenOf(topic.id).size || null : null;
    return [{ topicId: topic.id, children, ...rest.reduce(withMore, first) }];
  });
}

/** Whether the topic was created as a parent. A topic that was split keeps the name of its former content. */
function isUmbrella({ source, members }: Topic): boolean {
  return members === 0 && !source.startsWith('assign_topic');
}

type Extent = Pick<Branch, 'mass' | 'core'>;

function withMore(a: Extent, b: Extent): Extent {
  return {
    mass: joined(a.mass, b.mass),
    core: { from: Math.min(a.core.from, b.core.from), to: Math.max(a.core.to, b.core.to) },
  };
}
