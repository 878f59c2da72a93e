/** Tools that add to the memory, or take away from it. */
import { z } from 'zod';
import { defined } from '../../model/model.ts';
import { REMEMBERED_TYPES } from '../../notes/notes.ts';
import { SCOPES } from '../../model/model.ts';
import type { Forgotten, Remembered } from '../memory.ts';
import { agentTool, shorten } from './agentTool.ts';

/** At most this much of a text that the caller knows is repeated. */
const MAX_ECHO_TOKENS = 100;

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

export const forgetTool = agentTool({
  name: 'forget',
  description:
    'Archives one thing so that it is no longer recalled; a note is removed from its file. Call it only when the user asks to forget something or says ' +
    'it is wrong, with an id from recall or explore, one call each. Of a note with several items give the words of the one to forget. With forGood it is ' +
    'erased with all that was learnt from it alone and cannot be brought back: only when the user says so.',
  input: z.strictObject({
    unitId: z.int().positive(),
    item: z
      .string()
      .optional()
      .describe('Of a note with several list items: words of the one that is meant.'),
    forGood: z.boolean().optional().describe('Erases it. Not for notes.'),
  }),
  does: 'changes',
  isIdempotent: true,
  async run({ memory }, { unitId, item, forGood }): Promise<ForgetAnswer> {
    if (forGood) {
      const { counts } = await memory.forget({ unit: unitId });
      const erased = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { outcome: 'erased', id: unitId, text: `${erased} units` };
    }
    const { outcome, text, uri, sensitivity } = await memory.forget(unitId, defined({ item }));
    return {
      outcome,
      id: unitId,
      ...(uri !== null && { uri }),
      // Guessing ids must not reveal secrets.
      text: sensitivity === 'secret' ? '(a secret)' : shorten(text, MAX_ECHO_TOKENS),
    };
  },
});

interface ForgetAnswer {
  readonly outcome: Forgotten['outcome'] | 'erased';
  readonly id: number;
  readonly uri?: string;
  readonly text: string;
}
