import type { LanguageModel } from '../llm/llm.ts';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** The dependencies of a reorganisation. */
export interface OrganizeParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** Null: by rules alone. Called again for every plan. */
  readonly model: () => LanguageModel | null;
  /** Title and summary of a new topic with these episodes, in their language. */
  readonly nameTopic: (unitIds: readonly number[]) => Promise<TopicName>;
  /** Kinds of job to create for a unit whose text changed. */
  readonly unitJobKinds: readonly string[];
}

export interface TopicName {
  readonly title: string;
  readonly summary: string | null;
}
