/**
 * Divides the passages of one topic into groups by subject: bisecting k-means on the sphere (Steinbach, Karypis and
 * Kumar 2000), without randomness: it starts from the direction in which the passages differ most.
 */
import { dot, between, direction, massOf, within, type Weighted } from '../vectors/vectors.ts';
import type { Background } from './background.ts';
import type { Passage } from './passages.ts';

/** Conditions for dividing a group in two. */
interface Cause {
  /** The group has more turns than this, if it can be divided. */
  readonly maxTurns: number;
  /** The halves are less similar than this, in deviations above any two passages, and each half is coherent. */
  readonly apart: number;
}

export interface Division {
  /** `begin` is for the whole, `goOn` for its parts. `goOn` divides more readily, so that later the parts stay whole. */
  readonly begin: Cause;
  readonly goOn: Cause;
  /** Every group has at least this many turns. */
  readonly minTurns: number;
  readonly maxGroups: number;
}

/** A passage with the vectors used for clustering. */
interface Placed {
  readonly passage: Passage;
  /** Its own vector. */
  readonly point: Weighted;
  /** Its vector plus half of each neighbour's in the talk, so that a passage between two of a group joins the group. */
  readonly smooth: Float32Array;
}

/** The weight of a neighbour's vector in a passage's smoothed vector. */
const NEIGHBOUR_SHARE = 0.5;
const MAX_ROUNDS = 20;
/** Halves that are too small are treated as outliers and set aside, at most this many times. */
const MAX_OUTLIERS = 4;

/** The passages in groups, in order of time, each in exactly one; one group when there is no reason to divide. */
export function divide(
  passages: readonly Passage[],
  background: Background,
  division: Division,
): Passage[][] {
  const placed = place(passages);
  let groups: { members: Placed[]; isFinal: boolean }[] = [{ members: placed, isFinal: placed.length < 2 }];
  while (groups.length < division.maxGroups) {
    const cause = groups.length === 1 ? division.begin : division.goOn;
    const open = groups.filter(({ isFinal }) => !isFinal);
    const next = open.toSorted((a, b) => turnsOf(b.members) - turnsOf(a.members))[0];
    if (!next) break;
    const halves = bisect(next.members, background, { ...cause, minTurns: division.minTurns });
    if (!halves) next.isFinal = true;
    else {
      const made = halves.map((members) => ({ members, isFinal: members.length < 2 }));
      groups = groups.flatMap((group) => (group === next ? made : [group]));
    }
  }
  const found = groups.map(({ members }) => members.map(({ passage }) => passage));
  return withUnplaced(found, passages).sort((a, b) => startOf(a) - startOf(b));
}

function place(passages: readonly Passage[]): Placed[] {
  return passages.flatMap((passage, i) => {
    const { point, talk } = passage;
    if (!point) return [];
    const beside = [passages[i - 1], passages[i + 1]].flatMap((other) =>
      other?.point && other.talk === talk
        ? [{ vector: other.point.vector, weight: other.point.weight * NEIGHBOUR_SHARE }]
        : [],
    );
    const { sum } = massOf([point, ...beside], point.vector.length);
    return [{ passage, point, smooth: direction(sum) ?? point.vector }];
  });
}

function turnsOf(members: readonly Placed[]): number {
  return members.reduce((sum, { passage }) => sum + passage.unitIds.length, 0);
}

function startOf(passages: readonly Passage[]): number {
  return Math.min(...passages.map(({ from }) => from));
}

/** Two groups that are large enough, or null when the passages should stay together. */
function bisect(
  members: readonly Placed[],
  background: Background,
  limits: Cause & { readonly minTurns: number },
): [Placed[], Placed[]] | null {
  const isCrowded = turnsOf(members) > limits.maxTurns;
  let core = [...members];
  for (let outliers = 0; outliers <= MAX_OUTLIERS; outliers++) {
    const halves = twoMeans(core);
    if (!halves) return null;
    const small = halves.find((half) => turnsOf(half) < limits.minTurns);
    if (!small) {
      const [a, b] = withOutliers(halves, members, core);
      return isCrowded || areDistinct(a, b, background, limits.apart) ? [a, b] : null;
    }
    core = halves.find((half) => half !== small) ?? [];
  }
  return null;
}

/** A group is coherent if its passages are on average this much more similar than any two passages, in deviations. */
const COHERENT = 1;

