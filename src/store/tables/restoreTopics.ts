import type { Instant } from '../../model/model.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import type { TableParts } from './parts.ts';
import { writeRow } from './rowImages.ts';
import { findCycle } from './topicGraph.ts';
import type { TopicRows } from './topicRows.ts';
import { type Row, type RowImage, WORDS_AND_STATE } from '../rows/rows.ts';
import { conflict } from './journalConflicts.ts';

/**
 * Restores topics to their state before an entry. Topics that have not changed since are restored exactly. Others
 * get their members, parents, texts and state back; their new members stay, or move to where those of a removed
 * topic came from, and where members changed the figures are computed again.
 */
export class TopicRestoration {
  readonly #tx: Sql;
  readonly #rows: TopicRows;
  readonly #now: Instant;
  readonly #topics: readonly RowImage[];
  readonly #centroids: readonly RowImage[];
  readonly #members: readonly RowImage[];
  readonly #parents: readonly RowImage[];
  /** Topics that were changed since; their figures are computed again. */
  readonly #disturbed = new Set<number>();
  /** Topics to which episodes of others were returned. */
  readonly #successors = new Set<number>();
  /** Units that were assigned to another topic since; they stay there. */
  readonly #reassigned = new Set<number>();

  private constructor(tx: Sql, rows: TopicRows, images: readonly RowImage[], now: Instant) {
    this.#tx = tx;
    this.#rows = rows;
    this.#now = now;
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    this.#topics = of('topic');
    this.#centroids = of('topic_centroid');
    this.#members = of('topic_member');
    this.#parents = of('topic_parent');
  }

  /** Reads what has happened to the topics since the entry. Call it before units are restored, because that changes topics. */
  static *begin(tables: TableParts, images: readonly RowImage[], now: Instant): Steps<TopicRestoration> {
    const restoration = new TopicRestoration(tables.tx, tables.topics, images, now);
    yield* restoration.#look();
    return restoration;
  }

