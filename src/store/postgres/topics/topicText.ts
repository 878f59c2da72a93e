import type { Topic } from '../../../model/model.ts';
import { countTerms, openTopic } from '../../rows/rows.ts';
import type { Session } from '../session.ts';

/** Rows that a search may read. Terms are taken rarest first until that is reached: the common ones tell least. */
const MAX_ROWS = 20_000;
/** BM25's k₁. Titles and summaries are short and alike in length, so that is not made up for. */
const SATURATION = 1.2;

type Words = Pick<Topic, 'title' | 'summary'>;

const ACTIVE = "SELECT id, title, summary FROM topic WHERE memory_id = $1 AND state = 'active' ORDER BY id";

/** The words in title and summary of the active topics, by which they are found. */
export class TopicText {
  readonly #tx: Session;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  async put(topicId: number, topic: Words): Promise<void> {
    await this.remove(topicId);
    await this.#tx.insert(
      'topic_term',
      { term: 'text', topic_id: 'bigint', times: 'bigint' },
      [...countTerms(topic)].map(([term, times]) => [this.#hashed(term), topicId, times]),
    );
  }

  async remove(topicId: number): Promise<void> {
    await this.#tx.run('DELETE FROM topic_term WHERE memory_id = $1 AND topic_id = ?', topicId);
  }

  /** What topics score by BM25, in no order. */
  async scores(wanted: readonly string[]): Promise<Map<number, number>> {
    const row = await this.#tx.get<{ n: number }>(
      "SELECT count(*) AS n FROM topic WHERE memory_id = $1 AND state = 'active'",
    );
    const topics = row?.n ?? 0;
    const chosen = await this.#affordable(wanted);
    const rows = await this.#tx.all<{ id: number; term: string; times: number }>(
      'SELECT topic_id AS id, term, times FROM topic_term WHERE memory_id = $1 AND term = ANY (?::text[])',
      chosen.map(({ term }) => this.#hashed(term)),
    );
    const byTerm = Map.groupBy(rows, ({ term }) => term);
    const scores = new Map<number, number>();
    for (const { term, count } of chosen) {
      const rarity = Math.log(1 + (topics - count + 0.5) / (count + 0.5));
      for (const { id, times } of byTerm.get(this.#hashed(term)) ?? []) {
        const score = (rarity * times * (SATURATION + 1)) / (times + SATURATION);
        scores.set(id, (scores.get(id) ?? 0) + score);
      }
    }
    return scores;
  }

  /** All of it, as when words are read another way. */
  async remake(): Promise<void> {
    await this.#tx.run('DELETE FROM topic_term WHERE memory_id = $1');
    for (const topic of await this.#active()) await this.put(topic.id, topic);
  }

  /** Topics that are not found by just their words, if they are active, or by none if they are not. */
  async misindexed(): Promise<number[]> {
    const rows = await this.#tx.all<{ id: number; term: string; times: number }>(
      'SELECT topic_id AS id, term, times FROM topic_term WHERE memory_id = $1 ORDER BY term',
    );
    const kept = Map.groupBy(rows, (row) => row.id);
    const wrong: number[] = [];
    for (const topic of await this.#active()) {
      const found = (kept.get(topic.id) ?? []).map(({ term, times }): [string, number] => [term, times]);
      const expected = [...countTerms(topic)].map(([term, times]) => [this.#hashed(term), times]).sort();
      if (JSON.stringify(expected) !== JSON.stringify(found.sort())) wrong.push(topic.id);
      kept.delete(topic.id);
    }
    return [...wrong, ...kept.keys()];
  }

  #hashed(term: string): string {
    return this.#tx.keys.hashTerm(term);
  }

  async #active(): Promise<(Words & { id: number })[]> {
    const rows = await this.#tx.all<Words & { id: number }>(ACTIVE);
    return rows.map((row) => openTopic(this.#tx.keys, row));
  }

  async #affordable(wanted: readonly string[]): Promise<{ term: string; count: number }[]> {
    const clear = new Map(wanted.map((term) => [this.#hashed(term), term]));
    const kept = await this.#tx.all<{ term: string; count: number }>(
      `SELECT term, count(*) AS count FROM topic_term WHERE memory_id = $1 AND term = ANY (?::text[]) GROUP BY term`,
      [...clear.keys()],
    );
    const counted = kept.map(({ term, count }) => ({ term: clear.get(term) ?? term, count }));
    counted.sort((a, b) => a.count - b.count || (a.term < b.term ? -1 : 1));
    let rows = 0;
    return counted.filter(({ count }, i) => {
      rows += count;
      return i === 0 || rows <= MAX_ROWS;
    });
  }
}
