/** What the server for agents works with. */
import type { Instant, Memory, Scope } from '../../engine/engine.ts';
import type { Log } from '../log.ts';

export interface McpAccess {
  readonly memory: McpMemory;
  /** Null: the memory was opened without a folder of notes. */
  readonly notes: NotesAccess | null;
  /** Of the package. */
  readonly version: string;
  /** Told of what goes wrong that no client can do anything about. */
  readonly log: Log;
}

/** What of a memory an agent's tools reach. */
export type McpMemory = Pick<
  Memory,
  | 'timeZone'
  | 'recall'
  | 'explore'
  | 'pack'
  | 'remember'
  | 'ingestConversation'
  | 'getUnits'
  | 'changeUnit'
  | 'takeRightOfWay'
>;

/** The notes of a memory that may have been opened with some. */
export function notesOf(memory: Memory): NotesAccess | null {
  return (memory as Memory & { readonly notes?: NotesAccess | null }).notes ?? null;
}

export const REMEMBERED_TYPES = [
  'preference',
  'instruction',
  'entity',
  'decision',
  'pattern',
  'note',
] as const;
export type RememberedType = (typeof REMEMBERED_TYPES)[number];

/** Memory as Markdown files. `uri`: the path under its root, with slashes. */
export interface NotesAccess {
  list(): Promise<readonly NoteFileInfo[]>;
  /** @throws MemoryError NOT_FOUND, OUTSIDE_ROOT, FILE_UNREADABLE */
  read(uri: string): Promise<NoteText>;
  /** @throws MemoryError NOTE_CONFLICT when the file no longer has that hash; OUTSIDE_ROOT, READ_ONLY, DISK_FULL */
  write(uri: string, text: string, options?: { readonly expectedHash?: string }): Promise<unknown>;
  remember(
    text: string,
    options?: { readonly type?: RememberedType; readonly scope?: Scope },
  ): Promise<RememberedNote>;
  /** Appends to the file of the day. */
  journal(text: string, options?: { readonly at?: Instant }): Promise<unknown>;
  readonly tasks: {
    add(text: string, options?: { readonly due?: string }): Promise<NoteTask>;
    /** @throws MemoryError NOT_FOUND */
    done(idOrText: string): Promise<NoteTask>;
    list(options?: { readonly done?: boolean }): Promise<readonly NoteTask[]>;
  };
  find(query: string, options?: { readonly scope?: Scope; readonly maxTokens?: number }): Promise<FoundNotes>;
  /** Takes what the unit holds out of its file. @throws MemoryError NOT_FOUND */
  forget(unitId: number): Promise<unknown>;
}

export interface NoteFileInfo {
  readonly uri: string;
  readonly scope: Scope;
  /** How many units its sections are. */
  readonly sections: number;
  readonly sizeBytes: number;
  readonly modifiedAt: Instant;
}

export interface NoteText {
  readonly uri: string;
  readonly text: string;
  /** Of the whole text; names what was read when it is written again. */
  readonly hash: string;
  readonly sections: readonly { readonly unitId: number; readonly section: string }[];
}

export interface RememberedNote {
  readonly uri: string;
  readonly section: string;
  readonly unitId: number | null;
  readonly outcome: 'added' | 'reinforced';
  /** As it stands in the file. */
  readonly text: string;
}

export interface NoteTask {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
  readonly due: string | null;
}

export interface FoundNotes {
  /** Straight to a file, to the last days, or by search. */
  readonly path: 'file' | 'timeline' | 'hybrid';
  readonly results: readonly {
    readonly chunkId: number | string;
    readonly uri: string;
    readonly content: string;
    readonly memoryType: string;
    readonly section: string;
    readonly tokenCount: number;
  }[];
}
