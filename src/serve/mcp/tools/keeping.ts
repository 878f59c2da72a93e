/** Tools that put something into the memory, or take it away. */
import { z } from 'zod';
import { REMEMBERED_TYPES, SCOPES } from '../../../engine/engine.ts';
import { defined } from '../../defined.ts';
import { answer, cutEntry } from '../answer.ts';
import { tool } from '../tool.ts';

/** Of a text that is repeated to whoever gave it. */
const MAX_ECHO_TOKENS = 100;

export const rememberTool = tool({
  name: 'remember',
  description:
    'Keeps one thing for later conversations: a preference, a standing instruction, a person, a decision and its reason, a pattern that works. Call it ' +
    'when the user asks to remember something or says what will matter again; not for what only matters now. Write one whole sentence that stands by ' +
    'itself, in the user’s language. Saying it again does no harm.',
  input: z.strictObject({
    text: z.string().max(4_000),
    type: z.enum(REMEMBERED_TYPES).optional().describe('Default: by the words.'),
    scope: z.enum(SCOPES).optional().describe('global: about the user; project: only this project.'),
  }),
  does: 'adds',
  isIdempotent: true,
  async call({ memory }, { text, type, scope }) {
    const kept = await memory.remember(text, defined({ type, scope }));
    const how = kept.outcome === 'added' ? 'Remembered' : 'Known already, and now better established,';
    const heading = kept.section === '' ? '' : ` > ${kept.section}`;
    const place = kept.uri === null ? '' : ` in ${kept.uri}${heading}`;
    const id = kept.unitId === null ? '' : ` as #${kept.unitId}`;
    return answer(`${how}${place}${id}: ${cutEntry(kept.text, MAX_ECHO_TOKENS)}`, '');
  },
});

export const ingestTurnsTool = tool({
  name: 'ingest_turns',
  description:
    'Keeps turns of a conversation word for word, so that they can be recalled; facts are learnt from them in the background. Call it to hand over ' +
    'a conversation, or at the end of one that is worth keeping. For a single thing to keep call remember.',
  input: z.strictObject({
    conversationId: z.string(),
    turns: z
      .array(
        z.strictObject({
          speaker: z.string().describe('user, ai, or a name'),
          text: z.string(),
          occurredAt: z.string().optional().describe('ISO 8601; default now.'),
          turnIndex: z.int().min(0).optional().describe('From 0; makes repeating a call harmless.'),
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

export const forgetTool = tool({
  name: 'forget',
  description:
    'Lays one thing aside so that it is no longer recalled; a note is taken out of its file. Call it only when the user asks to forget something or says ' +
    'it is wrong, with an id from recall or explore, one call each. For a line of a whole file without an id call edit_note.',
  input: z.strictObject({
    unitId: z.int().positive(),
    item: z
      .string()
      .optional()
      .describe('Of a note with several list items: words of the one that is meant.'),
  }),
  does: 'changes',
  isIdempotent: true,
  async call({ memory }, { unitId, item }) {
    const { outcome, text, uri, sensitivity } = await memory.forget(unitId, defined({ item }));
    // Whoever guesses ids learns nothing by it.
    const words = sensitivity === 'secret' ? '(a secret)' : cutEntry(text, MAX_ECHO_TOKENS);
    const how = {
      archived: 'Archived: it stays, can be restored, and is no longer recalled',
      removed: `Taken out of ${uri} (an earlier version stays in the memory)`,
      unchanged: 'Forgotten before',
    }[outcome];
    return answer(`${how}: #${unitId} ${words}`, '');
  },
});
