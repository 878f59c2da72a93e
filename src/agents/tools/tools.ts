/** Memory tools for models, in the AI SDK's form. */
import type { Tool } from 'ai';
import type { z } from 'zod';
import {
  exploreTool,
  forgetTool,
  journalTool,
  MemoryError,
  recallTool,
  rememberTool,
  tasksTool,
  type AgentAccess,
  type AgentMemory,
  type AgentTool,
  type NotesAccess,
} from '../../engine/engine.ts';

export type { AgentMemory, Found } from '../../engine/engine.ts';

const DEFAULT_BUDGET_TOKENS = 2_000;

/** A smaller budget has no room for one long entry. */
const MIN_BUDGET_TOKENS = 500;

export interface MemoryToolsOptions {
  /** Most tokens of one tool answer: 500 or more; default 2,000. */
  readonly budgetTokens?: number;
}

type AiTool<Definition> =
  Definition extends AgentTool<infer Input, infer Output> ? Tool<z.output<Input>, Output> : never;

// Types and not interfaces, since only types are assignable to the AI SDK’s ToolSet.
export type MemoryTools = {
  readonly recall: AiTool<typeof recallTool>;
  readonly explore: AiTool<typeof exploreTool>;
  readonly remember: AiTool<typeof rememberTool>;
  readonly forget: AiTool<typeof forgetTool>;
};

/** The tools that need a folder of notes. */
export type NoteTools = {
  readonly tasks: AiTool<typeof tasksTool>;
  readonly journal: AiTool<typeof journalTool>;
};

/**
 * For `tools` of `generateText`, `streamText` and agents. If the memory has a folder of notes, `tasks` and
 * `journal` are included. Errors are thrown as MemoryErrors, which the AI SDK reports to the model.
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
    recall: toAiTool(access, recallTool),
    explore: toAiTool(access, exploreTool),
    remember: toAiTool(access, rememberTool),
    forget: toAiTool(access, forgetTool),
    ...(memory.notes && { tasks: toAiTool(access, tasksTool), journal: toAiTool(access, journalTool) }),
  };
}

/** A cast, since `Tool` is a conditional type, which TypeScript cannot resolve for a type parameter. */
function toAiTool<Input extends z.ZodObject, Output>(
  access: AgentAccess,
  { description, input, run }: AgentTool<Input, Output>,
): Tool<z.output<Input>, Output> {
  const execute = (given: z.output<Input>) => run(access, given);
  return { description, inputSchema: input, execute } as unknown as Tool<z.output<Input>, Output>;
}
