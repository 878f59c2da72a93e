/** The definition of a tool for agents. MCP and the AI SDK offer the same tools, each in its own form. */
import type { z } from 'zod';
import { countTokens, truncateToTokens } from '../../text/text.ts';
import type { Memory } from '../memory.ts';

/** The part of a memory that the tools use. */
export type AgentMemory = Pick<
  Memory,
  'timeZone' | 'recall' | 'explore' | 'remember' | 'forget' | 'units' | 'notes'
>;

export interface AgentAccess {
  readonly memory: AgentMemory;
  /** For all entries of one answer together, in tokens. */
  readonly budgetTokens: number;
}

export interface AgentTool<Input extends z.ZodObject, Output> {
  readonly name: string;
  /** For the model: when to call it, and what it returns. */
  readonly description: string;
  readonly input: Input;
  /** Whether it reads, adds, or changes what is stored. A client may ask the user before a change. */
  readonly does: 'reads' | 'adds' | 'changes';
  /** Whether calling it twice with the same input has the effect of calling it once. */
  readonly isIdempotent?: boolean;
  readonly run: (access: AgentAccess, input: z.output<Input>) => Promise<Output>;
}

/** Infers the types of a tool from its definition. */
export function agentTool<Input extends z.ZodObject, Output>(
  definition: AgentTool<Input, Output>,
): AgentTool<Input, Output> {
  return definition;
}

/** At most this much of a text that the caller knows is repeated. */
export const MAX_ECHO_TOKENS = 100;

/** The part of an answer's budget that one entry may take. */
const ENTRY_SHARE = 0.15;

export function entryBudget({ budgetTokens }: AgentAccess): number {
  return Math.floor(budgetTokens * ENTRY_SHARE);
}

/** A text, cut to the budget of one entry. */
export function shorten(text: string, maxTokens: number): string {
  if (countTokens(text) <= maxTokens) return text;
  return `${truncateToTokens(text, maxTokens - 1)}…`;
}

/** As many entries, from the first on, as fit the budget together as JSON. */
export function fitEntries<Entry>(
  entries: readonly Entry[],
  { budgetTokens }: AgentAccess,
): { shown: Entry[]; leftOut: number } {
  let tokens = 0;
  // One token for the separator.
  const end = entries.findIndex((entry) => (tokens += countTokens(JSON.stringify(entry)) + 1) > budgetTokens);
  const shown = end === -1 ? [...entries] : entries.slice(0, end);
  return { shown, leftOut: entries.length - shown.length };
}
