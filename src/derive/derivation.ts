import type { Embedder, LanguageModel } from '../llm/llm.ts';
import type { Instant, Job } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** One kind of background work. */
export interface Derivation {
  readonly kind: string;
  /** The most jobs that should be done together. */
  readonly batchSize: number;
  /** Whether a language model is used: such jobs run in parallel with others. */
  readonly asksModel?: boolean;
  /** Does all the jobs or throws; it must be idempotent. */
  run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
}

/** The dependencies of a derivation. */
export interface DerivationParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** Null: rules are used. Called for every job, so that a changed model is used at once. */
  readonly model: () => LanguageModel | null;
  /** The memory's embedder, or null. Called for every job. */
  readonly embedder: () => Embedder | null;
  /** Resolves when no reply is pending in the conversation, so that an exchange is read together. */
  readonly whenAnswered?: (conversationId: string) => Promise<void>;
  /** Kinds of job to create for a unit whose text changed. */
  readonly unitJobKinds: readonly string[];
}
