/** Measures which hits of a recall are injected into the prompt, and whether they are relevant. */
import { fitBudget, type Hit, type RecallResult } from '../engine/engine.ts';
import type { JudgedHit } from './calibration.ts';

/** Turns of one query that are injected. */
export interface Injected {
  readonly turns: number;
  /** How many of them are gold. */
  readonly gold: number;
  /** How many of them are gold, or are right before or after gold in its session. */
  readonly near: number;
}

/** The default limit of a recall; measuring requests more hits. */
const DEFAULT_LIMIT = 10;
const DEFAULT_BUDGET_TOKENS = 1_500;

export interface Gold {
  readonly gold: ReadonlySet<string>;
  /** The turns right before and after each turn of the set. */
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
}

/** @param sourceOf the set's id of a hit's turn; undefined for hits that are not turns */
export function injectedHits(
  { hits, inject }: RecallResult,
  sourceOf: (hit: Hit) => string | undefined,
  { gold, neighbours }: Gold,
): Injected {
  const shown = inject ? hits.slice(0, DEFAULT_LIMIT).filter(({ relevance }) => relevance !== 'low') : [];
  const { fitting } = fitBudget(shown, DEFAULT_BUDGET_TOKENS);
  const sources = fitting.flatMap((hit) => sourceOf(hit) ?? []);
  const isNear = (source: string) =>
    gold.has(source) || (neighbours.get(source) ?? []).some((neighbour) => gold.has(neighbour));
  return {
    turns: sources.length,
    gold: sources.filter((source) => gold.has(source)).length,
    near: sources.filter(isNear).length,
  };
}

/** The hits that recall returns by default, each with its probability and whether it is gold. */
export function judgedHits(
  { hits }: RecallResult,
  sourceOf: (hit: Hit) => string | undefined,
  gold: ReadonlySet<string>,
): JudgedHit[] {
  return hits.slice(0, DEFAULT_LIMIT).flatMap((hit) => {
    const source = sourceOf(hit);
    if (source === undefined || hit.probability === null) return [];
    return [{ probability: hit.probability, isGold: gold.has(source) }];
  });
}