/** Whether each half is coherent and the two halves have little in common. */
function areDistinct(
  a: readonly Placed[],
  b: readonly Placed[],
  { usual, deviation }: Background,
  apart: number,
): boolean {
  const dimensions = a[0]?.smooth.length ?? 0;
  const massA = massOf(
    a.map(({ point }) => point),
    dimensions,
  );
  const massB = massOf(
    b.map(({ point }) => point),
    dimensions,
  );
  const deviations = (value: number) => (value - usual) / deviation;
  const own = Math.min(deviations(within(massA)), deviations(within(massB)));
  return deviations(between(massA, massB)) < apart && own >= COHERENT;
}

/** Outliers are added to the half that is nearer. */
function withOutliers(
  [a, b]: readonly [Placed[], Placed[]],
  all: readonly Placed[],
  core: readonly Placed[],
): [Placed[], Placed[]] {
  if (core.length === all.length) return [a, b];
  const centres = [centreOf(a), centreOf(b)] as const;
  const inCore = new Set(core);
  const inA = new Set(a);
  const isOfA = (one: Placed) => (inCore.has(one) ? inA.has(one) : isNearer(one, ...centres));
  return [all.filter(isOfA), all.filter((one) => !isOfA(one))];
}

/** Two-means on the sphere; null when all points are equal. */
function twoMeans(members: readonly Placed[]): [Placed[], Placed[]] | null {
  if (members.length < 2) return null;
  const axis = principalAxis(members);
  if (!axis) return null;
  const heights = members.map(({ smooth }) => dot(smooth, axis));
  const middle = heights.reduce((sum, height) => sum + height, 0) / heights.length;
  let isOfA = heights.map((height) => height >= middle);
  for (let round = 0; ; round++) {
    const a = members.filter((_, i) => isOfA[i]);
    const b = members.filter((_, i) => !isOfA[i]);
    if (a.length === 0 || b.length === 0) return null;
    const centres = [centreOf(a), centreOf(b)] as const;
    const next = members.map((one) => isNearer(one, ...centres));
    if (round === MAX_ROUNDS || next.every((value, i) => value === isOfA[i])) return [a, b];
    isOfA = next;
  }
}

function isNearer(one: Placed, a: Float32Array, b: Float32Array): boolean {
  return dot(one.smooth, a) >= dot(one.smooth, b);
}

function centreOf(members: readonly Placed[]): Float32Array {
  const points = members.map(({ smooth, point }) => ({ vector: smooth, weight: point.weight }));
  const { sum } = massOf(points, points[0]!.vector.length);
  return direction(sum) ?? sum;
}

/** The first principal axis, by power iteration from the passage that is farthest from the centre. */
function principalAxis(members: readonly Placed[]): Float32Array | null {
  const centre = centreOf(members);
  const offsets = members.map(({ smooth, point }) => ({
    weight: point.weight,
    vector: smooth.map((value, i) => value - centre[i]!),
  }));
  const lengths = offsets.map(({ vector }) => dot(vector, vector));
  let axis = direction(offsets[lengths.indexOf(Math.max(...lengths))]!.vector);
  for (let round = 0; axis && round < MAX_ROUNDS; round++) {
    const along = axis;
    const pulled = offsets.map(({ vector, weight }) => ({ vector, weight: weight * dot(vector, along) }));
    axis = direction(massOf(pulled, axis.length).sum);
  }
  return axis;
}

/** Passages without a vector join the nearest passage of their talk that has one, or else the nearest in time. */
function withUnplaced(groups: readonly Passage[][], all: readonly Passage[]): Passage[][] {
  const groupOf = new Map(groups.flatMap((group) => group.map((passage) => [passage, group] as const)));
  const placed = [...groupOf.keys()];
  if (placed.length === 0) return all.length > 0 ? [[...all]] : [];
  const more = Map.groupBy(
    all.filter((passage) => !groupOf.has(passage)),
    (passage) => groupOf.get(nearestTo(passage, placed)),
  );
  return groups.map((group) => [...group, ...(more.get(group) ?? [])]);
}

function nearestTo(passage: Passage, others: readonly Passage[]): Passage {
  const ofTalk = others.filter(({ talk }) => talk === passage.talk);
  const gap = (other: Passage) => Math.abs(other.from - passage.from);
  return (ofTalk.length > 0 ? ofTalk : others).reduce((best, other) =>
    gap(other) < gap(best) ? other : best,
  );
}
