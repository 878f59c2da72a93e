/** The journal of reorganisations: which rows each changed, so that it can be undone. */
import {
  MemoryError,
  type Instant,
  type JournalEntry,
  type ReorganizationPlan,
} from '../../../model/model.ts';
import type { JournalTable, TopicChange, UnitChange } from '../../store.ts';
import type { Database } from '../database.ts';
import { insertJobs } from '../jobTable.ts';
import {
  type EntryRow,
  isArchiving,
  openEntry,
  partition,
  readEntry,
  type RowImage,
  type SavedUnit,
  touchesOf,
  unitJob,
} from '../../rows/rows.ts';
import { JournalImages } from './images.ts';
import type { JournalParts } from './parts.ts';
import { rollBack } from './rollback.ts';
import { changeTopics } from './topicChanges.ts';

interface Change {
  readonly key: string | null;
  readonly plan: ReorganizationPlan;
  readonly topics: readonly TopicChange[];
  readonly units: readonly UnitChange[];
  readonly unitJobKinds?: readonly string[];
}

export class SqliteJournalTable implements JournalTable {
  readonly #db: Database;
  readonly #parts: JournalParts;
  readonly #images: JournalImages;

  constructor(db: Database, parts: JournalParts) {
    this.#db = db;
    this.#parts = parts;
    this.#images = new JournalImages(db);
  }

  async apply(change: Change): Promise<JournalEntry> {
    return this.#db.write(() => this.#withKey(change.key) ?? this.#carryOut(change));
  }

  async list(page: { limit: number; beforeId?: number }): Promise<JournalEntry[]> {
    return this.#db
      .all<EntryRow>(
        'SELECT * FROM journal WHERE id < ? ORDER BY id DESC LIMIT +?',
        page.beforeId ?? Number.MAX_SAFE_INTEGER,
        page.limit,
      )
      .map((row) => this.#read(row));
  }

  async get(id: number): Promise<JournalEntry | null> {
    return this.#get(id) ?? null;
  }

  async rollback(id: number): Promise<JournalEntry> {
    return this.#db.write(() => {
      const entry = this.#get(id);
      if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
      if (this.#isErased(id)) {
        throw new MemoryError(
          'JOURNAL_CONFLICT',
          `Entry ${id} cannot be undone: something that it touched was forgotten.`,
          { entryIds: [id] },
        );
      }
      if (entry.state === 'rolled_back') {
        throw new MemoryError('JOURNAL_CONFLICT', `Entry ${id} was rolled back before.`, { entryIds: [id] });
      }
      const now = this.#parts.now();
      rollBack(this.#db, this.#parts, this.#images, id, now);
      this.#db.run('UPDATE journal SET rolled_back_at = ? WHERE id = ?', now, id);
      return this.#get(id) as JournalEntry;
    });
  }

  #carryOut(change: Change): JournalEntry {
    const now = this.#parts.now();
    const saved: SavedUnit[] = [];
    const images = this.#parts.recorder.record(() => {
      const [archiving, others] = partition(change.units, isArchiving);
      const save = (unit: UnitChange) => saved.push(this.#parts.units.save(unit, now));
      // New rows are written before the rows that they replace are deleted.
      others.forEach(save);
      changeTopics(this.#db, this.#parts.topics, change.topics, now);
      archiving.forEach(save);
    });
    const id = this.#keep(change, images, now);
    const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
    const kinds = change.unitJobKinds ?? [];
    insertJobs(
      this.#db,
      reworded.flatMap((unit) => kinds.map((kind) => unitJob(kind, unit))),
      now,
    );
    return this.#get(id) as JournalEntry;
  }

  #keep({ key, plan }: Change, images: readonly RowImage[], now: Instant): number {
    const of = (table: RowImage['table']) => images.filter((image) => image.table === table);
    const { id } = this.#db.run(
      `INSERT INTO journal (key, at, plan, topics_added, topics_changed, units_changed) VALUES (?, ?, ?, ?, ?, ?)`,
      key,
      now,
      this.#db.keys.seal(JSON.stringify(plan)),
      of('topic').filter((image) => !image.before).length,
      of('topic').filter((image) => image.before).length,
      of('unit').length,
    );
    this.#images.keep(id, images);
    for (const [kind, ids] of Object.entries(touchesOf(images))) {
      for (const touched of ids)
        this.#db.run('INSERT INTO journal_touch VALUES (?, ?, ?)', kind, touched, id);
    }
    return id;
  }

  #withKey(key: string | null): JournalEntry | undefined {
    if (key === null) return undefined;
    const row = this.#db.get<EntryRow>('SELECT * FROM journal WHERE key = ?', key);
    return row && this.#read(row);
  }

  #isErased(id: number): boolean {
    return this.#db.get('SELECT 1 FROM journal WHERE id = ? AND erased_at IS NOT NULL', id) !== undefined;
  }

  #read(row: EntryRow): JournalEntry {
    return readEntry(openEntry(this.#db.keys, row));
  }

  #get(id: number): JournalEntry | undefined {
    const row = this.#db.get<EntryRow>('SELECT * FROM journal WHERE id = ?', id);
    return row && this.#read(row);
  }
}
