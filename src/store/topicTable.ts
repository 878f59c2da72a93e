import type { Instant, Topic } from '../model/model.ts';
import type { DerivationMark } from './change.ts';

/**
 * Experiences and themes, which group episodes. Their graph has no cycles. A topic's figures are computed from its
 * own members, each weighted by 1 + ln(1 + recalls), with the recalls at the time when it was added:
 *
 * - strength: x / (x + 8), where x is the sum over the members of salience × weight. A new member adds its share to
 *   whatever strength the topic was given.
 * - emotion: the mean of theirs, weighted also by their confidence; its confidence is the mean of theirs.
 * - centroid: the sum of their vectors, each at unit length; topics are compared by its direction. It follows the
 *   serving vectors, including a change of the model.
 *
 * `assign` adds to the figures, they are computed again from all members when some leave, and a journal entry's
 * `refresh` sets them. Changes by `assign` are not versions of a topic.
 */
export interface TopicTable {
  /** Topics by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Topic[]>;
  /** Strongest first, then lowest id; active ones unless another state is requested. */
  list(filter: TopicFilter, page: { limit: number; offset?: number }): Promise<Topic[]>;
  /** Active topics with the cosines of their centroids, nearest first. */
  nearest(vector: Float32Array, limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Directions of centroids, unit length; topics without one are left out. */
  centroids(ids: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Active topics whose title, summary or members contain any of the terms, best first. */
  search(terms: readonly string[], limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Its own episodes in order of time, optionally with those of the topics below it. */
  membersOf(
    topicId: number,
    page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
  ): Promise<number[]>;
  /** For each unit its topics, strongest first; units without topics are left out. */
  ofUnits(unitIds: readonly number[]): Promise<Map<number, number[]>>;
  /**
   * Assigns episodes to topics, in order, all or none. An entry whose mark is already stored changes nothing; with
   * another mark a unit leaves its current topics, and one that has no members left then, and no name given by
   * hand, is archived. Returns the topic of each entry.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, MODEL_MISMATCH, VERSION_CONFLICT when the topic is archived
   */
  assign(entries: readonly TopicAssignment[]): Promise<number[]>;
  /**
   * Changes texts or strength of a topic by hand.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT
   */
  update(
    topicId: number,
    set: Partial<Pick<Topic, 'title' | 'summary' | 'strength' | 'source'>>,
    expectedVersion?: number,
  ): Promise<Topic>;
}

export interface TopicFilter {
  readonly state?: Topic['state'];
  /** Children of this topic; null: topics without a parent. */
  readonly parentId?: number | null;
  /** Only topics with a member between these instants (the end is exclusive). */
  readonly from?: Instant;
  readonly to?: Instant;
}

export interface TopicAssignment {
  readonly mark: DerivationMark;
  readonly topic:
    | { readonly id: number }
    | { readonly title: string; readonly summary: string | null; readonly source: string }
    /** The topic of an earlier entry of the same call, by its index. */
    | { readonly sameAs: number };
  /** The episode's vector, unit length, used if none is stored yet; null: it has none. */
  readonly vector: Float32Array | null;
}
