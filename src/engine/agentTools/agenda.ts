/** Tools for the task list and the journal. They need a folder of notes. */
import { z } from 'zod';
import { defined, MemoryError } from '../../model/model.ts';
import type { NotesAccess, Task } from '../../notes/notes.ts';
import { agentTool, entryBudget, fitEntries, shorten, type AgentAccess } from './agentTool.ts';

export const tasksTool = agentTool({
  name: 'tasks',
  description:
    'The task list in TASKS.md. list shows what is open; add when the user wants something done later; done ticks one off. Call list when ' +
    'they ask what is left, or before planning.',
  input: z.strictObject({
    action: z.enum(['list', 'add', 'done']),
    task: z.string().optional().describe('add: its words. done: its id or words.'),
    due: z.string().optional().describe('add: YYYY-MM-DD.'),
    withDone: z.boolean().optional().describe('list: also those that are done.'),
  }),
  does: 'adds',
  async run(access, { action, task, due, withDone = false }) {
    const { tasks } = requireNotes(access);
    const show = ({ id, text, done, due }: Task) => ({
      id,
      text: shorten(text, entryBudget(access)),
      done,
      due,
    });
    if (action === 'list') {
      const { shown, leftOut } = fitEntries(
        (await tasks.list(withDone ? {} : { done: false })).map(show),
        access,
      );
      return { tasks: shown, leftOut };
    }
    if (task === undefined || task.trim() === '') {
      const needed = action === 'add' ? 'its words' : 'its id or words';
      throw new MemoryError('INVALID_INPUT', `${action} needs task: ${needed}.`);
    }
    const changed = action === 'done' ? await tasks.done(task) : await tasks.add(task, defined({ due }));
    return { tasks: [show(changed)], leftOut: 0 };
  },
});

export const journalTool = agentTool({
  name: 'journal',
  description:
    'Adds a line to today’s journal. Call it when a piece of work is finished, with what was done and what is next, so that a later session can go on.',
  input: z.strictObject({ text: z.string().min(1).max(4_000) }),
  does: 'adds',
  async run(access, { text }) {
    const { uri, text: line } = await requireNotes(access).journal(text);
    return { outcome: 'written' as const, uri, text: shorten(line, entryBudget(access)) };
  },
});

/** @throws MemoryError INVALID_INPUT when the memory has no notes */
export function requireNotes({ memory }: Pick<AgentAccess, 'memory'>): NotesAccess {
  if (memory.notes) return memory.notes;
  throw new MemoryError(
    'INVALID_INPUT',
    'This memory has no folder of notes, so there are no note files, tasks or journal. Tell the user if it matters to them: ' +
      '“omoide mcp --notes DIR” gives it one. remember, recall, pack and explore work without.',
  );
}
