import { MemoryError, SCOPES, type Unit } from '../../model/model.ts';
import type { NoteFile, NoteFileTable } from '../noteFileTable.ts';
import { parseNumbers } from './columns.ts';
import type { CodeOf } from './row.ts';

type Upsert = Parameters<NoteFileTable['apply']>[0]['upserts'][number];

export interface NoteFileRow {
  uri: string;
  scope: CodeOf<typeof SCOPES>;
  hash: string;
  size_bytes: number;
  modified_at: number;
  unit_ids: string;
}

export function readNoteFile(row: NoteFileRow): NoteFile {
  return {
    uri: row.uri,
    scope: SCOPES[row.scope],
    hash: row.hash,
    sizeBytes: row.size_bytes,
    modifiedAt: row.modified_at,
    unitIds: parseNumbers(row.unit_ids),
  };
}

/**
 * The units of a file's sections, as JSON.
 * @param saved the units that the changes made, in order
 * @throws MemoryError INVALID_INPUT
 */
export function writeUnitIds(file: Upsert, saved: readonly Unit[]): string {
  const unitIds = file.unitIds.map((section) => {
    if (typeof section === 'number') return section;
    const unit = saved[section.change];
    if (!unit) throw new MemoryError('INVALID_INPUT', `There is no change ${section.change} of a section.`);
    return unit.id;
  });
  return JSON.stringify(unitIds);
}
