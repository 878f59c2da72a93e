import type { Database } from './database.ts';
import { performNow, readSum, type SharedTables } from '../tables/tables.ts';
import { createVectorScan, type VectorScan } from '../scan/scan.ts';
import { quantize } from '../../vectors/vectors.ts';

interface ChangeRow {
  revision: number;
  topicId: number;
  sum: Uint8Array | null;
}

const CENTROIDS = `SELECT c.topic_id AS topicId, c.sum FROM topic_centroid c CROSS JOIN topic t ON t.id = c.topic_id
  WHERE t.state = 'active'`;
const CHANGES = `SELECT x.revision, x.topic_id AS topicId, c.sum FROM topic_change x
  LEFT JOIN topic t ON t.id = x.topic_id AND t.state = 'active' LEFT JOIN topic_centroid c ON c.topic_id = t.id
  WHERE x.revision > ? ORDER BY x.revision`;
/** Filters are not used here. */
const NO_META = { kind: 0, occurredAt: 0, state: 0, sensitivity: 0, scope: 0 };

/**
 * A copy of the active topics' centroids in this process's memory, for fast search. It follows changes of all
 * processes by reading `topic_change`.
 */
export class TopicCopy {
  readonly #db: Database;
  #scan: VectorScan | null = null;
  #dimensions = 0;
  #revision = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Nearest first. Callers hold the transaction, and have checked the vector's dimensions. */
  nearest(vector: Float32Array, limit: number): { topicId: number; score: number }[] {
    const hits = this.#current(vector.length).search(quantize(vector), {}, limit);
    return hits.map(({ unitId: topicId, score }) => ({ topicId, score }));
  }

  #current(dimensions: number): VectorScan {
    if (this.#scan && this.#dimensions === dimensions && this.#follow(this.#scan)) return this.#scan;
    this.#dimensions = dimensions;
    this.#scan = this.#load(dimensions);
    return this.#scan;
  }

  #load(dimensions: number): VectorScan {
    const scan = createVectorScan(dimensions);
    const last = this.#db.get<{ last: number | null }>(
      'SELECT max(revision) AS last FROM topic_change',
    )?.last;
    this.#revision = last ?? 0;
    for (const { topicId, sum } of this.#db.iterate<{ topicId: number; sum: Uint8Array }>(CENTROIDS)) {
      put(scan, topicId, sum, dimensions);
    }
    return scan;
  }

  /** @returns false when centroids of other dimensions were found */
  #follow(scan: VectorScan): boolean {
    for (const { revision, topicId, sum } of this.#db.all<ChangeRow>(CHANGES, this.#revision)) {
      if (!sum) scan.remove(topicId);
      else if (!put(scan, topicId, sum, this.#dimensions)) return false;
      this.#revision = revision;
    }
    return true;
  }
}

function put(scan: VectorScan, topicId: number, sum: Uint8Array, dimensions: number): boolean {
  const vector = readSum(sum);
  if (vector.length !== dimensions) return false;
  scan.put(topicId, quantize(vector), NO_META);
  return true;
}

/** Active topics, nearest first. */
export function nearestTopics(
  db: Database,
  { centroids }: SharedTables,
  copy: TopicCopy,
  { vector, limit }: { readonly vector: Float32Array; readonly limit: number },
): { topicId: number; score: number }[] {
  if (limit <= 0 || !db.get('SELECT 1 FROM topic_centroid LIMIT 1')) return [];
  performNow(centroids.checkDimensions(vector));
  return copy.nearest(vector, limit);
}

/** Tells the copies in memory that a topic's centroid or state has changed; null: all of them. */
export function noteCentroid(db: Database, topicId: number | null): void {
  if (topicId === null) {
    db.run('INSERT OR REPLACE INTO topic_change (topic_id) SELECT topic_id FROM topic_centroid');
  } else db.run('INSERT OR REPLACE INTO topic_change (topic_id) VALUES (?)', topicId);
}
