/** Tools that put something into the memory, or take it away. */
import { z } from 'zod';
import { MemoryError, SCOPES, unitText, type Unit } from '../../../engine/engine.ts';
import { countTokens } from '../../../text/text.ts';
import { defined } from '../../defined.ts';
import { REMEMBERED_TYPES, type McpMemory, type NotesAccess, type RememberedType } from '../access.ts';
import { answer, cutEntry } from '../answer.ts';
import { tool } from '../tool.ts';

/** Of a text that is repeated to whoever gave it. */
const MOST_ECHO_TOKENS = 100;

export const rememberTool = tool({
  name: 'remember',
  description:
    'Keeps one thing for later conversations: a preference, a standing instruction, a person, a decision and its reason, a pattern that works. Call it ' +
    'when the user asks to remember something or says what will matter again; not for what only matters now. Write one whole sentence that stands by ' +
    'itself, in the user’s language. Saying it again does no harm.',
  input: z.strictObject({
    text: z.string().max(4_000),
    type: z.enum(REMEMBERED_TYPES).optional().describe('Default note.'),
    scope: z.enum(SCOPES).optional().describe('global: about the user; project: only this project.'),
  }),
  does: 'adds',
  isIdempotent: true,
  async call({ memory, notes }, { text, type = 'note', scope }) {
    if (text.trim() === '')
      throw new MemoryError('EMPTY_TEXT', 'There is nothing to remember: the text is empty.');
    if (notes === null) return answer(await keepAsUnit(memory, text, type, scope), '');
    const kept = await notes.remember(text, { type, ...defined({ scope }) });
    const place = `${kept.uri}${kept.section === '' ? '' : ` > ${kept.section}`}`;
    const id = kept.unitId === null ? '' : ` as #${kept.unitId}`;
    const words = cutEntry(kept.text, MOST_ECHO_TOKENS);
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
  return `Remembered as #${unit.id}: ${cutEntry(payload.text, MOST_ECHO_TOKENS)}`;
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
    'it is wrong, with an id from recall or explore, one call each.',
  input: z.strictObject({ unitId: z.int().positive() }),
  does: 'changes',
  isIdempotent: true,
  async call({ memory, notes }, { unitId }) {
    const [unit] = await memory.getUnits([unitId]);
    if (!unit) throw new MemoryError('NOT_FOUND', `Nothing has the id ${unitId}.`);
    const words = cutEntry(unitText(unit), MOST_ECHO_TOKENS);
    if (unit.state === 'archived') return answer(`Forgotten before: #${unitId} ${words}`, '');
    if (notes !== null && (await isInFile(notes, unit))) {
      await notes.forget(unitId);
      return answer(
        `Taken out of its file (an earlier version stays in the memory): #${unitId} ${words}`,
        '',
      );
    }
    await memory.changeUnit({
      type: 'update',
      unitId,
      set: { state: 'archived' },
      reason: 'forgotten on request',
    });
    return answer(`Archived: it stays, can be restored, and is no longer recalled: #${unitId} ${words}`, '');
  },
});

async function isInFile(notes: NotesAccess, unit: Unit): Promise<boolean> {
  if (unit.kind !== 'note') return false;
  return (await notes.list()).some(({ uri }) => uri === unit.payload.uri);
}
