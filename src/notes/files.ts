import type { NoteUnit } from './indexing/indexing.ts';
import type { Edit } from './write/write.ts';

/** What those who remember and find need of the files of notes; `Notes` is one. */
export interface NoteFiles {
  /** The text of a file, or null when there is none. */
  read(uri: string): Promise<string | null>;
  /** Edits a file and indexes it; the edit may be made again. Returns what the file then holds. */
  edit(uri: string, edit: Edit): Promise<string | null>;
  /** The units of a file’s sections, in its order. */
  sections(uri: string): Promise<NoteUnit[]>;
  /** Gives a unit’s section other words, or takes it out of its file (null). */
  rewrite(unitId: number, words: string | null): Promise<void>;
}
