import type { Embedder, LanguageModel } from '../llm/llm.ts';
import type { Instant, Job } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** One kind of background work. */
export interface Derivation {
  readonly kind: string;
  /** Most jobs worth doing at once. */
  readonly batchSize: number;
  /** Whether a language model is asked: such work runs beside the rest and several at once. */
  readonly asksModel?: boolean;
  /** Does all the jobs or throws; what it does may be done twice without harm. */
  run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
}

/** What a derivation works with. */
export interface DerivationParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** Null: by rules. Asked anew for every job, so that another model counts at once. */
  readonly model: () => LanguageModel | null;
  /** What makes the memory's vectors, or null. Asked anew like the model. */
  readonly embedder: () => Embedder | null;
  /** Resolves when nobody waits for a reply in the conversation, so that an exchange is read at once. */
  readonly whenAnswered?: (conversationId: string) => Promise<void>;
  /** Kinds of job that a unit with new words calls for. */
  readonly unitJobKinds: readonly string[];
}
