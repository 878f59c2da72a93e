/** Finds topics near in time and similar that should get a common parent: a new one, or an existing one. */
import { dot, direction, joined, type Mass } from '../vectors/vectors.ts';
import { DAY_MS, type Instant } from '../model/model.ts';
import { expectedMaximum, standardized, type Background } from './background.ts';
import type { Pause } from '../async/async.ts';

/** A topic that may get a parent, or that is one. */
export interface Branch {
  readonly topicId: number;
  /** Of its own episodes and those of the topics below it. */
  readonly mass: Mass;
  readonly core: { readonly from: Instant; readonly to: Instant };
  /** The number of its children; null: it is to get a parent. */
  readonly children: number | null;
}

/** Topics to be put under one parent. */
export interface Family {
  /** Null: a new parent. */
  readonly parentId: number | null;
  readonly childIds: readonly number[];
}

/** Topics farther apart belong to other occasions, however similar they are. */
const NEAR_MS = 14 * DAY_MS;
/** As many as a person can read at once. */
const MAX_CHILDREN = 12;

/** Any two children of one parent are at least this much more similar than two passages are, in deviations. */
const COHERENT = 1;

interface Group {
  readonly branches: readonly Branch[];
  /** Of each branch; null when it has none. */
  readonly directions: readonly (Float32Array | null)[];
  readonly mass: Mass;
  /** Of the mass; null when it has none. */
  readonly along: Float32Array | null;
  readonly core: Branch['core'];
}

/**
 * Agglomerative clustering: joins the most similar pair first, then groups. Groups are joined while they are more
 * similar than by chance, any two of their topics are coherent, no group grows too large, and none contains two
 * existing parents.
 * @param topics how many there will be in all, without those merged into others
 */
export async function findFamilies(
  branches: readonly Branch[],
  topics: number,
  background: Background,
  pause: Pause,
): Promise<Family[]> {
  // Of all topics, not only of the remaining ones: otherwise the threshold would change with every join.
  const minSimilarity = expectedMaximum(topics);
  let groups: Group[] = branches.map((branch) => ({
    branches: [branch],
    directions: [direction(branch.mass.sum)],
    mass: branch.mass,
    along: direction(branch.mass.sum),
    core: branch.core,
  }));
  for (let before = Infinity; groups.length < before;) {
    before = groups.length;
    groups = await joinPairs(groups, minSimilarity, background, pause);
  }
  return groups.filter((group) => group.branches.length > 1).map(familyOf);
}

/** Joins each group with at most one other. */
async function joinPairs(
  groups: readonly Group[],
  minSimilarity: number,
  background: Background,
  pause: Pause,
): Promise<Group[]> {
  const pairs: { a: Group; b: Group; similarity: number }[] = [];
  for (const [i, a] of groups.entries()) {
    await pause();
    for (const b of groups.slice(i + 1)) {
      if (!a.along || !b.along || !mayJoin(a, b)) continue;
      const similarity = standardized(dot(a.along, b.along), background);
      if (similarity >= minSimilarity && isCoherent(a, b, background)) pairs.push({ a, b, similarity });
    }
  }
  const gone = new Set<Group>();
  const made: Group[] = [];
  for (const { a, b } of pairs.sort((x, y) => y.similarity - x.similarity)) {
    if (gone.has(a) || gone.has(b)) continue;
    gone.add(a).add(b);
    made.push(join(a, b));
  }
  return [...groups.filter((group) => !gone.has(group)), ...made];
}

/** Without this, a chain of similar pairs would join topics that have nothing in common. */
function isCoherent(a: Group, b: Group, background: Background): boolean {
  return a.directions.every((one) =>
    b.directions.every((other) => one && other && standardized(dot(one, other), background) >= COHERENT),
  );
}

function mayJoin(a: Group, b: Group): boolean {
  const gap = Math.max(a.core.from, b.core.from) - Math.min(a.core.to, b.core.to);
  if (gap > NEAR_MS) return false;
  const all = [...a.branches, ...b.branches];
  const parents = all.flatMap(({ children }) => children ?? []);
  const children = all.length - parents.length + (parents[0] ?? 0);
  return parents.length <= 1 && children <= MAX_CHILDREN;
}

function join(a: Group, b: Group): Group {
  const mass = joined(a.mass, b.mass);
  return {
    branches: [...a.branches, ...b.branches],
    directions: [...a.directions, ...b.directions],
    mass,
    along: direction(mass.sum),
    core: { from: Math.min(a.core.from, b.core.from), to: Math.max(a.core.to, b.core.to) },
  };
}

function familyOf({ branches }: Group): Family {
  const parent = branches.find(({ children }) => children !== null);
  const children = branches.filter((branch) => branch !== parent).map(({ topicId }) => topicId);
  return { parentId: parent?.topicId ?? null, childIds: children.sort((a, b) => a - b) };
}
