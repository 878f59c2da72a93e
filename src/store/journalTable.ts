import type { Emotion, JournalEntry, ReorganizationPlan, Topic } from '../model/model.ts';
import type { UnitChange } from './change.ts';

/** A change of the graph of topics, as a journal entry carries it out. A `ref` names a topic that the entry adds. */
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
      /** The version it was read at: another one is a VERSION_CONFLICT. */
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
  /** After its members are gone. @throws VERSION_CONFLICT when it has members or children */
  | { readonly type: 'archive'; readonly topicId: number; readonly successorId: TopicRef }
  /** Strength, centroid (the sum, see `TopicTable`) and feeling as they were computed anew. */
  | {
      readonly type: 'refresh';
      readonly topicId: TopicRef;
      readonly strength: number;
      readonly centroid: Float32Array | null;
      readonly centroidEmotion: Emotion | null;
    };

/** The record of every reorganisation, by which it can be undone. */
export interface JournalTable {
  /**
   * Carries out a reorganisation, all of it or nothing, and writes what was there before. With a key that was applied
   * before, nothing happens and that entry is returned.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT when a cycle would come about or an episode would
   * be left without a topic
   */
  apply(change: {
    readonly key: string | null;
    readonly plan: ReorganizationPlan;
    readonly topics: readonly TopicChange[];
    readonly units: readonly UnitChange[];
    /** Kinds of job that a unit with new words calls for. */
    readonly unitJobKinds?: readonly string[];
  }): Promise<JournalEntry>;
  /** Newest first. */
  list(page: { limit: number; beforeId?: number }): Promise<JournalEntry[]>;
  get(id: number): Promise<JournalEntry | null>;
  /**
   * Makes everything the entry touched as it was, but for accesses counted since. Episodes assigned since to a topic
   * that goes away move to the one from which its members came or, if it had none, to the strongest one below it;
   * episodes that were given another topic since stay there. Topics that had members come or go since get their figures
   * made anew; those that were only refreshed since by others keep them.
   * @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT when it was rolled back before or something later depends on it:
   * entries (details: `entryIds`) that changed the same units, or the members, parents, words or state of the same
   * topics; other changes of its units (`unitIds`); words that a person gave its topics since, or episodes that would
   * be left without a topic (`topicIds`)
   */
  rollback(id: number): Promise<JournalEntry>;
}
