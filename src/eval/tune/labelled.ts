/** Queries with what is known of them, and the figures that weights are judged by. */
import type { CapturedQuery } from '../captured.ts';

/** The figures that judge weights; `mean` is the mean of the others and decides. */
export const TUNED_FIGURES = ['R@5', 'R@10', 'NDCG@10', 'mean'] as const;
export type TunedFigure = (typeof TUNED_FIGURES)[number];
export type TunedFigures = Readonly<Record<TunedFigure, number>>;

/** One query of one of the sets. */
export interface LabelledQuery {
  /** Index of the set, from 0. */
  readonly set: number;
  readonly conversationId: string;
  /** Null: no weights decide its ranking. */
  readonly captured: CapturedQuery | null;
  /** With the base's weights. Null: the query has no gold, only candidates that a person called wrong. */
  readonly figures: TunedFigures | null;
}

/** A query with gold. */
export interface MeasuredQuery extends LabelledQuery {
  readonly figures: TunedFigures;
}
export const isMeasured = (query: LabelledQuery): query is MeasuredQuery => query.figures !== null;
