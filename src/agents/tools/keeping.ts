/** Tools that put something into the memory, or take it away. */
import { tool } from 'ai';
import { z } from 'zod';
import {
  MemoryError,
  REMEMBERED_TYPES,
  SCOPES,
  unitText,
  type NotesAccess,
  type RememberedType,
  type Scope,
  type Unit,
} from '../../engine/engine.ts';
import { countTokens } from '../../text/text.ts';
import type { AgentMemory, ToolAccess } from './access.ts';
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
      if (!memory.notes) return keepAsUnit(memory, text.trim(), type ?? 'note', scope ?? 'global');
      const { outcome, unitId, uri } = await memory.notes.remember(text, defined({ type, scope }));
      return { outcome, id: unitId, uri };
    },
  });

/** Of a memory without files: as a section of one would be. */
async function keepAsUnit(memory: AgentMemory, text: string, memoryType: RememberedType, scope: Scope) {
  if (text === '') throw new MemoryError('EMPTY_TEXT', 'There is nothing to remember: the text is empty.');
  const [known] = (await memory.recall(text, { kinds: ['note'], limit: 1, count: false })).hits;
  if (known?.text === text) return { outcome: 'known', id: known.unitId } as const;
  const payload = {
    uri: `remembered/${memoryType}`,
    section: '',
    memoryType,
    text,
    tokenCount: countTokens(text),
  };
  const { id } = await memory.remember({ source: 'agent', scope, content: { kind: 'note', payload } });
  return { outcome: 'added', id } as const;
}

export const forgetTool = ({ memory }: ToolAccess) =>
  tool({
    description:
      'Lays one thing aside so that it is no longer recalled; a note is taken out of its file. Call it only when the user asks to forget something or says it is ' +
      'wrong, with an id from recall or explore, one call each. Of a note with several items give the words of the one to forget.',
    inputSchema: z.strictObject({
      id: z.int().positive(),
      item: z.string().optional().describe('Of a note: one list item, as it was found.'),
    }),
    async execute({ id, item }) {
      const [unit] = await memory.getUnits([id]);
      if (!unit)
        throw new MemoryError('NOT_FOUND', `Nothing has the id ${id}: ids come from recall and explore.`);
      // Whoever guesses ids learns nothing by it.
      const text = unit.sensitivity === 'secret' ? '(a secret)' : shorten(item ?? unitText(unit));
      if (unit.state === 'archived') return { outcome: 'forgotten before', id, text } as const;
      if (memory.notes && (await isInFile(memory.notes, unit))) await forgetNote(memory.notes, unit, item);
      else await archive(memory, id);
      return { outcome: 'forgotten', id, text } as const;
    },
  });

const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

/** Never a whole section where one of several items may be meant. */
async function forgetNote(notes: NotesAccess, unit: Unit, item: string | undefined): Promise<void> {
  if (item !== undefined) return notes.forget(unit.id, { item: item.replace(ITEM, '').trim() });
  const items = unitText(unit)
    .split('\n')
    .filter((line) => ITEM.test(line));
  if (items.length > 1) {
    const known = `It holds ${items.length} items; give the one to forget as item`;
    const shown = unit.sensitivity === 'secret' ? '' : `:\n${shorten(items.join('\n'))}`;
    throw new MemoryError('INVALID_INPUT', `${known}${shown}`);
  }
  return notes.forget(unit.id);
}

async function archive(memory: AgentMemory, unitId: number): Promise<void> {
  await memory.changeUnit({
    type: 'update',
    unitId,
    set: { state: 'archived' },
    reason: 'forgotten on request',
  });
}

async function isInFile(notes: NotesAccess, unit: Unit): Promise<boolean> {
  return unit.kind === 'note' && (await notes.list()).some(({ uri }) => uri === unit.payload.uri);
}
