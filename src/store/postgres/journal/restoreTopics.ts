import type { Instant } from '../../../model/model.ts';
import type { Session, Value } from '../session.ts';
import type { JournalParts } from './parts.ts';
import { writeRow } from '../rowImages.ts';
import { findCycle, type TopicRows } from '../topics/topics.ts';
import { type Row, type RowImage, WORDS_AND_STATE } from '../../rows/rows.ts';
import { conflict } from './conflicts.ts';

/**
 * Makes topics as they were before an entry. Those that nothing happened to since become so exactly. Others get their
 * members, parents, words and state back; their new members stay, or move to where those of a topic that goes away came
 * from, and where members changed the figures are made anew.
 */
export class TopicRestoration {
  readonly #tx: Session;
  readonly #rows: TopicRows;
  readonly #now: Instant;
  readonly #topics: readonly RowImage[];
  readonly #centroids: readonly RowImage[];
  readonly #members: readonly RowImage[];
  readonly #parents: readonly RowImage[];
  /** Topics that something happened to since; they are not made as they were but brought up to date. */
  readonly #disturbed = new Set<number>();
  /** Topics to which episodes of others came back. */
  readonly #homes = new Set<number>();
  /** Units that were given another topic since; that stands. */
  readonly #reassigned = new Set<number>();

  private constructor(tx: Session, rows: TopicRows, images: readonly RowImage[], now: Instant) {
    this.#tx = tx;
    this.#rows = rows;
    this.#now = now;
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    this.#topics = of('topic');
    this.#centroids = of('topic_centroid');
    this.#members = of('topic_member');
    this.#parents = of('topic_parent');
  }

  /** Looks at once what happened to the topics since: before units are put back, which changes them. */
  static async begin(
    tables: JournalParts,
    images: readonly RowImage[],
    now: Instant,
  ): Promise<TopicRestoration> {
    const restoration = new TopicRestoration(tables.session, tables.topics, images, now);
    await restoration.#look();
    return restoration;
  }

