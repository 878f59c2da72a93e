/**
 * Memory as Markdown files that people and agents edit. The files are authoritative; their sections are units of
 * kind `note`, which are updated when any program changes the files.
 */
import { stat } from 'node:fs/promises';
import {
  errorCode,
  isMemoryError,
  MemoryError,
  withHiddenWords,
  type Instant,
  type Scope,
} from '../model/model.ts';
import type { NoteFile, Store } from '../store/store.ts';
import { decodeText, MAX_BYTES, withoutBom } from './content.ts';
import {
  appendItem,
  changeItem,
  removeChunk,
  removeItem,
  replaceChunk,
  type At,
  type NewItem,
} from './editing/editing.ts';
import { NoteIndex, type Examine, type NoteUnit, type ScanReport } from './indexing/indexing.ts';
import { memoryTypeOf } from './parse/parse.ts';
import { Places, type Roots } from './places.ts';
import { watchNotes, type Watching } from './watching.ts';
import { holdFile, Writer, type Edit } from './write/write.ts';

export type { At, NewItem } from './editing/editing.ts';
export type { Examine, NoteUnit, ScanReport, Skipped } from './indexing/indexing.ts';
export {
  createNotesAccess,
  inferType,
  REMEMBERED_TYPES,
  type AccessParts,
  type FoundNotes,
  type NoteFileInfo,
  type NotesAccess,
  type NoteText,
  type RememberedNote,
  type RememberedType,
  type RememberOptions,
  type Task,
} from './access.ts';
export type { Roots } from './places.ts';
export {
  exportNotes,
  formatLearnt,
  importNotes,
  NOTE_SOURCES,
  type ImportedFile,
  type LearntUnit,
  type NotesExport,
  type NotesImport,
  type NoteSource,
} from './transfer/transfer.ts';
export type { Edit } from './write/write.ts';

/** Files are named by their `uri`: the path under their root, with slashes (`user/preferences.md`). */
export interface Notes {
  /**
   * Updates the index from the files. Call it once at the start; a file with unchanged size and time is not read.
   */
  scan(): Promise<ScanReport>;
  /** Watches the files until closed. */
  watch(): void;
  /** The files in the index, by uri. */
  list(): Promise<NoteInfo[]>;
  /** The units of a file’s sections, in its order; empty when the file is not in the index. */
  sections(uri: string): Promise<NoteUnit[]>;
  /**
   * The text of a file as it is on the disk, or null when there is none.
   * @throws MemoryError OUTSIDE_ROOT, INVALID_INPUT, FILE_UNREADABLE
   */
  read(uri: string): Promise<string | null>;
  /**
   * Edits a file and indexes it; creates it when it is missing and deletes it when the edit returns null. Returns the
   * new content. See `Writer.edit` for what is kept and what happens when other programs write at the same time.
   * @throws MemoryError OUTSIDE_ROOT, INVALID_INPUT, NOTE_CONFLICT (details: `path`, `conflictPath`), READ_ONLY,
   * DISK_FULL, FILE_UNREADABLE, INVALID_TEXT, TEXT_TOO_LONG; or what `edit` throws
   */
  edit(uri: string, edit: Edit): Promise<string | null>;
  /** Appends a list item; see `appendItem`. Returns the unit that contains it, null when the file is not indexed. */
  append(uri: string, item: NewItem): Promise<NoteUnit | null>;
  /** Changes the text of an item, or sets whether it is done; see `changeItem`. */
  change(uri: string, at: At, change: { readonly text?: string; readonly isDone?: boolean }): Promise<void>;
  /** Removes an item; see `removeItem`. */
  remove(uri: string, at: At): Promise<void>;
  /**
   * Replaces the text of a unit’s section, or removes it from its file (null).
   * @param expected the expected current text; any other is a VERSION_CONFLICT
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, and what `edit` throws
   */
  rewrite(unitId: number, words: string | null, expected?: string): Promise<void>;
  /** Waits until written files need no more watching, and stops. */
  close(): Promise<void>;
}

/** A file in the index. */
export interface NoteInfo {
  readonly uri: string;
  readonly scope: Scope;
  /** By its name; the front matter may set another type for its sections. */
  readonly memoryType: string;
  readonly sizeBytes: number;
  /** The number of units of its sections. */
  readonly sections: number;
}

