import { SCOPES, type Unit } from '../../model/model.ts';
import { readNoteFile, unitJob, writeUnitIds, type NoteFileRow } from '../rows/rows.ts';
import type { NoteFile, NoteFileTable } from '../store.ts';
import type { MemoryContext } from './context.ts';
import type { Session } from './session.ts';

type Change = Parameters<NoteFileTable['apply']>[0];

export class PostgresNoteFileTable implements NoteFileTable {
  readonly #memory: MemoryContext;

  constructor(memory: MemoryContext) {
    this.#memory = memory;
  }

  async list(): Promise<NoteFile[]> {
    const sql = 'SELECT * FROM note_file WHERE memory_id = $1 ORDER BY uri';
    return (await this.#memory.ask((_, session) => session.all<NoteFileRow & object>(sql))).map(readNoteFile);
  }

  async apply({ upserts, removals, changes, unitJobKinds }: Change): Promise<Unit[]> {
    return this.#memory.write(async (tables, tx) => {
      const now = this.#memory.now();
      const saved = await tables.units.saveAll(changes, now);
      const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
      const jobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
      await tables.jobs.insert(jobs, now);
      await tx.run('DELETE FROM note_file WHERE memory_id = $1 AND uri = ANY (?::text[])', removals);
      const units = saved.map(({ unit }) => unit);
      for (const file of upserts) await put(tx, file, units);
      return units;
    });
  }
}

async function put(tx: Session, file: Change['upserts'][number], saved: readonly Unit[]): Promise<void> {
  await tx.run(
    `INSERT INTO note_file VALUES ($1, ?, ?, ?, ?, ?, ?) ON CONFLICT (memory_id, uri) DO UPDATE SET
       scope = excluded.scope, hash = excluded.hash, size_bytes = excluded.size_bytes,
       modified_at = excluded.modified_at, unit_ids = excluded.unit_ids`,
    file.uri,
    SCOPES.indexOf(file.scope),
    file.hash,
    file.sizeBytes,
    file.modifiedAt,
    writeUnitIds(file, saved),
  );
}
