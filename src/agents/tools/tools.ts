/** Tools by which a model uses a memory when it sees fit. */
import { MemoryError, type NotesAccess } from '../../engine/engine.ts';
import type { AgentMemory } from './access.ts';
import { journalTool, tasksTool } from './agenda.ts';
import { exploreTool, recallTool } from './finding.ts';
import { forgetTool, rememberTool } from './keeping.ts';

export type { AgentMemory } from './access.ts';
export type { Found } from './finding.ts';

const DEFAULT_BUDGET_TOKENS = 2_000;

/** Less leaves no room for one long entry. */
const MIN_BUDGET_TOKENS = 500;

export interface MemoryToolsOptions {
  /** Most tokens of what is found, in one answer of a tool: 500 or more; default 2,000. */
  readonly budgetTokens?: number;
}

// Types and not interfaces: only those pass for the AI SDK’s ToolSet.
export type MemoryTools = {
  readonly recall: ReturnType<typeof recallTool>;
  readonly explore: ReturnType<typeof exploreTool>;
  readonly remember: ReturnType<typeof rememberTool>;
  readonly forget: ReturnType<typeof forgetTool>;
};

/** Those that need a folder of notes. */
export type NoteTools = {
  readonly tasks: ReturnType<typeof tasksTool>;
  readonly journal: ReturnType<typeof journalTool>;
};

/**
 * For `tools` of `generateText`, `streamText` and agents. Where the memory has a folder of notes, `tasks` and `journal`
 * are among them. What goes wrong is thrown as a MemoryError, which the AI SDK tells the model.
 * @throws MemoryError INVALID_INPUT
 */
export function memoryTools(
  memory: AgentMemory & { readonly notes: NotesAccess },
  options?: MemoryToolsOptions,
): MemoryTools & NoteTools;
export function memoryTools(memory: AgentMemory, options?: MemoryToolsOptions): MemoryTools;
export function memoryTools(
  memory: AgentMemory,
  { budgetTokens = DEFAULT_BUDGET_TOKENS }: MemoryToolsOptions = {},
): MemoryTools {
  if (!(budgetTokens >= MIN_BUDGET_TOKENS)) {
    throw new MemoryError('INVALID_INPUT', `budgetTokens must be ${MIN_BUDGET_TOKENS} or more.`);
  }
  const access = { memory, budgetTokens };
  return {
    recall: recallTool(access),
    explore: exploreTool(access),
    remember: rememberTool(access),
    forget: forgetTool(access),
    ...(memory.notes && {
      tasks: tasksTool(memory.notes, budgetTokens),
      journal: journalTool(memory.notes),
    }),
  };
}
