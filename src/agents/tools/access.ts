/** What the tools work with. */
import type { Memory } from '../../engine/engine.ts';

/** What of a memory the tools reach. */
export type AgentMemory = Pick<Memory, 'timeZone' | 'recall' | 'explore' | 'remember' | 'forget' | 'notes'>;

/** What a tool works with. */
export interface ToolAccess {
  readonly memory: AgentMemory;
  /** Of the entries of one answer together. */
  readonly budgetTokens: number;
}
