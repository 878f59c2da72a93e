/**
 * Fits the weights of a linear ranker: the softmax loss of each gold candidate against all candidates that are not gold
 * (ListNet's top-one loss, one gold at a time: Cao et al. 2007), with a penalty on the distance from the initial
 * weights. The loss is convex, so Newton's method always finds its only minimum.
 */
import { scoreCaptured, type CapturedQuery } from '../captured.ts';

/** A training query and its weight. */
export interface Sample {
  /** Contains gold and other candidates. */
  readonly query: CapturedQuery;
  readonly weight: number;
}

export interface Penalty {
  /** The factor of the penalty: nats per query times half the squared distance. */
  readonly strength: number;
  readonly centre: Float64Array;
  /** By weight, the distance that counts as 1. */
  readonly unit: Float64Array;
}

const MAX_STEPS = 50;
const MAX_HALVINGS = 30;
/** Minimum gain of a step, in nats. */
const MIN_GAIN = 1e-8;
/** The minimum share of the expected gain that a step must reach. (Armijo) */
const KEPT_SHARE = 1e-4;

/** The weights with the smallest loss. @param samples their weights sum to 1 */
export function fitWeights(samples: readonly Sample[], penalty: Penalty, start: Float64Array): Float64Array {
  let weights = start;
  for (let step = 0; step < MAX_STEPS; step++) {
    const { loss, gradient, curvature } = lossAt(samples, penalty, weights);
    const direction = solve(curvature, gradient);
    const promised = dot(gradient, direction);
    if (promised < MIN_GAIN) break;
    const lossOf = (candidate: Float64Array) =>
      meanSurprise(samples, candidate) + penaltyOf(penalty, candidate);
    const goal = (length: number) => loss - KEPT_SHARE * length * promised;
    const next = descend(lossOf, weights, direction, goal);
    if (!next) break;
    weights = next;
  }
  return weights;
}

/** The first of successively shorter steps whose loss is below `goal`; null if there is none. */
function descend(
  lossOf: (weights: Float64Array) => number,
  from: Float64Array,
  direction: Float64Array,
  goal: (length: number) => number,
): Float64Array | null {
  for (let halving = 0, length = 1; halving < MAX_HALVINGS; halving++, length /= 2) {
    const weights = from.map((weight, i) => weight - length * direction[i]!);
    if (lossOf(weights) <= goal(length)) return weights;
  }
  return null;
}

function penaltyOf({ strength, centre, unit }: Penalty, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += ((weights[i]! - centre[i]!) / unit[i]!) ** 2;
  return (strength / 2) * sum;
}

/** The mean loss of the gold candidates in nats: −log of the gold's share of e^score. */
export function meanSurprise(samples: readonly Sample[], weights: Float64Array): number {
  let sum = 0;
  for (const { query, weight } of samples) {
    const { golds, others, greatest, scores } = exponentials(query, weights);
    for (const gold of golds) {
      const lead = scores[gold]! - greatest;
      const surprise =
        lead > 0 ? Math.log1p(others * Math.exp(-lead)) : Math.log(others + Math.exp(lead)) - lead;
      sum += (weight / golds.length) * surprise;
    }
  }
  return sum;
}

interface Exponentials {
  readonly scores: Float64Array;
  /** The greatest score that is not gold. */
  readonly greatest: number;
  readonly golds: readonly number[];
  /** Σ e^(score − greatest) of candidates that are not gold; at least 1. */
  readonly others: number;
}

/** Limit of a lead: e^lead would overflow, and the loss is 0 long before. */
const MAX_EXPONENT = 600;

function exponentials(query: CapturedQuery, weights: Float64Array): Exponentials {
  const scores = scoreCaptured(query, weights);
  const golds: number[] = [];
  let greatest = -Infinity;
  for (let candidate = 0; candidate < scores.length; candidate++) {
    if (query.isGold[candidate] === 1) golds.push(candidate);
    else if (scores[candidate]! > greatest) greatest = scores[candidate]!;
  }
  let others = 0;
  for (let candidate = 0; candidate < scores.length; candidate++)
    if (query.isGold[candidate] === 0) others += Math.exp(scores[candidate]! - greatest);
  return { scores, greatest, golds, others };
}

