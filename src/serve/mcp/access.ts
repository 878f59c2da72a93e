/** The dependencies of the server for agents. */
import type { AgentMemory, Memory } from '../../engine/engine.ts';
import type { TokenScope } from '../../settings/settings.ts';
import type { Log } from '../log.ts';

export interface McpAccess {
  readonly memory: McpMemory;
  /** What the agent may do; it is offered no other tools. */
  readonly scope: TokenScope;
  readonly version: string;
  /** Writes what cannot be undone to the audit log, with its outcome. */
  readonly audit?: (action: string, outcome: string) => void;
  /** For errors that clients cannot resolve. */
  readonly log: Log;
}

/** The part of a memory that an agent's tools use. */
export type McpMemory = AgentMemory & Pick<Memory, 'add' | 'pack'>;
