/** Tools that put something into the memory, or take it away. */
import { z } from 'zod';
import {
  MemoryError,
  REMEMBERED_TYPES,
  SCOPES,
  unitText,
  type NotesAccess,
  type RememberedType,
  type Unit,
} from '../../../engine/engine.ts';
import { countTokens } from '../../../text/text.ts';
import { defined } from '../../defined.ts';
import type { McpMemory } from '../access.ts';
import { answer, cutEntry, fitEntries, remark } from '../answer.ts';
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
  async call({ memory, notes }, { text, type, scope }) {
    if (text.trim() === '')
      throw new MemoryError('EMPTY_TEXT', 'There is nothing to remember: the text is empty.');
    if (notes === null) return answer(await keepAsUnit(memory, text, type ?? 'note', scope), '');
    const kept = await notes.remember(text, defined({ type, scope }));
    const place = `${kept.uri}${kept.section === '' ? '' : ` > ${kept.section}`}`;
    const id = kept.unitId === null ? '' : ` as #${kept.unitId}`;
    const words = cutEntry(kept.text, MAX_ECHO_TOKENS);
    if (kept.outcome === 'added') return answer(`Remembered in ${place}${id}: ${words}`, '');
    return answer(`Known already, and now better established, in ${place}${id}: ${words}`, '');
  },
});

/** Of a memory without files: a unit as a section of one would be. */
async function keepAsUnit(
  memory: McpMemory,
  text: string,
  type: RememberedType,
  scope: (typeof SCOPES)[number] = 'global',
): Promise<string> {
  const known = (await memory.recall(text, { kinds: ['note'], limit: 1, count: false })).hits[0];
  if (known?.text === text.trim()) return `Known already, as #${known.unitId}.`;
  const payload = {
    uri: `remembered/${type}`,
    section: '',
    memoryType: type,
    text: text.trim(),
    tokenCount: countTokens(text.trim()),
  };
  const unit = await memory.remember({ source: 'mcp', scope, content: { kind: 'note', payload } });
  return `Remembered as #${unit.id}: ${cutEntry(payload.text, MAX_ECHO_TOKENS)}`;
}

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
    const report = await memory.ingestConversation(
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
  async call({ memory, notes }, { unitId, item }) {
    const [unit] = await memory.getUnits([unitId]);
    if (!unit) throw new MemoryError('NOT_FOUND', `Nothing has the id ${unitId}.`);
    const words = unit.sensitivity === 'secret' ? '(a secret)' : cutEntry(unitText(unit), MAX_ECHO_TOKENS);
    if (unit.state === 'archived') return answer(`Forgotten before: #${unitId} ${words}`, '');
    if (notes !== null && unit.kind === 'note' && (await isInFile(notes, unit)))
      return forgetNote(notes, unit, item);
    if (item !== undefined)
      throw new MemoryError('INVALID_INPUT', `#${unitId} has no items; leave out item.`);
    await memory.changeUnit({
      type: 'update',
      unitId,
      set: { state: 'archived' },
      reason: 'forgotten on request',
    });
    return answer(`Archived: it stays, can be restored, and is no longer recalled: #${unitId} ${words}`, '');
  },
});

type NoteUnit = Extract<Unit, { kind: 'note' }>;

async function isInFile(notes: NotesAccess, { payload }: NoteUnit): Promise<boolean> {
  return (await notes.list()).some(({ uri }) => uri === payload.uri);
}

/** A section holds many things, of which one is meant: it goes as a whole only when it has no more than one item. */
async function forgetNote(notes: NotesAccess, { id, payload, sensitivity }: NoteUnit, meant?: string) {
  const items = itemsOf(payload.text);
  const show = (words: string) =>
    sensitivity === 'secret' ? '(a secret)' : cutEntry(words, MAX_ECHO_TOKENS);
  if (meant === undefined && items.length > 1) {
    const { shown, leftOut } = fitEntries(
      items.map((words) => `- ${show(words)}`),
      String,
    );
    const asked = `INVALID_INPUT: #${id} holds ${items.length} items; name one as item, in its words:`;
    return {
      ...answer([asked, ...shown, ...remark(leftOut, 'read_note shows all.')].join('\n'), ''),
      isError: true,
    };
  }
  const item = meant === undefined ? undefined : findItem(items, meant);
  await notes.forget(id, defined({ item }));
  const place = `${payload.uri} (an earlier version stays in the memory)`;
  return answer(`Taken out of ${place}: #${id} ${show(item ?? payload.text)}`, '');
}

/** The words of the list items, at any depth: from a mark up to the next. */
function itemsOf(text: string): string[] {
  const [, ...items] = text.split(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/m);
  return items.map((item) => item.trim().replaceAll(/[ \t]*\n[ \t]*/g, '\n'));
}

function findItem(items: readonly string[], meant: string): string {
  const words = meant.trim();
  const exact = items.filter((item) => item === words);
  const found = exact.length > 0 ? exact : items.filter((item) => words !== '' && item.includes(words));
  const [only] = found;
  if (only === undefined) throw new MemoryError('NOT_FOUND', `The note has no item “${meant}”.`);
  if (found.length === 1) return only;
  throw new MemoryError('INVALID_INPUT', `${found.length} items hold “${meant}”; give more of its words.`);
}
