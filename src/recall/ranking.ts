import type { Embedder } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';
import type { DocumentReader } from './documents.ts';
import type { Intent } from './intent.ts';
import type { Feeling } from './mood.ts';
import type { Profile } from './profiles.ts';
import type { VectorState } from './search.ts';
import type { StageClock, TracedSearch } from './trace.ts';
import type { Candidate, Contribution, Question, Relevance, Scored, Strategy } from './types.ts';

/** Candidates in order, with everything needed to label and explain them. */
export interface Ranking {
  /** The best candidates, best first: as many as could become hits. */
  readonly candidates: readonly Candidate[];
  /** All candidates, for the trace. */
  readonly scored: readonly Scored[];
  /** Number of units that any search found. */
  readonly found: number;
  readonly vectorState: VectorState;
  readonly queries: readonly string[];
  readonly searches: readonly TracedSearch[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly label: (candidate: Scored) => Relevance;
  /** The probability that it is relevant, 0..1; null if the profile gives none. */
  readonly probability: (candidate: Scored) => number | null;
  readonly contributions: (candidate: Scored) => readonly Contribution[];
}

export interface RankInput {
  readonly store: Store;
  readonly profile: Profile;
  readonly embedder: Embedder | null;
  readonly question: Question;
  readonly intent: Intent;
  /** The wanted emotion; null: it is not used. */
  readonly feeling: Feeling | null;
  readonly strategy: Strategy;
  readonly clock: StageClock;
  readonly reader: DocumentReader;
  /** Whether a reranker or a model will reorder the best candidates: it sees more than can become hits. */
  readonly isReordered: boolean;
  /** Additional queries, for the specified profiles. (Deep recall, phase 2) */
  readonly expandedQueries?: readonly string[];
}
