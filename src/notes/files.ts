import type { NoteUnit } from './indexing/indexing.ts';
import type { Edit } from './write/write.ts';

/** The access to files of notes that remembering and finding need; `Notes` implements it. */
export interface NoteFiles {
  /** The text of a file, or null when there is none. */
  read(uri: string): Promise<string | null>;
  /** Edits a file and indexes it; `edit` may be called several times. Returns the new content. */
  edit(uri: string, edit: Edit): Promise<string | null>;
  /** The units of a file’s sections, in its order, word for word as in the file. */
  sections(uri: string): Promise<NoteUnit[]>;
  /** Replaces the text of a unit’s section, or removes it from its file (null). */
  rewrite(unitId: number, words: string | null): Promise<void>;
}
