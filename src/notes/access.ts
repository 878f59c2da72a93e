/** Public access to the notes: the files, remembering and finding. */
import { MemoryError, type Instant, type Scope } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { hashBytes } from './content.ts';
import { removeItem } from './editing/editing.ts';
import type { NoteFiles } from './files.ts';
import { findNotes, type FindOptions, type FindParts, type FoundNotes } from './find/find.ts';
import type { NoteUnit } from './indexing/indexing.ts';
import { parseNote, type Chunk } from './parse/parse.ts';
import {
  keepJournal,
  remember,
  Tasks,
  type RememberedNote,
  type RememberOptions,
  type RememberParts,
} from './remember/remember.ts';

export type {
  Destination,
  FindOptions,
  FoundNote,
  FoundNotes,
  FoundUnit,
  SearchOptions,
} from './find/find.ts';
export {
  inferType,
  REMEMBERED_TYPES,
  type RememberedNote,
  type RememberedType,
  type RememberOptions,
  type Task,
} from './remember/remember.ts';

/** Access to the files of notes, which are named by their `uri`, such as `user/preferences.md`. */
export interface NotesAccess {
  /** The files in the index, by uri. */
  list(): Promise<NoteFileInfo[]>;
  /** @throws MemoryError NOT_FOUND, OUTSIDE_ROOT, INVALID_INPUT, FILE_UNREADABLE */
  read(uri: string): Promise<NoteText>;
  /**
   * Writes a whole file; creates it when it is missing.
   * @param options `expectedHash`: the hash when it was read; `null`: the file must not exist
   * @throws MemoryError NOTE_CONFLICT when the file has changed since, OUTSIDE_ROOT, INVALID_INPUT, READ_ONLY,
   * DISK_FULL, FILE_UNREADABLE, INVALID_TEXT, TEXT_TOO_LONG
   */
  write(uri: string, text: string, options?: { readonly expectedHash?: string | null }): Promise<NoteText>;
  /** Writes a statement with its date to the file of its type, or reinforces it if it is already there. See `remember`. */
  remember(text: string, options?: RememberOptions): Promise<RememberedNote>;
  /** Appends to the journal of the day (`journal/2026-03-01.md`), with the time. */
  journal(
    text: string,
    options?: { readonly at?: Date | string | number },
  ): Promise<Omit<RememberedNote, 'outcome'>>;
  readonly tasks: Pick<Tasks, 'add' | 'done' | 'list'>;
  /** Finds notes for a query. See `findNotes`. */
  find(query: string, options?: FindOptions): Promise<FoundNotes>;
  /**
   * Removes a section’s text from its file, or one item of it; the unit is kept as an archived version.
   * @param options `item`: the text of the list item, as in the file
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT when the section has no such item, and what editing a file throws
   */
  forget(unitId: number, options?: { readonly item?: string }): Promise<void>;
}

export interface NoteFileInfo {
  readonly uri: string;
  readonly scope: Scope;
  /** The number of units of its sections. */
  readonly sections: number;
  readonly sizeBytes: number;
  readonly modifiedAt: Instant;
}

/** A file on the disk. */
export interface NoteText {
  readonly uri: string;
  /** Without byte order mark. */
  readonly text: string;
  /** SHA-256 of the text, hex. */
  readonly hash: string;
  readonly sections: readonly NoteSection[];
}

export interface NoteSection {
  /** Null while the section is not indexed. */
  readonly unitId: number | null;
  /** Headings above it, joined by ` > `. */
  readonly section: string;
  readonly memoryType: string;
  /** The range of the text, in UTF-16 units; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface AccessParts extends Pick<FindParts, 'destinationOf' | 'search'> {
  readonly files: NoteFiles;
  readonly store: Store;
  readonly now: () => Instant;
  /** Vectors of texts, all of one model; null: texts are compared by their characters alone. */
  readonly embed: RememberParts['embed'];
  /** Called with what is to be written down. @throws MemoryError SENSITIVE_TEXT */
  readonly check?: (words: string) => void;
}

export function createNotesAccess(parts: AccessParts): NotesAccess {
  const { files, store, check = () => {} } = parts;
  const tasks = new Tasks(parts);
  return {
    tasks: {
      add: async (text, ...rest) => (check(text), tasks.add(text, ...rest)),
      done: (...given) => tasks.done(...given),
      list: (...given) => tasks.list(...given),
    },
    async list() {
      return (await store.noteFiles.list()).map(({ uri, scope, unitIds, sizeBytes, modifiedAt }) => {
        // The index stores no time for a file written just before it was read, since it could change within that time.
        const at = modifiedAt === 0 ? parts.now() : Math.floor(modifiedAt);
        return { uri, scope, sections: unitIds.length, sizeBytes, modifiedAt: at };
      });
    },
    async read(uri) {
      const text = await files.read(uri);
      if (text === null) throw new MemoryError('NOT_FOUND', `There is no file ${uri}.`, { uri });
      return toNoteText(uri, text, await files.sections(uri));
    },
    async write(uri, text, { expectedHash } = {}) {
      const written = await files.edit(uri, (before) => {
        const hash = before === null ? null : hashOf(before);
        if (expectedHash === undefined || expectedHash === hash) return text;
        throw new MemoryError('NOTE_CONFLICT', `${uri} was changed since it was read; read it again.`, {
          uri,
          hash,
        });
      });
      return toNoteText(uri, written ?? '', await files.sections(uri));
    },
    remember: async (text, options) => (check(text), remember(parts, text, options)),
    journal: async (text, options) => (check(text), keepJournal(parts, text, options)),
    find: (query, options) => findNotes(parts, query, options),
    async forget(unitId, { item } = {}) {
      if (item === undefined) return files.rewrite(unitId, null);
      const [unit] = await store.units.get([unitId]);
      if (unit?.kind !== 'note' || unit.state === 'archived')
        throw new MemoryError('NOT_FOUND', `No section of a file has the id ${unitId}.`);
      const { uri, section } = unit.payload;
      await files.edit(uri, (text) => removeItem(text, { section, text: item }));
    },
  };
}

function hashOf(text: string): string {
  return hashBytes(Buffer.from(text));
}

/** Sections by their position in the text; a unit is matched to the chunk with its heading and text. */
function toNoteText(uri: string, text: string, units: readonly NoteUnit[]): NoteText {
  const note = parseNote(text, uri);
  const keyOf = ({ section, text: words }: Pick<Chunk, 'section' | 'text'>) =>
    JSON.stringify([section, words]);
  const waiting = Map.groupBy(units, ({ payload }) => keyOf(payload));
  const sections = note.chunks.map((chunk) => ({
    unitId: waiting.get(keyOf(chunk))?.shift()?.id ?? null,
    section: chunk.section,
    memoryType: note.memoryType,
    from: chunk.range.start,
    to: chunk.range.end,
  }));
  return { uri, text, hash: hashOf(text), sections };
}
