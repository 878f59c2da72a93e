import type { Topic } from '../../model/model.ts';
import type { Store, TopicAssignment } from '../../store/store.ts';
import type { Moment } from './talk.ts';
import type { Words } from './words/words.ts';

/**
 * The topics of the turns of a batch and of those before them. Assignments are visible at once and written together
 * later: one transaction per turn would take longer than everything else.
 */
export class Places {
  readonly #store: Store;
  readonly #topicOf: Map<number, number>;
  readonly #topics = new Map<number, Topic>();
  #waiting: TopicAssignment[] = [];

  /** @param topics of each unit, strongest first */
  constructor(store: Store, topics: ReadonlyMap<number, readonly number[]>) {
    this.#store = store;
    this.#topicOf = new Map(
      [...topics].flatMap(([unitId, [first]]) => (first === undefined ? [] : [[unitId, first]])),
    );
  }

  of({ episode }: Moment): number | null {
    return this.#topicOf.get(episode.id) ?? null;
  }

  /** The topic, including assignments that are not written yet. */
  async topic(id: number | null): Promise<Topic | null> {
    if (id === null) return null;
    const known = this.#topics.get(id);
    if (known) return known;
    const [topic] = await this.#store.topics.get([id]);
    if (topic) this.#topics.set(id, topic);
    return topic ?? null;
  }

  /** Assigns units to one topic, a known or a new one, and returns it. */
  async put(
    entries: readonly Pick<TopicAssignment, 'mark' | 'vector'>[],
    topic: { readonly id: number } | (Words & { readonly source: string }),
  ): Promise<Topic> {
    const isMove = entries.some(({ mark }) => this.#topicOf.has(mark.unitId));
    const known = 'id' in topic && !isMove ? await this.topic(topic.id) : null;
    if (!known) return this.#writeNow(entries, topic);
    for (const entry of entries) {
      this.#waiting.push({ ...entry, topic: { id: known.id } });
      this.#topicOf.set(entry.mark.unitId, known.id);
    }
    const grown = { ...known, members: known.members + entries.length };
    this.#topics.set(known.id, grown);
    return grown;
  }

  async #writeNow(
    entries: readonly Pick<TopicAssignment, 'mark' | 'vector'>[],
    topic: TopicAssignment['topic'],
  ): Promise<Topic> {
    const at = this.#waiting.length;
    const last = entries.map((entry, i) => ({ ...entry, topic: i === 0 ? topic : { sameAs: at } }));
    const assigned = await this.#store.topics.assign([...this.#waiting, ...last]);
    this.#waiting = [];
    this.#topics.clear();
    const topicId = assigned[at]!;
    for (const { mark } of entries) this.#topicOf.set(mark.unitId, topicId);
    return (await this.topic(topicId))!;
  }

  /** Writes pending assignments. */
  async write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await this.#store.topics.assign(this.#waiting);
    this.#waiting = [];
    this.#topics.clear();
  }

  /** Changes the texts of a topic. */
  async rename(id: number, words: Partial<Words> & { readonly source?: string }): Promise<void> {
    this.#topics.set(id, await this.#store.topics.update(id, words));
  }
}
