import { SCOPES, type Unit } from '../../model/model.ts';
import { readNoteFile, unitJob, writeUnitIds, type NoteFileRow } from '../rows/rows.ts';
import type { NoteFile, NoteFileTable } from '../store.ts';
import type { TableParts } from './parts.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';

type Change = Parameters<NoteFileTable['apply']>[0];

export function* listNoteFiles(tx: Sql): Steps<NoteFile[]> {
  const rows = yield* tx.all<NoteFileRow>('SELECT * FROM note_file WHERE memory_id = $1 ORDER BY uri');
  return rows.map(readNoteFile);
}

/** See `NoteFileTable.apply`. */
export function* applyToNoteFiles(
  { tx, own, units: table, now }: TableParts,
  { upserts, removals, changes, unitJobKinds }: Change,
): Steps<Unit[]> {
  const at = now();
  const saved = yield* table.saveAll(changes, at);
  const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
  const jobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
  yield* settled(own.insertJobs(jobs, at));
  yield* tx.run('DELETE FROM note_file WHERE memory_id = $1 AND uri = ANY (?::text[])', removals);
  const units = saved.map(({ unit }) => unit);
  for (const file of upserts) {
    yield* tx.run(
      `INSERT INTO note_file VALUES ($1, ?, ?, ?, ?, ?, ?) ON CONFLICT (memory_id, uri) DO UPDATE SET
         scope = excluded.scope, hash = excluded.hash, size_bytes = excluded.size_bytes,
         modified_at = excluded.modified_at, unit_ids = excluded.unit_ids`,
      file.uri,
      SCOPES.indexOf(file.scope),
      file.hash,
      file.sizeBytes,
      file.modifiedAt,
      writeUnitIds(file, units),
    );
  }
  return units;
}
