import type { Topic } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import { countTerms, openTopic } from '../../rows/rows.ts';

/** Rows that a search may read. Terms are used rarest first until the limit is reached: common ones help least. */
const MAX_ROWS = 20_000;
/** BM25's k₁. Titles and summaries are short and similar in length, so length is not normalised. */
const SATURATION = 1.2;

type Words = Pick<Topic, 'title' | 'summary'>;

const ACTIVE = "SELECT id, title, summary FROM topic WHERE state = 'active' ORDER BY id";

/** The index of title and summary of the active topics. Callers hold the transaction. */
export class TopicText {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  put(topicId: number, topic: Words): void {
    this.remove(topicId);
    for (const [term, times] of countTerms(topic)) {
      this.#db.run('INSERT INTO topic_term VALUES (?, ?, ?)', this.#hashed(term), topicId, times);
    }
  }

  remove(topicId: number): void {
    this.#db.run('DELETE FROM topic_term WHERE topic_id = ?', topicId);
  }

  /** The BM25 scores of topics, in no order. */
  scores(wanted: readonly string[]): Map<number, number> {
    const topics =
      this.#db.get<{ n: number }>("SELECT count(*) AS n FROM topic WHERE state = 'active'")?.n ?? 0;
    const scores = new Map<number, number>();
    for (const { term, count } of this.#affordable(wanted)) {
      const rarity = Math.log(1 + (topics - count + 0.5) / (count + 0.5));
      const rows = this.#db.all<{ id: number; times: number }>(
        'SELECT topic_id AS id, times FROM topic_term WHERE term = ?',
        this.#hashed(term),
      );
      for (const { id, times } of rows) {
        const score = (rarity * times * (SATURATION + 1)) / (times + SATURATION);
        scores.set(id, (scores.get(id) ?? 0) + score);
      }
    }
    return scores;
  }

  /** Rebuilds the index, for example when text is analysed differently. */
  remake(): void {
    this.#db.exec('DELETE FROM topic_term');
    for (const topic of this.#active()) this.put(topic.id, topic);
  }

  /** Active topics whose index entries do not match their texts, and archived topics with entries. */
  misindexed(): number[] {
    const kept = new Map<number, [string, number][]>();
    const rows = this.#db.all<{ id: number; term: string; times: number }>(
      'SELECT topic_id AS id, term, times FROM topic_term ORDER BY term',
    );
    for (const { id, term, times } of rows) {
      if (!kept.has(id)) kept.set(id, []);
      kept.get(id)?.push([term, times]);
    }
    const wrong: number[] = [];
    for (const topic of this.#active()) {
      const expected = [...countTerms(topic)].map(([term, times]) => [this.#hashed(term), times]).sort();
      if (JSON.stringify(expected) !== JSON.stringify(kept.get(topic.id)?.sort() ?? [])) wrong.push(topic.id);
      kept.delete(topic.id);
    }
    return [...wrong, ...kept.keys()];
  }

  #hashed(term: string): string {
    return this.#db.keys.hashTerm(term);
  }

  #active(): (Words & { id: number })[] {
    return this.#db.all<Words & { id: number }>(ACTIVE).map((row) => openTopic(this.#db.keys, row));
  }

  #affordable(wanted: readonly string[]): { term: string; count: number }[] {
    const counted = [...new Set(wanted)].map((term) => ({
      term,
      count:
        this.#db.get<{ n: number }>('SELECT count(*) AS n FROM topic_term WHERE term = ?', this.#hashed(term))
          ?.n ?? 0,
    }));
    counted.sort((a, b) => a.count - b.count || (a.term < b.term ? -1 : 1));
    let rows = 0;
    return counted.filter(({ count }, i) => {
      rows += count;
      return count > 0 && (i === 0 || rows <= MAX_ROWS);
    });
  }
}
