/** Tools that only MCP offers: a whole pack, and adding many turns. */
import { z } from 'zod';
import { defined } from '../../../engine/engine.ts';
import { answer, MAX_ANSWER_TOKENS } from '../answer.ts';
import { tool } from '../tool.ts';

export const packTool = tool({
  name: 'pack',
  description:
    'A block to put before an answer: who the user is, what is open, and what was said that is relevant to the message, within a token budget. ' +
    'Call it once at the start of a conversation; for one question recall is better.',
  input: z.strictObject({
    utterance: z.string().describe('The message to answer.'),
    budgetTokens: z.int().min(100).max(MAX_ANSWER_TOKENS).optional().describe('Default 1500.'),
  }),
  does: 'reads',
  async call({ memory }, { utterance, budgetTokens }) {
    const { text } = await memory.pack(utterance, defined({ budgetTokens }));
    return answer(text || 'The memory has nothing for this yet.', 'Ask with a smaller budgetTokens.');
  },
});

export const ingestTurnsTool = tool({
  name: 'ingest_turns',
  description:
    'Stores turns of a conversation word for word, so that they can be recalled; facts are learnt from them in the background. Call it to store ' +
    'a conversation, or at the end of one that is worth keeping. To store a single thing call remember.',
  input: z.strictObject({
    conversationId: z.string(),
    turns: z
      .array(
        z.strictObject({
          speaker: z.string().describe('user, ai, or a name'),
          text: z.string(),
          occurredAt: z.string().optional().describe('ISO 8601; default now.'),
          turnIndex: z.int().min(0).optional().describe('From 0; with it a call can be repeated safely.'),
        }),
      )
      .min(1)
      .max(200),
  }),
  does: 'adds',
  async call({ memory }, { conversationId, turns }) {
    const report = await memory.add(
      turns.map(({ speaker, text, ...rest }) => ({ conversationId, speaker, text, ...defined(rest) })),
    );
    const problems = report.problems.map(({ place, code, reason }) => `${place}: ${code}: ${reason}`);
    const lines = [
      `${report.added} kept, ${report.known} known already, ${problems.length} not kept.`,
      ...problems,
    ];
    const told = answer(lines.join('\n'), '');
    return problems.length > 0 && report.added + report.known === 0 ? { ...told, isError: true } : told;
  },
});