interface Slope {
  readonly loss: number;
  readonly gradient: Float64Array;
  /** The Hessian, row by row. */
  readonly curvature: Float64Array;
}

function lossAt(samples: readonly Sample[], penalty: Penalty, weights: Float64Array): Slope {
  const size = weights.length;
  const gradient = new Float64Array(size);
  const curvature = new Float64Array(size * size);
  for (const sample of samples) addSlope(sample, weights, gradient, curvature);
  for (let i = 0; i < size; i++) {
    const share = penalty.strength / penalty.unit[i]! ** 2;
    gradient[i]! += share * (weights[i]! - penalty.centre[i]!);
    curvature[i * size + i]! += share;
    for (let j = 0; j < i; j++) curvature[j * size + i] = curvature[i * size + j]!;
  }
  return { loss: meanSurprise(samples, weights) + penaltyOf(penalty, weights), gradient, curvature };
}

/** Adds one query's part; of the Hessian only the lower triangle. */
function addSlope(
  { query, weight }: Sample,
  weights: Float64Array,
  gradient: Float64Array,
  curvature: Float64Array,
): void {
  const size = weights.length;
  const { scores, greatest, golds, others } = exponentials(query, weights);
  const sums = new Float64Array(size);
  const products = new Float64Array(size * size);
  for (let candidate = 0; candidate < scores.length; candidate++) {
    if (query.isGold[candidate] === 1) continue;
    const row = query.values.subarray(candidate * size, candidate * size + size);
    addMoments(row, Math.exp(scores[candidate]! - greatest), sums, products);
  }
  for (const gold of golds) {
    const own = Math.exp(Math.min(MAX_EXPONENT, scores[gold]! - greatest));
    const share = weight / golds.length;
    const row = query.values.subarray(gold * size, gold * size + size);
    const mean = sums.map((sum, i) => (sum + own * row[i]!) / (others + own));
    for (let i = 0; i < size; i++) {
      gradient[i]! += share * (mean[i]! - row[i]!);
      for (let j = 0; j <= i; j++) {
        const product = (products[i * size + j]! + own * row[i]! * row[j]!) / (others + own);
        curvature[i * size + j]! += share * (product - mean[i]! * mean[j]!);
      }
    }
  }
}

/** Adds a candidate's features, and the products of any two of them, times `factor`. */
function addMoments(row: Float64Array, factor: number, sums: Float64Array, products: Float64Array): void {
  const size = sums.length;
  for (let i = 0; i < size; i++) {
    const part = factor * row[i]!;
    if (part === 0) continue;
    sums[i]! += part;
    for (let j = 0; j <= i; j++) products[i * size + j]! += part * row[j]!;
  }
}

/** x of Ax = b, A symmetric and positive definite, by Cholesky decomposition. */
export function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const lower = new Float64Array(size * size);
  const rowProduct = (i: number, j: number, length: number) => {
    let sum = 0;
    for (let k = 0; k < length; k++) sum += lower[i * size + k]! * lower[j * size + k]!;
    return sum;
  };
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++)
      lower[i * size + j] = (matrix[i * size + j]! - rowProduct(i, j, j)) / lower[j * size + j]!;
    lower[i * size + i] = Math.sqrt(Math.max(Number.MIN_VALUE, matrix[i * size + i]! - rowProduct(i, i, i)));
  }
  const solution = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) solution[i]! -= lower[i * size + k]! * solution[k]!;
    solution[i]! /= lower[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) solution[i]! -= lower[k * size + i]! * solution[k]!;
    solution[i]! /= lower[i * size + i]!;
  }
  return solution;
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
