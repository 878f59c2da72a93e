import { z } from 'zod';
import { LOOP_ACTIONS } from '../../companion/companion.ts';
import { payloadSchemas, type Memory, type Unit, type UnitOf } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { factPeriodShape, factShape, loopShape, pageOf, summaryShape, unitQuery } from '../shapes/shapes.ts';
import { pageOfUnits } from '../units.ts';

const summaryScope = payloadSchemas.summary.shape.scope;

/** The most jobs searched for a waiting one. */
const MAX_WAITING = 10_000;

/** Runs a summary now that was scheduled for later. */
async function runWaiting({ jobs }: Memory, key: string): Promise<void> {
  const waiting = await jobs.list({ kind: 'summarize', limit: MAX_WAITING });
  const wanted = waiting.filter((job) => job.key === key);
  await jobs.retry(wanted.filter(({ status }) => status === 'failed').map(({ id }) => id));
  await jobs.runNow(wanted.map(({ id }) => id));
}

export const derivedOperations = {
  listFacts: memoryOperation('listFacts', 'existing', {
    tag: 'derived',
    summary: 'Lists facts that are true now, and those that were, newest first.',
    query: z.strictObject({
      subject: z.string().optional().describe('The subject, exactly as stored.'),
      current: z.boolean().optional().describe('Only currently valid facts, or only past ones.'),
      ...unitQuery,
    }),
    answer: pageOf(factShape),
    problems: ['INVALID_TIME'],
    handle({ memory, parts, query: { subject, current, ...query } }) {
      const now = parts.now();
      const isWanted = (unit: Unit): unit is UnitOf<'fact'> =>
        unit.kind === 'fact' &&
        (subject === undefined || unit.payload.subject === subject) &&
        (current === undefined || (unit.payload.validTo === null || unit.payload.validTo > now) === current);
      return pageOfUnits(memory, { ...query, kinds: ['fact'] }, isWanted);
    },
  }),

  readFactHistory: memoryOperation('readFactHistory', 'existing', {
    tag: 'derived',
    summary:
      'Returns all facts with the same subject and predicate, oldest first, with the turns that state them.',
    answer: z.object({ items: z.array(factPeriodShape) }),
    handle: async ({ memory, parameters }) => ({ items: await memory.facts.history(parameters.unitId) }),
  }),

  listLoops: memoryOperation('listLoops', 'existing', {
    tag: 'derived',
    summary: 'Lists open loops, newest first.',
    query: z.strictObject({
      status: payloadSchemas.loop.shape.status.unwrap().optional().describe('Its status.'),
      ...unitQuery,
    }),
    answer: pageOf(loopShape),
    problems: ['INVALID_TIME'],
    handle({ memory, query: { status, ...query } }) {
      const isWanted = (unit: Unit): unit is UnitOf<'loop'> =>
        unit.kind === 'loop' && (status === undefined || unit.payload.status === status);
      return pageOfUnits(memory, { ...query, kinds: ['loop'] }, isWanted);
    },
  }),

  changeLoop: memoryOperation('changeLoop', 'existing', {
    tag: 'derived',
    summary: 'Closes, reopens or postpones an open loop.',
    description: 'An open loop with a due time becomes an event (`reminder`) when it is due.',
    body: z.strictObject({
      action: z
        .enum(LOOP_ACTIONS)
        .describe('`done`, `dropped` (no longer relevant), `later`, or `open` again.'),
      until: z
        .union([z.int(), z.string().min(1).max(200)])
        .optional()
        .describe('For `later`: an instant, or words (`tomorrow at 9`, 明日の朝9時); default: in an hour.'),
    }),
    answer: loopShape,
    problems: ['INVALID_TIME'],
    example: { action: 'later', until: 'tomorrow at 9' },
    handle: async ({ companion, parameters, body }) => companion.changeLoop(parameters.unitId, body),
  }),

  listSummaries: memoryOperation('listSummaries', 'existing', {
    tag: 'derived',
    summary: 'Lists summaries, newest first.',
    query: z.strictObject({
      summaryScope: summaryScope
        .optional()
        .describe('Summaries of weeks, persons, topics, or of the relationship.'),
      scopeKey: z.string().optional().describe('The week, person or topic.'),
      ...unitQuery,
    }),
    answer: pageOf(summaryShape),
    problems: ['INVALID_TIME'],
    handle({ memory, query: { summaryScope: wanted, scopeKey, ...query } }) {
      const isWanted = (unit: Unit): unit is UnitOf<'summary'> =>
        unit.kind === 'summary' &&
        (wanted === undefined || unit.payload.scope === wanted) &&
        (scopeKey === undefined || unit.payload.scopeKey === scopeKey);
      return pageOfUnits(memory, { ...query, kinds: ['summary'] }, isWanted);
    },
  }),

  requestSummary: memoryOperation('requestSummary', 'existing', {
    tag: 'derived',
    summary: 'Starts making a summary now, in the background.',
    body: z.strictObject({
      scope: summaryScope,
      scopeKey: z
        .string()
        .max(256)
        .describe('The week (`2026-W07`), person (a name, or the id of an entity) or topic (its tag).'),
    }),
    status: 202,
    answer: z.object({
      isNew: z.boolean().describe('False when the same job was already waiting; it is due now.'),
    }),
    example: { scope: 'weekly', scopeKey: '2026-W07' },
    async handle({ memory, body: { scope, scopeKey } }) {
      const key = `summarize/${scope}/${scopeKey}`;
      const job = { kind: 'summarize', key, conversationId: null, input: { scope, scopeKey } };
      const isNew = await memory.jobs.request(job);
      if (!isNew) await runWaiting(memory, key);
      return { isNew };
    },
  }),
};
