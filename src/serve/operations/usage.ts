import { z } from 'zod';
import { feedbackHistory, feedbackQueries, VERDICTS, type Feedback } from '../../settings/settings.ts';
import { memoryOperation, operation } from '../operation.ts';
import { pageAfter } from '../paging.ts';
import { pageOf, pageQuery } from '../shapes/shapes.ts';
import { JSON_LINES } from '../sse.ts';
import { requireUnit } from '../units.ts';
import { compareProfiles, summarizeRecalls } from '../usage.ts';

const DAY_MS = 86_400_000;
const count = z.int().min(0);
const days = z.int().min(1).max(90).default(30).describe('Number of past days.');
const counts = z.object({ injected: count, silent: count, empty: count });
const interval = z
  .object({ share: z.number(), low: z.number(), high: z.number() })
  .describe('A share, and the 95 % Wilson interval around it.');

const feedbackShape = z.object({
  id: z.int().positive(),
  at: z.int(),
  profile: z.string(),
  verdict: z.enum(VERDICTS),
  utterance: z.string(),
  context: z.array(z.object({ speaker: z.string(), text: z.string() })),
  unitId: z.int().positive(),
});

export const usageOperations = {
  readUsage: memoryOperation('readUsage', 'existing', {
    tag: 'memories',
    summary:
      'Returns statistics of a memory’s recalls: duration by stage, results, and a comparison of two profiles.',
    description: 'Recalls with `explain` or `count: false` are not included.',
    query: z.strictObject({ days }),
    answer: z.object({
      recalls: count,
      outcomes: counts,
      stages: z
        .array(z.object({ stage: z.string(), p50: z.number(), p95: z.number() }))
        .describe('Milliseconds; `total` is the whole recall.'),
      days: z.array(
        z.object({ date: z.string(), p50: z.number(), p95: z.number(), ...counts.shape }).describe('By UTC.'),
      ),
      profiles: z.array(
        z.object({
          profile: z.string(),
          recalls: count,
          injected: interval,
          helped: count,
          wrong: count,
          helpedShare: interval.nullable().describe('From feedback; null without any.'),
        }),
      ),
    }),
    handle({ parts, parameters: { memoryId }, query }) {
      const { usage, feedback } = parts.settings;
      const from = parts.now() - query.days * DAY_MS;
      const recalls = usage.recalls(memoryId, from);
      const verdicts = feedback.list(memoryId, { limit: 10_000 }).filter(({ at }) => at >= from);
      return { ...summarizeRecalls(recalls), profiles: compareProfiles(recalls, verdicts) };
    },
  }),

  readModelUsage: operation('readModelUsage', {
    tag: 'server',
    summary: 'Returns the use of language models by day (UTC), purpose and model.',
    access: 'operator',
    query: z.strictObject({ days }),
    answer: z.object({
      items: z.array(
        z.object({
          day: z.string(),
          purpose: z.string(),
          model: z.string(),
          calls: count,
          failed: count,
          inputTokens: count,
          outputTokens: count,
          totalMs: z.number(),
        }),
      ),
    }),
    handle({ parts, query }) {
      const from = new Date(parts.now() - query.days * DAY_MS).toISOString().slice(0, 10);
      return { items: parts.settings.usage.modelUse(from) };
    },
  }),

  giveFeedback: memoryOperation('giveFeedback', 'existing', {
    tag: 'recall',
    summary: 'Stores feedback on a recalled unit: useful or wrong.',
    description:
      'Stored with the utterance, in `settings.db`. Feedback on the same utterance and unit replaces the earlier one.',
    body: z.strictObject({
      unitId: z.int().positive().describe('The recalled unit.'),
      verdict: z.enum(VERDICTS),
      utterance: z.string().min(1).max(100_000).describe('The utterance.'),
      context: feedbackShape.shape.context.max(20).default([]).describe('The lines before the utterance.'),
      profile: z.string().min(1).max(100).default('conversation').describe('The profile that ranked it.'),
    }),
    status: 201,
    answer: feedbackShape,
    example: { unitId: 1, verdict: 'helped', utterance: 'あの旅行、また行きたいな。' },
    async handle({ parts, memory, body }) {
      await requireUnit(memory, body.unitId);
      const kept = parts.settings.feedback.add({ memoryId: memory.memoryId, ...body });
      parts.metrics.onFeedback(body.profile, body.verdict);
      return toAnswer(kept);
    },
  }),

  listFeedback: memoryOperation('listFeedback', 'existing', {
    tag: 'recall',
    summary: 'Lists feedback, newest first.',
    query: z.strictObject(pageQuery),
    answer: pageOf(feedbackShape),
    async handle({ parts, parameters: { memoryId }, query }) {
      const { items, nextCursor } = await pageAfter(
        query,
        z.int().positive(),
        async (beforeId, limit) =>
          parts.settings.feedback.list(memoryId, { limit, ...(beforeId !== undefined && { beforeId }) }),
        ({ id }) => id,
      );
      return { items: items.map(toAnswer), nextCursor };
    },
  }),

  removeFeedback: memoryOperation('removeFeedback', 'existing', {
    tag: 'recall',
    summary: 'Deletes feedback.',
    answer: null,
    handle({ parts, parameters: { memoryId, feedbackId } }) {
      parts.settings.feedback.remove(memoryId, feedbackId);
    },
  }),

  exportFeedback: memoryOperation('exportFeedback', 'existing', {
    tag: 'recall',
    summary: 'Returns the feedback as a set for `omoide eval --tune`.',
    description:
      'A set is a folder with two files: `history.jsonl`, every turn of the memory, and `queries.jsonl`, a query for each utterance ' +
      'with feedback. `omoide feedback DIR` writes both.',
    query: z.strictObject({ file: z.enum(['history', 'queries']).describe('The file to return.') }),
    answer: JSON_LINES,
    handle({ parts, memory, query, reply }) {
      reply.headers.set('content-disposition', `attachment; filename="${query.file}.jsonl"`);
      return query.file === 'history'
        ? feedbackHistory(memory)
        : feedbackQueries(memory, parts.settings.feedback);
    },
  }),
};

function toAnswer({ id, at, profile, verdict, utterance, context, unitId }: Feedback) {
  return { id, at, profile, verdict, utterance, context: [...context], unitId };
}
