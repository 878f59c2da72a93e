import type { Instant } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import { writeRow } from '../rowImages.ts';
import { findCycle, type TopicRows } from '../topics/topics.ts';
import { type Row, type RowImage, WORDS_AND_STATE } from '../../rows/rows.ts';
import { conflict } from './conflicts.ts';

/**
 * Restores topics to their state before an entry. Topics that have not changed since are restored exactly. Others
 * get their members, parents, texts and state back; their new members stay, or move to where those of a removed
 * topic came from, and where members changed the figures are computed again.
 */
export class TopicRestoration {
  readonly #db: Database;
  readonly #rows: TopicRows;
  readonly #now: Instant;
  readonly #topics: readonly RowImage[];
  readonly #centroids: readonly RowImage[];
  readonly #members: readonly RowImage[];
  readonly #parents: readonly RowImage[];
  /** Topics that were changed since; their figures are computed again. */
  readonly #disturbed = new Set<number>();
  /** Topics to which episodes of others were returned. */
  readonly #homes = new Set<number>();
  /** Units that were assigned to another topic since; they stay there. */
  readonly #reassigned = new Set<number>();

  /** Reads changes of the topics since then. Call it before units are restored, which changes topics. */
  constructor(db: Database, rows: TopicRows, images: readonly RowImage[], now: Instant) {
    this.#db = db;
    this.#rows = rows;
    this.#now = now;
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    this.#topics = of('topic');
    this.#centroids = of('topic_centroid');
    this.#members = of('topic_member');
    this.#parents = of('topic_parent');
    for (const { key, after } of this.#topics) {
      const [topicId = 0] = key;
      if (rows.get(topicId)?.changes !== after?.['changes']) this.#disturbed.add(topicId);
    }
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before && !rows.isMember(topicId, unitId)) this.#reassigned.add(unitId);
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
  restore(entryId: number): void {
    this.#bringStraysHome();
    this.#restoreMembers();
    this.#restoreParents();
    this.#restoreRows();
    this.#checkGraph(entryId);
  }

  /** Moves episodes that were assigned to a topic which is now removed. */
  #bringStraysHome(): void {
    for (const { key, before } of this.#topics) {
      const [topicId = 0] = key;
      if (before) continue;
      const strays = this.#strays(topicId);
      if (strays.length === 0) continue;
      const home = this.#homeOf(topicId);
      if (home === undefined) {
        throw conflict(`Topic ${topicId} was given episodes since, and would go away.`, {
          topicIds: [topicId],
        });
      }
      this.#homes.add(home);
      this.#disturbed.add(home);
      for (const unitId of strays) {
        this.#rows.displace(topicId, unitId);
        this.#rows.place(home, unitId);
      }
    }
  }

  #restoreMembers(): void {
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before) this.#rows.displace(topicId, unitId);
      if (before && !after && !this.#reassigned.has(unitId) && this.#isThere(topicId)) {
        this.#rows.place(topicId, unitId, before['weight'] as number);
      }
      if (before && after && !this.#disturbed.has(topicId)) writeRow(this.#db, 'topic_member', key, before);
    }
  }

  #restoreParents(): void {
    for (const { key, before } of this.#parents) {
      const [topicId = 0, parentId = 0] = key;
      if (before) this.#rows.linkTo(topicId, parentId);
      else this.#rows.unlink(topicId, parentId);
    }
  }

  #restoreRows(): void {
    const centroidOf = new Map(this.#centroids.map((image) => [image.key[0], image]));
    for (const { key, before, after } of this.#topics) {
      const [topicId = 0] = key;
      if (!this.#isThere(topicId)) continue;
      if (!before) this.#remove(topicId);
      else if (this.#disturbed.has(topicId)) this.#bringUpToDate(topicId, before, after);
      else this.#writeBack(topicId, before, centroidOf.get(topicId));
    }
  }

  #checkGraph(entryId: number): void {
    const cycle = findCycle(
      this.#db,
      this.#parents.map(({ key }) => key[0] ?? 0),
    );
    if (!cycle) return;
    const entryIds = this.#db
      .all<{ id: number }>(
        `SELECT DISTINCT t.entry_id AS id FROM json_each(?) j
           CROSS JOIN journal_touch t ON t.kind = 'topic' AND t.id = j.value CROSS JOIN journal e ON e.id = t.entry_id
         WHERE e.id > ? AND e.rolled_back_at IS NULL ORDER BY 1`,
        JSON.stringify(cycle),
        entryId,
      )
      .map((row) => row.id);
    throw conflict(`Topics ${cycle.join(', ')} would lie below one another in a circle.`, {
      entryIds,
      topicIds: cycle,
    });
  }

  #strays(topicId: number): number[] {
    const brought = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    return this.#db
      .all<{ id: number }>('SELECT unit_id AS id FROM topic_member WHERE topic_id = ?', topicId)
      .map((row) => row.id)
      .filter((unitId) => !brought.has(unitId));
  }

  /** The topic from which most members of a new topic came; for one without, the strongest older topic below it. */
  #homeOf(topicId: number): number | undefined {
    const moved = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    const origins = this.#members.flatMap(({ key, after }) =>
      !after && moved.has(key[1]) ? (key[0] ?? []) : [],
    );
    const counts = [...Map.groupBy(origins, (id) => id)].map(([id, all]) => ({ id, count: all.length }));
    counts.sort((a, b) => b.count - a.count || a.id - b.id);
    return counts[0]?.id ?? this.#strongestBelow(topicId);
  }

  #strongestBelow(topicId: number): number | undefined {
    const added = new Set(this.#topics.flatMap(({ key, before }) => (before ? [] : key)));
    return this.#db
      .all<{ id: number }>(
        `SELECT t.id FROM topic_parent p CROSS JOIN topic t ON t.id = p.topic_id
         WHERE p.parent_id = ? ORDER BY t.strength DESC, t.id`,
        topicId,
      )
      .map((row) => row.id)
      .find((id) => !added.has(id));
  }

  #isThere(topicId: number): boolean {
    return this.#rows.get(topicId) !== undefined;
  }

  #remove(topicId: number): void {
    writeRow(this.#db, 'topic_centroid', [topicId], null);
    writeRow(this.#db, 'topic', [topicId], null);
    this.#noteWritten(topicId);
  }

  #writeBack(topicId: number, before: Row, centroid: RowImage | undefined): void {
    writeRow(this.#db, 'topic', [topicId], before);
    if (centroid) writeRow(this.#db, 'topic_centroid', [topicId], centroid.before);
    this.#noteWritten(topicId);
  }

  #bringUpToDate(topicId: number, before: Row, after: Row | null): void {
    const changed = WORDS_AND_STATE.filter((column) => before[column] !== after?.[column]);
    for (const column of changed) {
      this.#db.run(`UPDATE topic SET ${column} = ? WHERE id = ?`, before[column] ?? null, topicId);
    }
    const hasOtherMembers = this.#hasOtherMembers(topicId);
    if (hasOtherMembers) this.#rows.recompute(topicId, this.#now);
    const hasOtherParents = this.#parents.some(({ key }) => key.includes(topicId));
    if (changed.length > 0 || hasOtherMembers || hasOtherParents) this.#rows.noteRevised(topicId, this.#now);
    this.#noteWritten(topicId);
  }

  #hasOtherMembers(topicId: number): boolean {
    return (
      this.#homes.has(topicId) ||
      this.#members.some(({ key, before, after }) => key[0] === topicId && !(before && after))
    );
  }

  #noteWritten(topicId: number): void {
    this.#rows.reindex(topicId);
    this.#rows.centroids.noteChange(topicId);
  }
}
