import type { Scope, Unit } from '../model/model.ts';
import type { UnitChange } from './change.ts';

/** The indexed files of notes, and the state in which they were read. */
export interface NoteFileTable {
  list(): Promise<NoteFile[]>;
  /**
   * Records that files were read, with the changes of their sections, all of it or nothing. Returns the units of
   * `changes`, in order.
   */
  apply(change: {
    /** `unitIds`: for a unit that `changes` adds, the index of that change. */
    readonly upserts: readonly (Omit<NoteFile, 'unitIds'> & {
      readonly unitIds: readonly (number | { readonly change: number })[];
    })[];
    /** By `uri`. */
    readonly removals: readonly string[];
    readonly changes: readonly UnitChange[];
    /** Kinds of job to create for each unit that was added or whose text changed. */
    readonly unitJobKinds: readonly string[];
  }): Promise<Unit[]>;
}

export interface NoteFile {
  /** Path under its root, with `/`. */
  readonly uri: string;
  readonly scope: Scope;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** Modification time, milliseconds, with fraction. */
  readonly modifiedAt: number;
  /** Its sections' units, in the order of the file. */
  readonly unitIds: readonly number[];
}
