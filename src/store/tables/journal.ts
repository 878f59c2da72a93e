/** The journal of reorganisations: which rows each changed, so that it can be undone. */
import { MemoryError, type Instant, type JournalEntry, type ReorganizationPlan } from '../../model/model.ts';
import {
  type EntryRow,
  formatRow,
  isArchiving,
  openEntry,
  parseNumbers,
  parseRow,
  partition,
  readEntry,
  type RowImage,
  type SavedUnit,
  touchesOf,
  unitJob,
} from '../rows/rows.ts';
import type { TopicChange, UnitChange } from '../store.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';
import type { TableParts } from './parts.ts';
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
  of_table: RowImage['table'];
  row_key: string;
  before: string | null;
  after: string | null;
}

/** Entries of the journal. Writers must hold the transaction. */
export class JournalRows {
  readonly #tables: TableParts;
  readonly #tx: Sql;

  constructor(tables: TableParts) {
    this.#tables = tables;
    this.#tx = tables.tx;
  }

  *list(page: { limit: number; beforeId?: number }): Steps<JournalEntry[]> {
    const rows = yield* this.#tx.all<EntryRow>(
      'SELECT * FROM journal WHERE memory_id = $1 AND id < ? ORDER BY id DESC LIMIT ?',
      page.beforeId ?? Number.MAX_SAFE_INTEGER,
      page.limit,
    );
    return rows.map((row) => this.#read(row));
  }

  *get(id: number): Steps<JournalEntry | undefined> {
    const row = yield* this.#tx.get<EntryRow>('SELECT * FROM journal WHERE memory_id = $1 AND id = ?', id);
    return row && this.#read(row);
  }

  *apply(change: JournalChange): Steps<JournalEntry> {
    return (yield* this.#withKey(change.key)) ?? (yield* this.#carryOut(change));
  }

  *rollback(id: number): Steps<JournalEntry> {
    yield* settled(this.#tables.own.deferReferenceChecks());
    const entry = yield* this.get(id);
    if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
    if (entry.state === 'rolled_back') {
      throw new MemoryError('JOURNAL_CONFLICT', `Entry ${id} was already rolled back.`, { entryIds: [id] });
    }
    if (yield* this.#isErased(id)) {
      throw new MemoryError(
        'JOURNAL_CONFLICT',
        `Entry ${id} cannot be undone: something that it changed was forgotten.`,
        { entryIds: [id] },
      );
    }
    const images = yield* this.#images(id);
    if (images.length === 0 && entry.topicsAdded + entry.topicsChanged + entry.unitsChanged > 0) {
      throw new MemoryError(
        'JOURNAL_CONFLICT',
        `Entry ${id} cannot be undone: what it changed is no longer kept (retention of the journal).`,
        { entryIds: [id] },
      );
    }
    const now = this.#tables.now();
    yield* rollBack(this.#tables, id, images, now);
    yield* this.#tx.run('UPDATE journal SET rolled_back_at = ? WHERE memory_id = $1 AND id = ?', now, id);
    return yield* this.#mustGet(id);
  }

  *#isErased(id: number): Steps<boolean> {
    const sql = 'SELECT 1 FROM journal WHERE memory_id = $1 AND id = ? AND erased_at IS NOT NULL';
    return (yield* this.#tx.get(sql, id)) !== undefined;
  }

  *#carryOut(change: JournalChange): Steps<JournalEntry> {
    const now = this.#tables.now();
    const saved: SavedUnit[] = [];
    const { own, recorder, topics, units } = this.#tables;
    const tx = this.#tx;
    const images = yield* recorder.record(function* () {
      const [archiving, others] = partition(change.units, isArchiving);
      // New units are saved before the units they replace are removed.
      saved.push(...(yield* units.saveAll(others, now)));
      yield* changeTopics(tx, topics, change.topics, now);
      saved.push(...(yield* units.saveAll(archiving, now)));
    });
    const id = yield* this.#keep(change, images, now);
    const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
    const kinds = change.unitJobKinds ?? [];
    const jobs = reworded.flatMap((unit) => kinds.map((kind) => unitJob(kind, unit)));
    yield* settled(own.insertJobs(jobs, now));
    return yield* this.#mustGet(id);
  }

  *#keep({ key, plan }: JournalChange, images: readonly RowImage[], now: Instant): Steps<number> {
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    const id = yield* this.#tx.insertNew('journal', {
      key,
      at: now,
      plan: this.#tx.keys.seal(JSON.stringify(plan)),
      topics_added: of('topic').filter((image) => !image.before).length,
      topics_changed: of('topic').filter((image) => image.before).length,
      units_changed: of('unit').length,
    });
    yield* this.#tx.insert(
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
    yield* this.#tx.insert('journal_touch', { kind: 'text', id: 'bigint', entry_id: 'bigint' }, touches);
    return id;
  }

  *#images(entryId: number): Steps<RowImage[]> {
    const rows = yield* this.#tx.all<ImageRow>(
      'SELECT * FROM journal_image WHERE memory_id = $1 AND entry_id = ? ORDER BY of_table, row_key',
      entryId,
    );
    return rows.map((row) => ({
      table: row.of_table,
      key: parseNumbers(row.row_key),
      before: parseRow(row.before),
      after: parseRow(row.after),
    }));
  }

  *#withKey(key: string | null): Steps<JournalEntry | undefined> {
    if (key === null) return undefined;
    const sql = 'SELECT * FROM journal WHERE memory_id = $1 AND key = ?';
    const row = yield* this.#tx.get<EntryRow>(sql, key);
    return row && this.#read(row);
  }

  #read(row: EntryRow): JournalEntry {
    return readEntry(openEntry(this.#tx.keys, row));
  }

  *#mustGet(id: number): Steps<JournalEntry> {
    const entry = yield* this.get(id);
    if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
    return entry;
  }
}
