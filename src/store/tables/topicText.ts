import type { Topic } from '../../model/model.ts';
import { countTerms, openTopic } from '../rows/rows.ts';
import { forEachPageById, type IdRange } from './pageById.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** Rows that a search may read. Terms are used rarest first until the limit is reached: common ones help least. */
const MAX_ROWS = 20_000;
/** BM25's k₁. Titles and summaries are short and similar in length, so length is not normalised. */
const SATURATION = 1.2;

type Words = Pick<Topic, 'title' | 'summary'>;

const ACTIVE = "SELECT id, title, summary FROM topic WHERE memory_id = $1 AND state = 'active'";

type ActiveTopic = Words & { readonly id: number };

/** The index of title and summary of the active topics. Callers hold the transaction. */
export class TopicText {
  readonly #tx: Sql;

  constructor(tx: Sql) {
    this.#tx = tx;
  }

  *put(topicId: number, topic: Words): Steps<void> {
    yield* this.remove(topicId);
    yield* this.#tx.insert(
      'topic_term',
      { term: 'text', topic_id: 'bigint', times: 'bigint' },
      [...countTerms(topic)].map(([term, times]) => [this.#hashed(term), topicId, times]),
    );
  }

  *remove(topicId: number): Steps<void> {
    yield* this.#tx.run('DELETE FROM topic_term WHERE memory_id = $1 AND topic_id = ?', topicId);
  }

  /** The BM25 scores of topics, in no order. */
  *scores(wanted: readonly string[]): Steps<Map<number, number>> {
    const row = yield* this.#tx.get<{ n: number }>(
      "SELECT count(*) AS n FROM topic WHERE memory_id = $1 AND state = 'active'",
    );
    const topics = row?.n ?? 0;
    const chosen = yield* this.#affordable(wanted);
    const rows = yield* this.#tx.all<{ id: number; term: string; times: number }>(
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

  /** Rebuilds the index, for example when text is analysed differently. */
  *rebuild(): Steps<void> {
    yield* this.#tx.run('DELETE FROM topic_term WHERE memory_id = $1');
    const put = this.put.bind(this);
    yield* this.#forEachPage(function* (topics) {
      for (const topic of topics) yield* put(topic.id, topic);
    });
  }

  /** Active topics whose index entries do not match their texts, and archived topics with entries. */
  *misindexed(): Steps<number[]> {
    const wrong: number[] = [];
    const misindexedAmong = this.#misindexedAmong.bind(this);
    yield* this.#forEachPage(function* (topics, range) {
      wrong.push(...(yield* misindexedAmong(topics, range)));
    });
    return wrong;
  }

  *#misindexedAmong(topics: readonly ActiveTopic[], { after, to }: IdRange): Steps<number[]> {
    const rows = yield* this.#tx.all<{ id: number; term: string; times: number }>(
      'SELECT topic_id AS id, term, times FROM topic_term WHERE memory_id = $1 AND topic_id > ? AND topic_id <= ?',
      after,
      to,
    );
    const kept = Map.groupBy(rows, (row) => row.id);
    const wrong: number[] = [];
    for (const topic of topics) {
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

  *#forEachPage(body: (topics: readonly ActiveTopic[], range: IdRange) => Steps<unknown>): Steps<void> {
    const { keys } = this.#tx;
    yield* forEachPageById<ActiveTopic>(this.#tx, ACTIVE, (rows, range) =>
      body(
        rows.map((row) => openTopic(keys, row)),
        range,
      ),
    );
  }

  *#affordable(wanted: readonly string[]): Steps<{ term: string; count: number }[]> {
    const clear = new Map(wanted.map((term) => [this.#hashed(term), term]));
    const kept = yield* this.#tx.all<{ term: string; count: number }>(
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
