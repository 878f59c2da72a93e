/** Tools for what is to be done, and for what was done: they need a folder of notes. */
import { tool } from 'ai';
import { z } from 'zod';
import { MemoryError, type NotesAccess, type Task } from '../../engine/engine.ts';
import { defined, fit, shorten } from './answer.ts';

/** @param budgetTokens of the tasks of one answer together */
export const tasksTool = ({ tasks }: NotesAccess, budgetTokens: number) =>
  tool({
    description:
      'The task list in TASKS.md. list shows what is open; add when the user wants something done later; done ticks one off. Call list when they ask what is ' +
      'left, or before planning.',
    inputSchema: z.strictObject({
      action: z.enum(['list', 'add', 'done']),
      task: z.string().optional().describe('add: its words. done: its id or words.'),
      due: z.string().optional().describe('add: YYYY-MM-DD.'),
      withDone: z.boolean().optional().describe('list: also those that are done.'),
    }),
    async execute({ action, task, due, withDone = false }) {
      if (action === 'list') {
        const listed = (await tasks.list(withDone ? {} : { done: false })).map(toEntry);
        const { shown, leftOut } = fit(listed, budgetTokens);
        return { tasks: shown, leftOut };
      }
      if (task === undefined || task.trim() === '') {
        throw new MemoryError('INVALID_INPUT', `${action} needs task: the words of the task.`);
      }
      if (action === 'done') return { tasks: [toEntry(await tasks.done(task))], leftOut: 0 };
      return { tasks: [toEntry(await tasks.add(task, defined({ due })))], leftOut: 0 };
    },
  });

function toEntry({ id, text, done, due }: Task): Pick<Task, 'id' | 'text' | 'done' | 'due'> {
  return { id, text: shorten(text), done, due };
}

export const journalTool = (notes: NotesAccess) =>
  tool({
    description:
      'Adds a line to today’s journal. Call it when a piece of work is finished, with what was done and what is next, so that a later session can go on.',
    inputSchema: z.strictObject({ text: z.string().min(1).max(4_000) }),
    async execute({ text }) {
      await notes.journal(text);
      return { outcome: 'written' } as const;
    },
  });
