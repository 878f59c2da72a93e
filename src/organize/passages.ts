/**
 * Groups the members of a topic into passages. A passage is a part of one conversation about one subject and is
 * never divided.
 *
 *     talk      t t t t t t t t t t t t        t t t t
 *     passages  [───────] [───────────]  pause [─────]      cut at pauses, and where the text before and after differs most
 */
import { dot, direction, massOf, type Weighted } from '../vectors/vectors.ts';
import { unitText, type Episode, type Instant } from '../model/model.ts';
import { terms } from '../text/text.ts';

/** An episode of a topic, prepared for grouping. */
export interface Member {
  readonly unitId: number;
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly occurredAt: Instant;
  /** Minus the mean of all turns, unit length; null when there is none. */
  readonly vector: Float32Array | null;
  /** How much its text means by itself, 0..1: “うん” nothing, a long sentence nearly 1. */
  readonly weight: number;
}

export interface Passage {
  readonly unitIds: readonly number[];
  readonly from: Instant;
  readonly to: Instant;
  /** The talk that contains it: passages of one talk have the same value. */
  readonly talk: number;
  /** Null when none of its turns has a vector. */
  readonly point: Weighted | null;
}

/** Number of terms at which the weight of a turn is ½; about a short sentence. */
const HALF_TERMS = 6;
/** A longer pause starts a new talk. */
export const MAX_PAUSE_MS = 3_600_000;
/** Turns in between may belong to another topic; more of them mean that the talk was about something else. */
const MAX_BETWEEN = 4;
/** A passage of a longer talk has at least this many turns: two exchanges. */
const MIN_TURNS = 4;
/** The number of turns compared on either side of a gap: that of the shortest passage. */
const BLOCK_TURNS = MIN_TURNS;
/** Shallower valleys are rounding errors. */
const MIN_DEPTH = 1e-3;
/** The sum of the turns' weights at which the weight of a passage is ½: two full sentences. */
const HALF_WEIGHT = 2;

/** @param common the mean of the memory's vectors; null when it is unknown */
export function memberOf(
  episode: Episode,
  vector: Float32Array | undefined,
  common: Float32Array | null,
): Member {
  const { conversationId, turnIndex } = episode.payload;
  const own = vector && (common ? vector.map((value, i) => value - (common[i] ?? 0)) : vector);
  const count = terms(unitText(episode)).length;
  return {
    unitId: episode.id,
    conversationId,
    turnIndex,
    occurredAt: episode.occurredAt,
    vector: own ? direction(own) : null,
    weight: count / (count + HALF_TERMS),
  };
}

/** The members in passages, in order of conversations and turns; every member is in exactly one. */
export function passagesOf(members: readonly Member[]): Passage[] {
  return talksOf(members).flatMap((talk, i) => cut(talk).map((part) => passageOf(part, i)));
}

/** Members of one conversation that follow one another without a long pause. */
function talksOf(members: readonly Member[]): Member[][] {
  const ordered = [...members].sort(
    (a, b) =>
      (a.conversationId < b.conversationId ? -1 : a.conversationId > b.conversationId ? 1 : 0) ||
      a.turnIndex - b.turnIndex ||
      a.unitId - b.unitId,
  );
  const talks: Member[][] = [];
  for (const member of ordered) {
    const last = talks.at(-1)?.at(-1);
    const goesOn =
      last !== undefined &&
      last.conversationId === member.conversationId &&
      member.turnIndex - last.turnIndex - 1 <= MAX_BETWEEN &&
      Math.abs(member.occurredAt - last.occurredAt) <= MAX_PAUSE_MS;
    if (goesOn) talks.at(-1)?.push(member);
    else talks.push([member]);
  }
  return talks;
}

/**
 * Cuts a talk where the subject changes: at the deepest minima of the similarity of the turns before and after, if
 * they are deeper than mean − deviation / 2 of all. (TextTiling: Hearst 1997, with vectors instead of words.)
 */
function cut(talk: readonly Member[]): Member[][] {
  const valleys = depths(talk);
  const mean = valleys.reduce((sum, { depth }) => sum + depth, 0) / Math.max(1, valleys.length);
  const variance =
    valleys.reduce((sum, { depth }) => sum + (depth - mean) ** 2, 0) / Math.max(1, valleys.length);
  const least = mean - Math.sqrt(variance) / 2;
  const cuts: number[] = [];
  for (const { at, depth } of valleys.sort((a, b) => b.depth - a.depth || a.at - b.at)) {
    if (depth < MIN_DEPTH || depth < least) break;
    if (cuts.every((other) => Math.abs(other - at) >= MIN_TURNS)) cuts.push(at);
  }
  const ends = [...cuts.sort((a, b) => a - b), talk.length];
  return ends.map((end, i) => talk.slice(i === 0 ? 0 : ends[i - 1], end));
}

/** For each place where a passage may end, how far the similarity falls from the peaks on both sides. */
function depths(talk: readonly Member[]): { at: number; depth: number }[] {
  const likeness = talk.map((_, at) => (at === 0 ? 1 : likenessAround(talk, at)));
  const found: { at: number; depth: number }[] = [];
  for (let at = MIN_TURNS; at <= talk.length - MIN_TURNS; at++) {
    const here = likeness[at] ?? 0;
    const depth = peak(likeness, at, -1) + peak(likeness, at, 1) - 2 * here;
    found.push({ at, depth });
  }
  return found;
}

function likenessAround(talk: readonly Member[], at: number): number {
  const before = directionOf(talk.slice(Math.max(0, at - BLOCK_TURNS), at));
  const after = directionOf(talk.slice(at, at + BLOCK_TURNS));
  return before && after ? dot(before, after) : 0;
}

/** The maximum reached while the similarity rises. The beginning of the talk is neither a place to cut nor a peak. */
function peak(likeness: readonly number[], from: number, step: 1 | -1): number {
  let highest = likeness[from] ?? 0;
  for (let at = from + step; at > 0 && at < likeness.length; at += step) {
    const value = likeness[at] ?? 0;
    if (value < highest) break;
    highest = value;
  }
  return highest;
}

function directionOf(members: readonly Member[]): Float32Array | null {
  const points = members.flatMap(({ vector, weight }) => (vector ? [{ vector, weight }] : []));
  const [first] = points;
  return first ? direction(massOf(points, first.vector.length).sum) : null;
}

function passageOf(members: readonly Member[], talk: number): Passage {
  const times = members.map(({ occurredAt }) => occurredAt);
  const vector = directionOf(members);
  const weight = members.reduce((sum, member) => sum + (member.vector ? member.weight : 0), 0);
  return {
    unitIds: members.map(({ unitId }) => unitId),
    from: Math.min(...times),
    to: Math.max(...times),
    talk,
    point: vector && { vector, weight: weight / (weight + HALF_WEIGHT) },
  };
}

/** The passages of each talk joined into one. */
export function wholeTalks(passages: readonly Passage[]): Passage[] {
  return [...Map.groupBy(passages, ({ talk }) => talk)].map(([talk, parts]) => {
    const points = parts.flatMap(({ point }) => point ?? []);
    const [first] = points;
    const vector = first ? direction(massOf(points, first.vector.length).sum) : null;
    return {
      unitIds: parts.flatMap(({ unitIds }) => unitIds),
      from: Math.min(...parts.map(({ from }) => from)),
      to: Math.max(...parts.map(({ to }) => to)),
      talk,
      point: vector && { vector, weight: Math.max(...points.map(({ weight }) => weight)) },
    };
  });
}
