import type { ContextLine } from './types.ts';

/** Lines of context that go into the second query: the last three exchanges. (Companion, phase 1) */
const CONTEXT_LINES = 6;

/** The searches' words: the utterance, and the utterance after what was said just before. */
export function buildQueries(utterance: string, context: readonly ContextLine[]): string[] {
  const recent = context.slice(-CONTEXT_LINES).map((line) => `${line.speaker}: ${line.text}`);
  return recent.length === 0 ? [utterance] : [utterance, `${recent.join('\n')}\n---\n${utterance}`];
}
