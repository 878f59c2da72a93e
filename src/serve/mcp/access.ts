/** What the server for agents works with. */
import type { Memory, NotesAccess } from '../../engine/engine.ts';
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
  'timeZone' | 'add' | 'recall' | 'explore' | 'pack' | 'remember' | 'forget' | 'units'
>;
