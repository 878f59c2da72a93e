/** Tools that put something into the memory, or take it away. */
import { tool } from 'ai';
import { z } from 'zod';
import { REMEMBERED_TYPES, SCOPES } from '../../engine/engine.ts';
import type { ToolAccess } from './access.ts';
import { defined, shorten } from './answer.ts';

export const rememberTool = ({ memory }: ToolAccess) =>
  tool({
    description:
      'Keeps one thing for later conversations: a preference, a standing instruction, a person, a decision and its reason, a pattern that works. Call it when ' +
      'the user asks to remember something or says what will matter again; not for what only matters now. Write one whole sentence that stands by itself, in ' +
      'the user’s language. Saying it again does no harm.',
    inputSchema: z.strictObject({
      text: z.string().max(4_000),
      type: z.enum(REMEMBERED_TYPES).optional().describe('Default: read off the words.'),
      scope: z.enum(SCOPES).optional().describe('global: about the user; project: only this project.'),
    }),
    async execute({ text, type, scope }) {
      const { outcome, unitId, uri } = await memory.remember(text, defined({ type, scope }));
      return { outcome, id: unitId, ...(uri !== null && { uri }) };
    },
  });

export const forgetTool = ({ memory }: ToolAccess) =>
  tool({
    description:
      'Lays one thing aside so that it is no longer recalled; a note is taken out of its file. Call it only when the user asks to forget something or says it is ' +
      'wrong, with an id from recall or explore, one call each. Of a note with several items give the words of the one to forget.',
    inputSchema: z.strictObject({
      unitId: z.int().positive(),
      item: z.string().optional().describe('Of a note: one list item, as it was found.'),
    }),
    async execute({ unitId, item }) {
      const { outcome, text, sensitivity } = await memory.forget(unitId, defined({ item }));
      // Whoever guesses ids learns nothing by it.
      return { outcome, id: unitId, text: sensitivity === 'secret' ? '(a secret)' : shorten(text) };
    },
  });
