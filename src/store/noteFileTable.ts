import type { Scope, Unit } from '../model/model.ts';
import type { UnitChange } from './change.ts';

/** Which files of notes are indexed, and as what they were read. */
export interface NoteFileTable {
  list(): Promise<NoteFile[]>;
  /**
   * Notes that files were read, with what became of their sections, all of it or nothing. Returns the units of
   * `changes`, in their order.
   */
  apply(change: {
    /** `unitIds`: for a unit that `changes` adds, the place of its change in there. */
    readonly upserts: readonly (Omit<NoteFile, 'unitIds'> & {
      readonly unitIds: readonly (number | { readonly change: number })[];
    })[];
    /** By `uri`. */
    readonly removals: readonly string[];
    readonly changes: readonly UnitChange[];
    /** Kinds of job that each unit added, or changed in its words, calls for. */
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
