/** What tuning found. */
import type { ProfileFile, Strategy } from '../../engine/engine.ts';
import { bootstrapSets, type Difference } from '../compare.ts';
import type { FoldKind } from './folds.ts';
import { indexesBySet, meanBySet, TUNED_FIGURES } from './learn.ts';
import type { LabelledQuery, TunedFigure, TunedFigures } from './learn.ts';

export interface TuneReport {
  readonly profile: string;
  /** The embedding model; null: none. */
  readonly embedder: string | null;
  readonly strategy: Strategy | null;
  readonly limit: number | null;
  readonly learnt: boolean;
  readonly sets: readonly SetGain[];
  /** Of all sets, each counting the same. */
  readonly overall: Gain;
  /** Whether chance does not explain the gain: the interval of the figures' mean lies above 0. */
  readonly isWorthHaving: boolean;
  /** How strongly the fit held on to the base; null: wholly, since anything else did worse. */
  readonly strength: number | null;
  readonly weights: readonly TunedWeight[];
  /** What a profile file of these weights holds. */
  readonly file: ProfileFile;
}

/** Figures at turn level, on queries that the weights were not fitted on. */
export interface Gain {
  readonly base: TunedFigures;
  readonly tuned: TunedFigures;
  readonly gain: Readonly<Record<TunedFigure, Difference>>;
}

export interface SetGain extends Gain {
  readonly name: string;
  readonly conversations: number;
  readonly queries: number;
  readonly folds: FoldKind;
}

export interface TunedWeight {
  readonly feature: string;
  readonly base: number;
  readonly tuned: number;
  /** The least and the greatest of those that were fitted without one fold. */
  readonly from: number;
  readonly to: number;
  /** It was the same for all candidates of every query: nothing is known of its weight. */
  readonly isIdle: boolean;
}

/** @param held by query, the figures of weights that were fitted without it */
export function gainOf(queries: readonly LabelledQuery[], held: readonly TunedFigures[]): Gain {
  const sets = [...indexesBySet(queries).values()];
  const base = queries.map(({ figures }) => figures);
  const byFigure = <Value>(value: (figure: TunedFigure) => Value) =>
    Object.fromEntries(TUNED_FIGURES.map((figure) => [figure, value(figure)])) as Record<TunedFigure, Value>;
  const meansOf = (all: readonly TunedFigures[]) =>
    byFigure((figure) =>
      meanBySet(
        queries,
        all.map((figures) => figures[figure]),
      ),
    );
  return {
    base: meansOf(base),
    tuned: meansOf(held),
    gain: byFigure((figure) =>
      bootstrapSets(
        sets.map((indexes) => indexes.map((i) => (held[i]?.[figure] ?? 0) - (base[i]?.[figure] ?? 0))),
      ),
    ),
  };
}
