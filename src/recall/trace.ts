import type { Relevance, Features } from './types.ts';

/** Measures each stage in milliseconds. Stages that run concurrently each count their own time. */
export class StageClock {
  readonly #breakdown = new Map<string, number>();
  readonly #startedAt = performance.now();

  async time<T>(stage: string, body: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await body();
    } finally {
      this.#add(stage, performance.now() - startedAt);
    }
  }

  timeNow<T>(stage: string, body: () => T): T {
    const startedAt = performance.now();
    try {
      return body();
    } finally {
      this.#add(stage, performance.now() - startedAt);
    }
  }

  breakdown(): Record<string, number> {
    return Object.fromEntries([...this.#breakdown].map(([stage, ms]) => [stage, round(ms)]));
  }

  totalMs(): number {
    return round(performance.now() - this.#startedAt);
  }

  #add(stage: string, ms: number): void {
    this.#breakdown.set(stage, (this.#breakdown.get(stage) ?? 0) + ms);
  }
}

/** Rounds to microseconds. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** The decisions of all stages, in order. */
export interface Trace {
  readonly queries: readonly string[];
  readonly searches: readonly TracedSearch[];
  /** Every scored candidate, best first, with the numbers of its score. */
  readonly candidates: readonly TracedCandidate[];
  /** Further details of the profile: term weights, statistics, resolved references. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly duplicates: readonly { readonly unitId: number; readonly of: number; readonly by: string }[];
  /** Hits left out because they did not fit the budget. */
  readonly overBudget: readonly number[];
}

export interface TracedSearch {
  readonly search: 'vector' | 'keyword' | 'time';
  /** The index of the query, from 0; null for a search by time. */
  readonly query: number | null;
  readonly found: number;
  readonly unitIds: readonly number[];
}

export interface TracedCandidate {
  readonly unitId: number;
  readonly score: number;
  readonly relevance: Relevance;
  readonly features: Features;
}

/** @param query index of the query; null for a search by time */
export function tracedSearch(
  search: TracedSearch['search'],
  query: number | null,
  unitIds: readonly number[],
): TracedSearch {
  return { search, query, found: unitIds.length, unitIds };
}
