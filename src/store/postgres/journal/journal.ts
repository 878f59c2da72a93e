/** The record of reorganisations: what each did to which rows, by which it can be undone. */
import {
  MemoryError,
  type Instant,
  type JournalEntry,
  type ReorganizationPlan,
} from '../../../model/model.ts';
import {
  formatRow,
  isArchiving,
  openEntry,
  parseRow,
  partition,
  readEntry,
  touchesOf,
  unitJob,
  type EntryRow,
  type ImagedTable,
  type RowImage,
  type SavedUnit,
} from '../../rows/rows.ts';
import type { TopicChange, UnitChange } from '../../store.ts';
import type { Session } from '../session.ts';
import type { JournalParts } from './parts.ts';
import { rollBack } from './rollback.ts';
import { changeTopics } from './topicChanges.ts';

export interface JournalChange {
  readonly key: string | null;
  readonly plan: ReorganizationPlan;
  readonly topics: readonly TopicChange[];
  readonly units: readonly UnitChange[];
  readonly unitJobKinds?: readonly string[];
}

interface ImageRow {
  of_table: string;
  row_key: string;
  before: string | null;
  after: string | null;
}

/** Entries of the journal. Callers that write hold the transaction. */
export class JournalRows {
  readonly #tables: JournalParts;
  readonly #tx: Session;

  constructor(tables: JournalParts) {
    this.#tables = tables;
    this.#tx = tables.session;
  }

  async list(page: { limit: number; beforeId?: number }): Promise<JournalEntry[]> {
    const rows = await this.#tx.all<EntryRow & object>(
      'SELECT * FROM journal WHERE memory_id = $1 AND id < ? ORDER BY id DESC LIMIT ?',
      page.beforeId ?? Number.MAX_SAFE_INTEGER,
      page.limit,
    );
    return rows.map((row) => this.#read(row));
  }

  async get(id: number): Promise<JournalEntry | undefined> {
    const row = await this.#tx.get<EntryRow & object>(
      'SELECT * FROM journal WHERE memory_id = $1 AND id = ?',
      id,
    );
    return row && this.#read(row);
  }

  async apply(change: JournalChange): Promise<JournalEntry> {
    return (await this.#withKey(change.key)) ?? this.#carryOut(change);
  }

  async rollback(id: number): Promise<JournalEntry> {
    const entry = await this.get(id);
    if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
    if (entry.state === 'rolled_back') {
      throw new MemoryError('JOURNAL_CONFLICT', `Entry ${id} was rolled back before.`, { entryIds: [id] });
    }
    if (await this.#isErased(id)) {
      throw new MemoryError(
        'JOURNAL_CONFLICT',
        `Entry ${id} cannot be undone: something that it touched was forgotten.`,
        { entryIds: [id] },
      );
    }
    const now = this.#tables.now();
    await rollBack(this.#tables, id, await this.#images(id), now);
    await this.#tx.run('UPDATE journal SET rolled_back_at = ? WHERE memory_id = $1 AND id = ?', now, id);
    return this.#mustGet(id);
  }

  async #isErased(id: number): Promise<boolean> {
    const sql = 'SELECT 1 FROM journal WHERE memory_id = $1 AND id = ? AND erased_at IS NOT NULL';
    return (await this.#tx.get(sql, id)) !== undefined;
  }

  async #carryOut(change: JournalChange): Promise<JournalEntry> {
    const now = this.#tables.now();
    const saved: SavedUnit[] = [];
    const images = await this.#tables.recorder.record(async () => {
      const [archiving, others] = partition(change.units, isArchiving);
      // What is new is there before what it replaces goes.
      saved.push(...(await this.#tables.units.saveAll(others, now)));
      await changeTopics(this.#tx, this.#tables.topics, change.topics, now);
      saved.push(...(await this.#tables.units.saveAll(archiving, now)));
    });
    const id = await this.#keep(change, images, now);
    const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
    const kinds = change.unitJobKinds ?? [];
    const jobs = reworded.flatMap((unit) => kinds.map((kind) => unitJob(kind, unit)));
    await this.#tables.jobs.insert(jobs, now);
    return this.#mustGet(id);
  }

  async #keep({ key, plan }: JournalChange, images: readonly RowImage[], now: Instant): Promise<number> {
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    const id = await this.#tx.nextIds('journal');
    await this.#tx.run(
      `INSERT INTO journal (memory_id, id, key, at, plan, topics_added, topics_changed, units_changed)
       VALUES ($1, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      key,
      now,
      this.#tx.keys.seal(JSON.stringify(plan)),
      of('topic').filter((image) => !image.before).length,
      of('topic').filter((image) => image.before).length,
      of('unit').length,
    );
    await this.#tx.insert(
      'journal_image',
      { entry_id: 'bigint', of_table: 'text', row_key: 'text', before: 'text', after: 'text' },
      images.map(({ table, key: rowKey, before, after }) => [
        id,
        table,
        JSON.stringify(rowKey),
        formatRow(before),
        formatRow(after),
      ]),
    );
    const touches = Object.entries(touchesOf(images)).flatMap(([kind, ids]) =>
      [...ids].map((touched) => [kind, touched, id]),
    );
    await this.#tx.insert('journal_touch', { kind: 'text', id: 'bigint', entry_id: 'bigint' }, touches);
    return id;
  }

  async #images(entryId: number): Promise<RowImage[]> {
    const rows = await this.#tx.all<ImageRow & object>(
      'SELECT * FROM journal_image WHERE memory_id = $1 AND entry_id = ? ORDER BY of_table, row_key',
      entryId,
    );
    return rows.map((row) => ({
      table: row.of_table as ImagedTable,
      key: JSON.parse(row.row_key) as number[],
      before: parseRow(row.before),
      after: parseRow(row.after),
    }));
  }

  async #withKey(key: string | null): Promise<JournalEntry | undefined> {
    if (key === null) return undefined;
    const sql = 'SELECT * FROM journal WHERE memory_id = $1 AND key = ?';
    const row = await this.#tx.get<EntryRow & object>(sql, key);
    return row && this.#read(row);
  }

  #read(row: EntryRow): JournalEntry {
    return readEntry(openEntry(this.#tx.keys, row));
  }

  async #mustGet(id: number): Promise<JournalEntry> {
    const entry = await this.get(id);
    if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
    return entry;
  }
}