  *#look(): Steps<void> {
    for (const { key, after } of this.#topics) {
      const [topicId = 0] = key;
      if ((yield* this.#rows.get(topicId))?.changes !== after?.['changes']) this.#disturbed.add(topicId);
    }
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before && !(yield* this.#rows.isMember(topicId, unitId))) this.#reassigned.add(unitId);
    }
    for (const { key } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (this.#reassigned.has(unitId)) this.#disturbed.add(topicId);
    }
  }

  /** Whether only the entry changed the topic, so that it is restored exactly. */
  isMadeExact(topicId: number): boolean {
    return !this.#disturbed.has(topicId) && this.#topics.some(({ key }) => key[0] === topicId);
  }

  /** @throws MemoryError JOURNAL_CONFLICT */
  *restore(entryId: number): Steps<void> {
    yield* this.#reassignMembers();
    yield* this.#restoreMembers();
    yield* this.#restoreParents();
    yield* this.#restoreRows();
    yield* this.#checkGraph(entryId);
  }

  /** Moves episodes that were assigned to a topic which is now removed. */
  *#reassignMembers(): Steps<void> {
    for (const { key, before } of this.#topics) {
      const [topicId = 0] = key;
      if (before) continue;
      const remaining = yield* this.#remainingMembers(topicId);
      if (remaining.length === 0) continue;
      const successor = yield* this.#successorOf(topicId);
      if (successor === undefined) {
        throw conflict(`Topic ${topicId} received episodes later, and would be removed.`, {
          topicIds: [topicId],
        });
      }
      this.#successors.add(successor);
      this.#disturbed.add(successor);
      for (const unitId of remaining) {
        yield* this.#rows.displace(topicId, unitId);
        yield* this.#rows.place(successor, unitId);
      }
    }
  }

  *#restoreMembers(): Steps<void> {
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before) yield* this.#rows.displace(topicId, unitId);
      if (before && !after && !this.#reassigned.has(unitId) && (yield* this.#isThere(topicId))) {
        yield* this.#rows.place(topicId, unitId, Number(before['weight']));
      }
      if (before && after && !this.#disturbed.has(topicId)) {
        yield* this.#rows.centroids.weigh(topicId, unitId, Number(before['weight']));
      }
    }
  }

  *#restoreParents(): Steps<void> {
    for (const { key, before } of this.#parents) {
      const [topicId = 0, parentId = 0] = key;
      if (before) yield* this.#rows.linkTo(topicId, parentId);
      else yield* this.#rows.unlink(topicId, parentId);
    }
  }

  *#restoreRows(): Steps<void> {
    const centroidOf = new Map(this.#centroids.map((image) => [image.key[0], image]));
    for (const { key, before, after } of this.#topics) {
      const [topicId = 0] = key;
      if (!(yield* this.#isThere(topicId))) continue;
      if (!before) yield* this.#remove(topicId);
      else if (this.#disturbed.has(topicId)) yield* this.#bringUpToDate(topicId, before, after);
      else yield* this.#writeBack(topicId, before, centroidOf.get(topicId));
    }
  }

  *#checkGraph(entryId: number): Steps<void> {
    const cycle = yield* findCycle(
      this.#tx,
      this.#parents.map(({ key }) => key[0] ?? 0),
    );
    if (!cycle) return;
    const rows = yield* this.#tx.all<{ id: number }>(
      `SELECT DISTINCT t.entry_id AS id FROM journal_touch t
         JOIN journal e ON e.memory_id = $1 AND e.id = t.entry_id
       WHERE t.memory_id = $1 AND t.kind = 'topic' AND t.id = ANY (?::bigint[]) AND e.id > ?
         AND e.rolled_back_at IS NULL ORDER BY 1`,
      cycle,
      entryId,
    );
    const entryIds = rows.map((row) => row.id);
    throw conflict(`Topics ${cycle.join(', ')} would form a cycle.`, {
      entryIds,
      topicIds: cycle,
    });
  }

  *#remainingMembers(topicId: number): Steps<number[]> {
    const brought = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    const rows = yield* this.#tx.all<{ id: number }>(
      'SELECT unit_id AS id FROM topic_member WHERE memory_id = $1 AND topic_id = ? ORDER BY 1',
      topicId,
    );
    return rows.map((row) => row.id).filter((unitId) => !brought.has(unitId));
  }

  /** The topic from which most members of a new topic came; for one without, the strongest older topic below it. */
  *#successorOf(topicId: number): Steps<number | undefined> {
    const moved = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    const origins = this.#members.flatMap(({ key, after }) =>
      !after && moved.has(key[1]) ? (key[0] ?? []) : [],
    );
    const counts = [...Map.groupBy(origins, (id) => id)].map(([id, all]) => ({ id, count: all.length }));
    counts.sort((a, b) => b.count - a.count || a.id - b.id);
    return counts[0]?.id ?? (yield* this.#strongestBelow(topicId));
  }

  *#strongestBelow(topicId: number): Steps<number | undefined> {
    const added = new Set(this.#topics.flatMap(({ key, before }) => (before ? [] : key)));
    const rows = yield* this.#tx.all<{ id: number }>(
      `SELECT t.id FROM topic_parent p JOIN topic t ON t.memory_id = $1 AND t.id = p.topic_id
       WHERE p.memory_id = $1 AND p.parent_id = ? ORDER BY t.strength DESC, t.id`,
      topicId,
    );
    return rows.map((row) => row.id).find((id) => !added.has(id));
  }

  *#isThere(topicId: number): Steps<boolean> {
    return (yield* this.#rows.get(topicId)) !== undefined;
  }

  /** Topics that were emptied into it since have no successor then. */
  *#remove(topicId: number): Steps<void> {
    const follow = 'UPDATE topic SET successor_id = NULL WHERE memory_id = $1 AND successor_id = ?';
    yield* this.#tx.run(follow, topicId);
    yield* writeRow(this.#tx, 'topic_centroid', [topicId], null);
    yield* writeRow(this.#tx, 'topic', [topicId], null);
    yield* this.#noteWritten(topicId);
  }

  *#writeBack(topicId: number, before: Row, centroid: RowImage | undefined): Steps<void> {
    yield* writeRow(this.#tx, 'topic', [topicId], before);
    if (centroid) yield* writeRow(this.#tx, 'topic_centroid', [topicId], centroid.before);
    yield* this.#noteWritten(topicId);
  }

  *#bringUpToDate(topicId: number, before: Row, after: Row | null): Steps<void> {
    const changed = WORDS_AND_STATE.filter((column) => before[column] !== after?.[column]);
    for (const column of changed) {
      const sql = `UPDATE topic SET ${column} = ? WHERE memory_id = $1 AND id = ?`;
      yield* this.#tx.run(sql, before[column] ?? null, topicId);
    }
    const hasOtherMembers = this.#hasOtherMembers(topicId);
    if (hasOtherMembers) yield* this.#rows.recompute(topicId, this.#now);
    const hasOtherParents = this.#parents.some(({ key }) => key.includes(topicId));
    if (changed.length > 0 || hasOtherMembers || hasOtherParents) {
      yield* this.#rows.noteRevised(topicId, this.#now);
    }
    yield* this.#noteWritten(topicId);
  }

  #hasOtherMembers(topicId: number): boolean {
    return (
      this.#successors.has(topicId) ||
      this.#members.some(({ key, before, after }) => key[0] === topicId && !(before && after))
    );
  }

  *#noteWritten(topicId: number): Steps<void> {
    yield* this.#rows.reindex(topicId);
    yield* this.#rows.centroids.noteChange(topicId);
  }
}
