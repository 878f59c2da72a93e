export interface TuneProgress {
  /** First the queries of all sets; then the fits, of which there may be fewer than announced. */
  readonly phase: 'asking' | 'fitting';
  readonly done: number;
  readonly total: number;
}
