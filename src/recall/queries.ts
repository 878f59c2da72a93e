import type { ContextLine } from './types.ts';

/** Number of context lines in the second query: the last three exchanges. (Companion, phase 1) */
const CONTEXT_LINES = 6;

/** The search queries: the utterance, and the context followed by the utterance. */
export function buildQueries(utterance: string, context: readonly ContextLine[]): string[] {
  const recent = context.slice(-CONTEXT_LINES).map((line) => `${line.speaker}: ${line.text}`);
  return recent.length === 0 ? [utterance] : [utterance, `${recent.join('\n')}\n---\n${utterance}`];
}
