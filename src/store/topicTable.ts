import type { Instant, Topic } from '../model/model.ts';
import type { DerivationMark } from './change.ts';

/**
 * Experiences and themes, which group episodes. Their graph has no cycle. A topic's figures are of its own members, each
 * counting 1 + ln(1 + recalls), the recalls as they were when it was counted:
 *
 * - strength: x / (x + 8), where x is the sum over the members of salience × that. A member that comes adds its share
 *   to whatever strength the topic was given.
 * - feeling: the mean of theirs, weighted also by how sure each is; its confidence is the mean of theirs.
 * - centroid: the sum of their vectors, each at unit length; topics are compared by its direction. It follows the
 *   serving vectors, also when another model's take their place.
 *
 * They are added to by `assign`, made anew from all members when some leave, and set by a journal entry's `refresh`.
 * What `assign` does to a topic is not a version of it.
 */
export interface TopicTable {
  /** Topics by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Topic[]>;
  /** Strongest first, then lowest id; active ones unless another state is asked for. */
  list(filter: TopicFilter, page: { limit: number; offset?: number }): Promise<Topic[]>;
  /** Active topics with their centroids' cosine, nearest first. */
  nearest(vector: Float32Array, limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Directions of centroids, unit length; topics without one are left out. */
  centroids(ids: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Active topics whose title, summary or members' words hold any of the terms, best first. */
  search(terms: readonly string[], limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Its own episodes in order of time, and those of the topics below it when asked for. */
  membersOf(
    topicId: number,
    page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
  ): Promise<number[]>;
  /** For each unit its topics, strongest first; units without any are left out. */
  ofUnits(unitIds: readonly number[]): Promise<Map<number, number[]>>;
  /**
   * Puts episodes into topics, in order, all or none. An entry whose mark was kept before changes nothing; with another
   * mark a unit leaves the topics that it was in, and one that is deserted so, and has no name by hand, is archived.
   * Returns the topic of each entry.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, MODEL_MISMATCH, VERSION_CONFLICT when the topic is archived
   */
  assign(entries: readonly TopicAssignment[]): Promise<number[]>;
  /**
   * Changes words or strength of a topic by hand.
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
  /** With a member since, and before (exclusive), these instants. */
  readonly from?: Instant;
  readonly to?: Instant;
}

export interface TopicAssignment {
  readonly mark: DerivationMark;
  readonly topic:
    | { readonly id: number }
    | { readonly title: string; readonly summary: string | null; readonly source: string }
    /** That of an earlier entry of the same call, by its place. */
    | { readonly sameAs: number };
  /** The episode's vector, unit length, for when none is kept yet; null: it has none. */
  readonly vector: Float32Array | null;
}