  async #look(): Promise<void> {
    for (const { key, after } of this.#topics) {
      const [topicId = 0] = key;
      if ((await this.#rows.get(topicId))?.changes !== after?.['changes']) this.#disturbed.add(topicId);
    }
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before && !(await this.#rows.isMember(topicId, unitId))) this.#reassigned.add(unitId);
    }
    for (const { key } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (this.#reassigned.has(unitId)) this.#disturbed.add(topicId);
    }
  }

  /** Whether the entry touched the topic and nothing else did since, so that it is made just as it was. */
  isMadeExact(topicId: number): boolean {
    return !this.#disturbed.has(topicId) && this.#topics.some(({ key }) => key[0] === topicId);
  }

  /** @throws MemoryError JOURNAL_CONFLICT */
  async restore(entryId: number): Promise<void> {
    await this.#bringStraysHome();
    await this.#restoreMembers();
    await this.#restoreParents();
    await this.#restoreRows();
    await this.#checkGraph(entryId);
  }

  /** Episodes that were given a topic which goes away now. */
  async #bringStraysHome(): Promise<void> {
    for (const { key, before } of this.#topics) {
      const [topicId = 0] = key;
      if (before) continue;
      const strays = await this.#strays(topicId);
      if (strays.length === 0) continue;
      const home = await this.#homeOf(topicId);
      if (home === undefined) {
        throw conflict(`Topic ${topicId} was given episodes since, and would go away.`, {
          topicIds: [topicId],
        });
      }
      this.#homes.add(home);
      this.#disturbed.add(home);
      for (const unitId of strays) {
        await this.#rows.displace(topicId, unitId);
        await this.#rows.place(home, unitId);
      }
    }
  }

  async #restoreMembers(): Promise<void> {
    for (const { key, before, after } of this.#members) {
      const [topicId = 0, unitId = 0] = key;
      if (after && !before) await this.#rows.displace(topicId, unitId);
      if (before && !after && !this.#reassigned.has(unitId) && (await this.#isThere(topicId))) {
        await this.#rows.place(topicId, unitId, before['weight'] as number);
      }
      if (before && after && !this.#disturbed.has(topicId))
        await writeRow(this.#tx, 'topic_member', key, before);
    }
  }

  async #restoreParents(): Promise<void> {
    for (const { key, before } of this.#parents) {
      const [topicId = 0, parentId = 0] = key;
      if (before) await this.#rows.linkTo(topicId, parentId);
      else await this.#rows.unlink(topicId, parentId);
    }
  }

  async #restoreRows(): Promise<void> {
    const centroidOf = new Map(this.#centroids.map((image) => [image.key[0], image]));
    for (const { key, before, after } of this.#topics) {
      const [topicId = 0] = key;
      if (!(await this.#isThere(topicId))) continue;
      if (!before) await this.#remove(topicId);
      else if (this.#disturbed.has(topicId)) await this.#bringUpToDate(topicId, before, after);
      else await this.#writeBack(topicId, before, centroidOf.get(topicId));
    }
  }

  async #checkGraph(entryId: number): Promise<void> {
    const cycle = await findCycle(
      this.#tx,
      this.#parents.map(({ key }) => key[0] ?? 0),
    );
    if (!cycle) return;
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT DISTINCT t.entry_id AS id FROM journal_touch t
         JOIN journal e ON e.memory_id = $1 AND e.id = t.entry_id
       WHERE t.memory_id = $1 AND t.kind = 'topic' AND t.id = ANY (?::bigint[]) AND e.id > ?
         AND e.rolled_back_at IS NULL ORDER BY 1`,
      cycle,
      entryId,
    );
    const entryIds = rows.map((row) => row.id);
    throw conflict(`Topics ${cycle.join(', ')} would lie below one another in a circle.`, {
      entryIds,
      topicIds: cycle,
    });
  }

  async #strays(topicId: number): Promise<number[]> {
    const brought = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    const rows = await this.#tx.all<{ id: number }>(
      'SELECT unit_id AS id FROM topic_member WHERE memory_id = $1 AND topic_id = ? ORDER BY 1',
      topicId,
    );
    return rows.map((row) => row.id).filter((unitId) => !brought.has(unitId));
  }

  /** The topic from which most of a new one's members came; of one without, the strongest below it that was there. */
  async #homeOf(topicId: number): Promise<number | undefined> {
    const moved = new Set(
      this.#members.flatMap(({ key, after }) => (after && key[0] === topicId ? key[1] : [])),
    );
    const origins = this.#members.flatMap(({ key, after }) =>
      !after && moved.has(key[1]) ? (key[0] ?? []) : [],
    );
    const counts = [...Map.groupBy(origins, (id) => id)].map(([id, all]) => ({ id, count: all.length }));
    counts.sort((a, b) => b.count - a.count || a.id - b.id);
    return counts[0]?.id ?? (await this.#strongestBelow(topicId));
  }

  async #strongestBelow(topicId: number): Promise<number | undefined> {
    const added = new Set(this.#topics.flatMap(({ key, before }) => (before ? [] : key)));
    const rows = await this.#tx.all<{ id: number }>(
      `SELECT t.id FROM topic_parent p JOIN topic t ON t.memory_id = $1 AND t.id = p.topic_id
       WHERE p.memory_id = $1 AND p.parent_id = ? ORDER BY t.strength DESC, t.id`,
      topicId,
    );
    return rows.map((row) => row.id).find((id) => !added.has(id));
  }

  async #isThere(topicId: number): Promise<boolean> {
    return (await this.#rows.get(topicId)) !== undefined;
  }

  async #remove(topicId: number): Promise<void> {
    await writeRow(this.#tx, 'topic_centroid', [topicId], null);
    await writeRow(this.#tx, 'topic', [topicId], null);
    await this.#rows.reindex(topicId);
  }

  async #writeBack(topicId: number, before: Row, centroid: RowImage | undefined): Promise<void> {
    await writeRow(this.#tx, 'topic', [topicId], before);
    if (centroid) await writeRow(this.#tx, 'topic_centroid', [topicId], centroid.before);
    await this.#rows.reindex(topicId);
  }

  async #bringUpToDate(topicId: number, before: Row, after: Row | null): Promise<void> {
    const changed = WORDS_AND_STATE.filter((column) => before[column] !== after?.[column]);
    for (const column of changed) {
      const sql = `UPDATE topic SET ${column} = ? WHERE memory_id = $1 AND id = ?`;
      await this.#tx.run(sql, (before[column] ?? null) as Value, topicId);
    }
    const hasOtherMembers = this.#hasOtherMembers(topicId);
    if (hasOtherMembers) await this.#rows.recompute(topicId, this.#now);
    const hasOtherParents = this.#parents.some(({ key }) => key.includes(topicId));
    if (changed.length > 0 || hasOtherMembers || hasOtherParents) {
      await this.#rows.noteRevised(topicId, this.#now);
    }
    await this.#rows.reindex(topicId);
  }

  #hasOtherMembers(topicId: number): boolean {
    return (
      this.#homes.has(topicId) ||
      this.#members.some(({ key, before, after }) => key[0] === topicId && !(before && after))
    );
  }
}
