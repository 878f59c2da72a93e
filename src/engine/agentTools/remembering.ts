/** The tool that adds to the memory. */
import { z } from 'zod';
import { defined } from '../../model/model.ts';
import { REMEMBERED_TYPES } from '../../notes/notes.ts';
import { SCOPES } from '../../model/model.ts';
import type { Remembered } from '../memory.ts';
import { agentTool, MAX_ECHO_TOKENS, shorten } from './agentTool.ts';

export const rememberTool = agentTool({
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
  async run({ memory }, { text, type, scope }): Promise<RememberAnswer> {
    const {
      outcome,
      unitId,
      uri,
      section,
      text: kept,
    } = await memory.remember(text, defined({ type, scope }));
    return {
      outcome,
      id: unitId,
      ...(uri !== null && { uri }),
      ...(section !== '' && { section }),
      text: shorten(kept, MAX_ECHO_TOKENS),
    };
  },
});

interface RememberAnswer {
  readonly outcome: Remembered['outcome'];
  readonly id: number | null;
  readonly uri?: string;
  readonly section?: string;
  readonly text: string;
}
