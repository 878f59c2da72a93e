/** The result of tuning. */
import { recordOf } from '../../model/model.ts';
import type { ProfileFile, Strategy } from '../../engine/engine.ts';
import { bootstrapSets, type Difference } from '../compare.ts';
import type { FoldKind } from './folds.ts';
import { TUNED_FIGURES } from './labelled.ts';
import { indexesBySet, meanBySet } from './learn.ts';
import type { MeasuredQuery, TunedFigure, TunedFigures } from './labelled.ts';
import type { WrongReport } from './wrong.ts';

export interface TuneReport {
  readonly profile: string;
  /** The embedding model; null: none. */
  readonly embedder: string | null;
  readonly strategy: Strategy | null;
  readonly limit: number | null;
  readonly learnt: boolean;
  readonly sets: readonly SetGain[];
  /** Over all sets, every set with the same weight. */
  readonly overall: Gain;
  /** Null where nothing was called wrong. */
  readonly wrong: WrongReport | null;
  /** Whether the gain is significant: the 95 % interval of the mean figure is above 0. */
  readonly isWorthHaving: boolean;
  /** The selected penalty strength; null: the base is kept, because all fitted weights were worse. */
  readonly strength: number | null;
  readonly weights: readonly TunedWeight[];
  /** A profile file with the new weights. */
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
  /** The smallest and the greatest weight fitted without one fold. */
  readonly from: number;
  readonly to: number;
  /** Its value is the same for all candidates of every query, so its weight is unknown. */
  readonly isIdle: boolean;
}

export interface Held {
  readonly query: MeasuredQuery;
  /** With weights fitted without it. */
  readonly held: TunedFigures;
}

export function gainOf(measured: readonly Held[]): Gain {
  const queries = measured.map(({ query }) => query);
  const held = measured.map((one) => one.held);
  const sets = [...indexesBySet(queries).values()];
  const base = queries.map(({ figures }) => figures);
  const byFigure = <Value>(value: (figure: TunedFigure) => Value) => recordOf(TUNED_FIGURES, value);
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
