export interface TuneProgress {
  /** Queries, of one set after another; then fits, of which there may be fewer. */
  readonly phase: 'asking' | 'fitting';
  readonly done: number;
  readonly total: number;
}
