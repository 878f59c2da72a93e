import type { LanguageModel } from '../llm/llm.ts';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** What a reorganisation works with. */
export interface OrganizeParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** Null: by rules alone. Asked anew for every plan. */
  readonly model: () => LanguageModel | null;
  /** Title and summary for a topic to be made of these episodes, in their language. */
  readonly nameTopic: (unitIds: readonly number[]) => Promise<TopicName>;
  /** Kinds of job that a unit with new words calls for. */
  readonly unitJobKinds: readonly string[];
}

export interface TopicName {
  readonly title: string;
  readonly summary: string | null;
}
