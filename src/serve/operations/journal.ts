import { z } from 'zod';
import { defined } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { pageAfter } from '../paging.ts';
import { journalEntryShape, pageOf, pageQuery, planShape } from '../shapes/shapes.ts';
import { found } from '../units.ts';

export const journalOperations = {
  planReorganization: memoryOperation('planReorganization', 'existing', {
    tag: 'topics',
    summary: 'Plans a reorganisation. Changes nothing.',
    answer: z.object({
      plan: planShape,
      lines: z.array(z.string()).describe('The plan as text, in the language of the topics.'),
    }),
    problems: ['MODEL_FAILED'],
    handle: ({ memory }) => memory.journal.plan(),
  }),

  reorganize: memoryOperation('reorganize', 'existing', {
    tag: 'topics',
    summary: 'Reorganises topics, and records how to undo it.',
    body: z
      .strictObject({
        plan: planShape.optional().describe('A plan from `planReorganization`; default: a new plan.'),
      })
      .optional(),
    status: 201,
    answer: journalEntryShape,
    problems: ['VERSION_CONFLICT', 'MODEL_FAILED'],
    example: {},
    async handle({ memory, body, parameters, reply }) {
      const entry = await memory.journal.reorganize(body?.plan);
      reply.headers.set('location', `/api/memories/${parameters.memoryId}/journal/${entry.id}`);
      return entry;
    },
  }),

  listJournal: memoryOperation('listJournal', 'existing', {
    tag: 'topics',
    summary: 'Lists the reorganisations, newest first.',
    query: z.strictObject(pageQuery),
    answer: pageOf(journalEntryShape),
    handle: ({ memory, query }) =>
      pageAfter(
        query,
        z.int().positive(),
        (beforeId, limit) => memory.journal.list({ limit, ...defined({ beforeId }) }),
        (entry) => entry.id,
      ),
  }),

  readJournalEntry: memoryOperation('readJournalEntry', 'existing', {
    tag: 'topics',
    summary: 'Returns one reorganisation.',
    answer: journalEntryShape,
    handle: async ({ memory, parameters: { entryId } }) =>
      found(await memory.journal.get(entryId), `entry ${entryId} in the journal`),
  }),

  rollback: memoryOperation('rollback', 'existing', {
    tag: 'topics',
    summary: 'Undoes a reorganisation exactly.',
    answer: journalEntryShape,
    problems: ['JOURNAL_CONFLICT'],
    handle: ({ memory, parameters }) => memory.journal.rollback(parameters.entryId),
  }),
};
