/** Topics near in time and alike, which are to stand under one: a new one, or one there is. */
import { dot, direction, joined, type Mass } from '../vectors/vectors.ts';
import { DAY_MS, type Instant } from '../model/model.ts';
import { chanceLikeness, likeness, type Background } from './background.ts';
import type { Pause } from '../async/async.ts';

/** A topic that may get a parent, or one under which others stand. */
export interface Branch {
  readonly topicId: number;
  /** Of its own episodes and of those below it. */
  readonly mass: Mass;
  readonly core: { readonly from: Instant; readonly to: Instant };
  /** How many stand under it; null: it is to be put under one. */
  readonly children: number | null;
}

/** Topics that are to stand under one. */
export interface Family {
  /** Null: a new one. */
  readonly parentId: number | null;
  readonly childIds: readonly number[];
}

/** What lies further apart was another occasion, however alike. */
const NEAR_MS = 14 * DAY_MS;
/** As many as can be looked over at once. */
const MAX_CHILDREN = 12;

/** Any two that stand under one are at least so much more alike than two passages are, in deviations. */
const COHERENT = 1;

interface Group {
  readonly branches: readonly Branch[];
  /** Of each branch; null where it has none. */
  readonly directions: readonly (Float32Array | null)[];
  readonly mass: Mass;
  /** Of the mass; null where it has none. */
  readonly along: Float32Array | null;
  readonly core: Branch['core'];
}

/**
 * Joins the likest pair first, and then what was joined, as long as whole groups are more alike than by chance, any two of
 * their topics have something in common, no group grows too large, and none holds two topics that are parents already.
 * @param topics how many there will be in all, without those merged away
 */
export async function findFamilies(
  branches: readonly Branch[],
  topics: number,
  background: Background,
  pause: Pause,
): Promise<Family[]> {
  // Of all topics, and not of those that are left: else what is alike would change by what was joined.
  const least = chanceLikeness(topics);
  let groups: Group[] = branches.map((branch) => ({
    branches: [branch],
    directions: [direction(branch.mass.sum)],
    mass: branch.mass,
    along: direction(branch.mass.sum),
    core: branch.core,
  }));
  for (let before = Infinity; groups.length < before;) {
    before = groups.length;
    groups = await joinOnce(groups, least, background, pause);
  }
  return groups.filter((group) => group.branches.length > 1).map(familyOf);
}

/** Joins each group with at most one other. */
async function joinOnce(
  groups: readonly Group[],
  least: number,
  background: Background,
  pause: Pause,
): Promise<Group[]> {
  const pairs: { a: Group; b: Group; alike: number }[] = [];
  for (const [i, a] of groups.entries()) {
    await pause();
    for (const b of groups.slice(i + 1)) {
      if (!a.along || !b.along || !mayJoin(a, b)) continue;
      const alike = likeness(dot(a.along, b.along), background);
      if (alike >= least && isCoherent(a, b, background)) pairs.push({ a, b, alike });
    }
  }
  const gone = new Set<Group>();
  const made: Group[] = [];
  for (const { a, b } of pairs.sort((x, y) => y.alike - x.alike)) {
    if (gone.has(a) || gone.has(b)) continue;
    gone.add(a).add(b);
    made.push(join(a, b));
  }
  return [...groups.filter((group) => !gone.has(group)), ...made];
}

/** Without this a chain of pairs, each alike, would bring together what has nothing in common. */
function isCoherent(a: Group, b: Group, background: Background): boolean {
  return a.directions.every((one) =>
    b.directions.every((other) => one && other && likeness(dot(one, other), background) >= COHERENT),
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
