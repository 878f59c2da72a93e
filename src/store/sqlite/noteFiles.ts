import { MemoryError, SCOPES, type Scope, type Unit } from '../../model/model.ts';
import type { NoteFile, NoteFileTable } from '../store.ts';
import { unitJob } from '../rows/rows.ts';
import type { Database } from './database.ts';
import { insertJobs } from './jobTable.ts';
import type { UnitTable } from './units.ts';

type Change = Parameters<NoteFileTable['apply']>[0];

interface FileRow {
  uri: string;
  scope: number;
  hash: string;
  size_bytes: number;
  modified_at: number;
  unit_ids: string;
}

export class SqliteNoteFileTable implements NoteFileTable {
  readonly #db: Database;
  readonly #units: UnitTable;
  readonly #now: () => number;

  constructor(db: Database, units: UnitTable, now: () => number) {
    this.#db = db;
    this.#units = units;
    this.#now = now;
  }

  async list(): Promise<NoteFile[]> {
    return this.#db.all<FileRow>('SELECT * FROM note_file ORDER BY uri').map(readFile);
  }

  async apply({ upserts, removals, changes, unitJobKinds }: Change): Promise<Unit[]> {
    return this.#db.write(() => {
      const now = this.#now();
      const saved = changes.map((change) => this.#units.save(change, now));
      const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
      insertJobs(
        this.#db,
        reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit))),
        now,
      );
      for (const uri of removals) this.#db.run('DELETE FROM note_file WHERE uri = ?', uri);
      const units = saved.map(({ unit }) => unit);
      for (const file of upserts) this.#put(file, units);
      return units;
    });
  }

  #put(file: Change['upserts'][number], saved: readonly Unit[]): void {
    const unitIds = file.unitIds.map((section) => {
      if (typeof section === 'number') return section;
      const unit = saved[section.change];
      if (!unit) throw new MemoryError('INVALID_INPUT', `There is no change ${section.change}.`);
      return unit.id;
    });
    this.#db.run(
      'INSERT OR REPLACE INTO note_file VALUES (?, ?, ?, ?, ?, ?)',
      file.uri,
      SCOPES.indexOf(file.scope),
      file.hash,
      file.sizeBytes,
      file.modifiedAt,
      JSON.stringify(unitIds),
    );
  }
}

function readFile(row: FileRow): NoteFile {
  return {
    uri: row.uri,
    scope: SCOPES[row.scope] as Scope,
    hash: row.hash,
    sizeBytes: row.size_bytes,
    modifiedAt: row.modified_at,
    unitIds: JSON.parse(row.unit_ids) as number[],
  };
}