export interface NotesParts {
  readonly store: Store;
  readonly roots: Roots;
  readonly now: () => Instant;
  /** Kinds of job to create for each section that was added or reworded. */
  readonly unitJobKinds: readonly string[];
  /** Masks personal data and secrets in units; files are left as they are. Default: nothing is masked. */
  readonly examine?: Examine;
  /** Called after sections changed, with the changes. */
  readonly onChange?: (report: ScanReport) => void;
  /** Called when a change that was detected could not be indexed; it is tried again at the next change. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Opens the files under the roots, which need not exist yet. Nothing is read before `scan` or `watch`.
 * @throws MemoryError INVALID_INPUT when a root is not a folder
 */
export async function openNotes(parts: NotesParts): Promise<Notes> {
  for (const root of [parts.roots.global, parts.roots.project]) {
    const stats = root === null ? null : await stat(root).catch(() => null);
    if (stats && !stats.isDirectory()) throw new MemoryError('INVALID_INPUT', `${root} is not a folder.`);
  }
  return new OpenedNotes(parts);
}

class OpenedNotes implements Notes {
  readonly #parts: NotesParts;
  readonly #places: Places;
  readonly #index: NoteIndex;
  readonly #writer: Writer;
  readonly #uriOfWritten = new Map<string, string>();
  /** Files written after they were indexed. */
  readonly #written = new Set<string>();
  #watching: Watching | null = null;
  #isClosed = false;

  constructor(parts: NotesParts) {
    this.#parts = parts;
    this.#places = new Places(parts.roots);
    this.#index = new NoteIndex({ examine: keepContent, ...parts, places: this.#places });
    this.#writer = new Writer((path) => {
      const uri = this.#uriOfWritten.get(path);
      if (uri !== undefined) this.#written.add(uri);
    });
  }

  scan(): Promise<ScanReport> {
    return this.#index.scan();
  }

  watch(): void {
    this.#checkOpen();
    this.#watching ??= watchNotes(this.#places, (uris) => {
      const indexed = uris ? this.#index.refresh(uris) : this.#index.scan();
      indexed.catch((error: unknown) => this.#parts.onError?.(error));
    });
  }

  async list(): Promise<NoteInfo[]> {
    const files = await this.#parts.store.noteFiles.list();
    return files.map(({ uri, scope, sizeBytes, unitIds }) => {
      return { uri, scope, memoryType: memoryTypeOf(uri), sizeBytes, sections: unitIds.length };
    });
  }

  async sections(uri: string): Promise<NoteUnit[]> {
    const file = await this.#file(uri);
    const units = await this.#parts.store.units.get(file?.unitIds ?? []);
    return units.filter((unit) => unit.kind === 'note').map((unit) => withHiddenWords(unit));
  }

  async read(uri: string): Promise<string | null> {
    const path = this.#places.pathOf(uri);
    try {
      const held = holdFile(path, MAX_BYTES);
      held?.close();
      if (!held) return null;
      const text = decodeText(held.bytes);
      if (text === null) throw new MemoryError('FILE_UNREADABLE', `${uri} is not text in UTF-8.`);
      return withoutBom(text);
    } catch (error) {
      if (isMemoryError(error)) throw error;
      const why = errorCode(error) === 'EFBIG' ? 'is too large' : 'cannot be read';
      throw new MemoryError('FILE_UNREADABLE', `${uri} ${why}.`, { uri, cause: error });
    }
  }

  async edit(uri: string, edit: Edit): Promise<string | null> {
    this.#checkOpen();
    const path = this.#places.pathOf(uri);
    this.#uriOfWritten.set(path, uri);
    const text = await this.#writer.edit(path, edit);
    this.#written.delete(uri);
    await this.#index.refresh(new Set([uri]));
    return text;
  }

  async append(uri: string, item: NewItem): Promise<NoteUnit | null> {
    await this.edit(uri, (text) => appendItem(text, item));
    const words = item.text.trim().split('\n')[0]?.trim() ?? '';
    return (await this.sections(uri)).findLast(({ payload }) => payload.text.includes(words)) ?? null;
  }

  async change(
    uri: string,
    at: At,
    change: { readonly text?: string; readonly isDone?: boolean },
  ): Promise<void> {
    await this.edit(uri, (text) => changeItem(text, at, change));
  }

  async remove(uri: string, at: At): Promise<void> {
    await this.edit(uri, (text) => removeItem(text, at));
  }

  async rewrite(unitId: number, words: string | null, expected?: string): Promise<void> {
    const [unit] = await this.#parts.store.units.get([unitId]);
    if (unit?.kind !== 'note' || unit.state === 'archived') {
      throw new MemoryError('NOT_FOUND', `No section of a file has the id ${unitId}.`);
    }
    const at = withHiddenWords(unit).payload;
    const { uri, text } = at;
    if (expected !== undefined && expected !== text) {
      throw new MemoryError('VERSION_CONFLICT', 'The section was changed since it was read; read it again.', {
        unitId,
      });
    }
    await this.edit(uri, (now) => (words === null ? removeChunk(now, at) : replaceChunk(now, at, words)));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watching?.close();
    await this.#writer.settled();
    if (this.#written.size > 0) await this.#index.refresh(this.#written);
    await this.#index.settled();
  }

  async #file(uri: string): Promise<NoteFile | undefined> {
    return (await this.#parts.store.noteFiles.list()).find((file) => file.uri === uri);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new MemoryError('CLOSED');
  }
}

const keepContent: Examine = (content, before) => ({ content, sensitivity: before?.sensitivity ?? 'normal' });
