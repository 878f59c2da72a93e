/** Answers of tools: text within a budget, and errors with a code and advice. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { countTokens, truncateToTokens } from '../../text/text.ts';
import { toProblem, type ProblemCode } from '../problem.ts';
import type { McpAccess } from './access.ts';

/** For the text of one answer. Agents handle longer answers badly, and some clients reject them. */
export const MAX_ANSWER_TOKENS = 4_000;
/** Reserved for a note that something was left out. */
const REMARK_TOKENS = 60;
/** For all entries of one answer. */
export const ENTRIES_BUDGET_TOKENS = MAX_ANSWER_TOKENS - REMARK_TOKENS;

/** Text as a tool's answer. If it is too long it is cut, and `more` says how to get the rest. */
export function answer(text: string, more: string, structured?: Record<string, unknown>): CallToolResult {
  const content = [{ type: 'text' as const, text: withinBudget(text, more) }];
  return structured === undefined ? { content } : { content, structuredContent: structured };
}

/** The text, or its beginning with a note about the omitted part. */
export function withinBudget(text: string, more: string, budgetTokens = MAX_ANSWER_TOKENS): string {
  if (countTokens(text) <= budgetTokens) return text;
  const kept = truncateToTokens(text, budgetTokens - REMARK_TOKENS);
  return `${kept}\n\n[Cut here: ${text.length - kept.length} of ${text.length} characters were left out. ${more}]`;
}

/**
 * As many entries, from the first on, as fit the budget.
 * @param textOf the text of an entry
 */
export function fitEntries<Entry>(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
  budgetTokens = ENTRIES_BUDGET_TOKENS,
): { shown: Entry[]; leftOut: number } {
  let left = budgetTokens;
  const end = entries.findIndex((entry) => {
    // One token for the line break between two entries.
    left -= countTokens(textOf(entry)) + 1;
    return left < 0;
  });
  const shown = end === -1 ? [...entries] : entries.slice(0, end);
  return { shown, leftOut: entries.length - shown.length };
}

/** The last line of a list of which entries were left out; empty if none were. */
export function remark(leftOut: number, more: string): string[] {
  return leftOut === 0 ? [] : [`[${leftOut} more left out. ${more}]`];
}

/** Advice on errors, where the message does not include it. */
const ADVICE: Partial<Record<ProblemCode, string>> = {
  NOT_FOUND: 'Ids come from recall, explore, list_notes and tasks: search again.',
  NOTE_CONFLICT: 'Call read_note again and repeat the edit on what it now says, with its new hash.',
  VERSION_CONFLICT: 'Read it again, then retry.',
  TURN_CONFLICT: 'Turns never change. Leave out turnIndex, or use another conversationId.',
  OUTSIDE_ROOT: 'Name a file as list_notes does: a path such as user/preferences.md.',
  BUSY: 'Try again in a moment.',
};

/** An error as a tool's answer: its code, message and advice. An unexpected error is reported without details. */
export function failure(error: unknown, { log }: Pick<McpAccess, 'log'>, tool: string): CallToolResult {
  const problem = toProblem(error);
  if (problem.status >= 500) log(`${tool}: ${problem.code}: ${describeCause(problem)}`, 'error');
  const advice = ADVICE[problem.code];
  const text = `${problem.code}: ${problem.message}${advice === undefined ? '' : `\n${advice}`}`;
  return { content: [{ type: 'text', text: withinBudget(text, '') }], isError: true };
}

function describeCause({ message, cause }: Error): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : message;
}
