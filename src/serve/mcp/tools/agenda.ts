/** Tools for what is to be done, and for what was done. */
import { z } from 'zod';
import { MemoryError, type Task } from '../../../engine/engine.ts';
import { oneLine } from '../../../text/text.ts';
import { answer, cutEntry, fitEntries, remark, requireNotes } from '../answer.ts';
import { tool } from '../tool.ts';

export const tasksTool = tool({
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
  async call(access, { action, task, due, withDone = false }) {
    const { tasks } = requireNotes(access);
    if (action === 'list') return listed(await tasks.list(withDone ? {} : { done: false }));
    if (task === undefined || task.trim() === '') {
      throw new MemoryError(
        'INVALID_INPUT',
        `${action} needs task: ${action === 'add' ? 'its words' : 'its id or words'}.`,
      );
    }
    if (action === 'done') return answer(`Done: ${formatTask(await tasks.done(task))}`, '');
    return answer(`Added: ${formatTask(await tasks.add(task, due === undefined ? {} : { due }))}`, '');
  },
});

function listed(tasks: readonly Task[]) {
  if (tasks.length === 0) return answer('There are no tasks.', '');
  const { shown, leftOut } = fitEntries(tasks.map(formatTask), String);
  return answer([...shown, ...remark(leftOut, 'read_note TASKS.md shows all.')].join('\n'), '');
}

function formatTask({ id, text, done, due }: Task): string {
  return `[${done ? 'x' : ' '}] ${id}: ${oneLine(cutEntry(text, 100))}${due === null ? '' : ` (due ${due})`}`;
}

export const journalTool = tool({
  name: 'journal',
  description:
    'Adds a line to today’s journal. Call it when a piece of work is finished, with what was done and what is next, so that a later session can go on.',
  input: z.strictObject({ text: z.string().min(1).max(4_000) }),
  does: 'adds',
  async call(access, { text }) {
    const { uri, text: line } = await requireNotes(access).journal(text);
    return answer(`Written into ${uri}: ${cutEntry(line, 100)}`, '');
  },
});
