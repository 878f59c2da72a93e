/** What the server for agents works with. */
import type { AgentMemory, Memory } from '../../engine/engine.ts';
import type { Log } from '../log.ts';

export interface McpAccess {
  readonly memory: McpMemory;
  /** Of the package. */
  readonly version: string;
  /** Told of what goes wrong that no client can do anything about. */
  readonly log: Log;
}

/** The part of a memory that an agent's tools use. */
export type McpMemory = AgentMemory & Pick<Memory, 'add' | 'pack'>;
