import type { Strategy } from '../engine/engine.ts';
import type { Comparison } from './compare.ts';
import type { ProfileReport } from './summarize.ts';
import type { TemporalReport } from './temporalSet.ts';

/** The results of an evaluation. */
export interface EvaluationReport {
  /** The embedding model; null: none. */
  readonly embedder: string | null;
  readonly strategy: Strategy | null;
  readonly limit: number | null;
  /** The number of turns that conversations were cut to; null: they are whole. */
  readonly cut: number | null;
  readonly compared: readonly [string, string] | null;
  readonly sets: readonly SetReport[];
  /** Over all sets with equal weight; null unless there are several, and two profiles were compared. */
  readonly comparison: Comparison | null;
  readonly temporal: readonly TemporalReport[];
}

export interface SetReport {
  readonly name: string;
  /** What was left out while reading the set. */
  readonly notes: readonly string[];
  readonly conversations: number;
  readonly turns: number;
  readonly profiles: readonly ProfileReport[];
  readonly comparison: Comparison | null;
}
