import { SCOPES, type Unit } from '../../model/model.ts';
import type { NoteFile, NoteFileTable } from '../store.ts';
import { readNoteFile, unitJob, writeUnitIds, type NoteFileRow } from '../rows/rows.ts';
import type { Database } from './database.ts';
import { insertJobs } from './jobTable.ts';
import type { UnitTable } from './units.ts';

type Change = Parameters<NoteFileTable['apply']>[0];

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
    return this.#db.all<NoteFileRow>('SELECT * FROM note_file ORDER BY uri').map(readNoteFile);
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
    this.#db.run(
      'INSERT OR REPLACE INTO note_file VALUES (?, ?, ?, ?, ?, ?)',
      file.uri,
      SCOPES.indexOf(file.scope),
      file.hash,
      file.sizeBytes,
      file.modifiedAt,
      writeUnitIds(file, saved),
    );
  }
}
