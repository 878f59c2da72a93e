import type { Emotion, JournalEntry, ReorganizationPlan, Topic } from '../model/model.ts';
import type { UnitChange } from './change.ts';

/** A change of the topic graph in a journal entry. A `ref` names a topic that the entry adds. */
export type TopicRef = number | { readonly ref: string };
export type TopicChange =
  | {
      readonly type: 'add';
      readonly ref: string;
      readonly topic: Pick<Topic, 'title' | 'summary' | 'source'>;
    }
  | {
      readonly type: 'update';
      readonly topicId: TopicRef;
      readonly set: Partial<Pick<Topic, 'title' | 'summary' | 'source'>>;
      /** The version that was read; if the current one differs, VERSION_CONFLICT is thrown. */
      readonly expectedVersion?: number;
    }
  /** @throws VERSION_CONFLICT when a unit is not in `from` */
  | {
      readonly type: 'move';
      readonly unitIds: readonly number[];
      readonly from: TopicRef;
      readonly to: TopicRef;
    }
  | { readonly type: 'setParents'; readonly topicId: TopicRef; readonly parentIds: readonly TopicRef[] }
  /** Members must have been moved before. @throws VERSION_CONFLICT when it has members or children */
  | { readonly type: 'archive'; readonly topicId: number; readonly successorId: TopicRef }
  /** Strength, centroid (the sum, see `TopicTable`) and emotion as computed again. */
  | {
      readonly type: 'refresh';
      readonly topicId: TopicRef;
      readonly strength: number;
      readonly centroid: Float32Array | null;
      readonly centroidEmotion: Emotion | null;
    };

/** The journal of reorganisations, with which they can be undone. */
export interface JournalTable {
  /**
   * Applies a reorganisation, all of it or nothing, and stores the previous state. If the key was applied before,
   * nothing happens and that entry is returned.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT when there would be a cycle or an episode
   * without a topic
   */
  apply(change: {
    readonly key: string | null;
    readonly plan: ReorganizationPlan;
    readonly topics: readonly TopicChange[];
    readonly units: readonly UnitChange[];
    /** Kinds of job to create for a unit whose text changed. */
    readonly unitJobKinds?: readonly string[];
  }): Promise<JournalEntry>;
  /** Newest first. */
  list(page: { limit: number; beforeId?: number }): Promise<JournalEntry[]>;
  get(id: number): Promise<JournalEntry | null>;
  /**
   * Restores everything that the entry changed, except accesses counted since. Episodes assigned since to a topic
   * that is removed move to the topic from which its members came or, if there is none, to the strongest one below
   * it; episodes reassigned since stay where they are. Topics whose members changed since get their figures
   * computed again; topics that were only refreshed since by others keep them.
   * @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT when it was rolled back before or something later depends on
   * it: entries (details: `entryIds`) that changed the same units, or the members, parents, texts or state of the
   * same topics; other changes of its units (`unitIds`); texts that a person gave its topics since, or episodes
   * that would be left without a topic (`topicIds`)
   */
  rollback(id: number): Promise<JournalEntry>;
}
