import { z } from 'zod';
import { defined, checkText, SENSITIVITIES, topicSchema, type Unit } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { pageAfter, pageFrom } from '../paging.ts';
import { pageOf, pageQuery, TIME, topicShape, unitQuery, unitShape } from '../shapes/shapes.ts';
import { changeAtVersion, found, parseTime, placeOf, placeSchema, readMatching, withTag } from '../units.ts';

const MAX_TITLE_LENGTH = 300;
const MAX_SUMMARY_LENGTH = 10_000;

const changeSchema = z
  .strictObject({
    title: z.string().max(MAX_TITLE_LENGTH).optional(),
    summary: z.string().max(MAX_SUMMARY_LENGTH).nullable().optional(),
    strength: topicSchema.shape.strength.optional().describe('Importance, 0 to 1.'),
    expectedVersion: z
      .int()
      .min(1)
      .optional()
      .describe('Only when the topic still has this version; otherwise 409.'),
  })
  .refine((change) => Object.keys(change).some((name) => name !== 'expectedVersion'), 'contains no change');

export const topicOperations = {
  listTopics: memoryOperation('listTopics', 'existing', {
    tag: 'topics',
    summary: 'Lists topics, the strongest first.',
    description: 'For topics about words, a person or an emotion use `explore` with the view `topic`.',
    query: z
      .strictObject({
        state: topicSchema.shape.state.optional().describe('Default: `active`.'),
        parentId: z.int().positive().optional().describe('Only subtopics of this one.'),
        isRoot: z.boolean().default(false).describe('Only topics without a parent.'),
        from: z.string().optional().describe(`With an episode at or after this time. ${TIME}`),
        to: z.string().optional().describe(`With an episode before this time. ${TIME}`),
        ...pageQuery,
      })
      .refine(({ parentId, isRoot }) => !isRoot || parentId === undefined, {
        path: ['isRoot'],
        error: 'and `parentId` cannot be combined',
      }),
    answer: pageOf(topicShape),
    problems: ['INVALID_TIME'],
    handle({ memory, query: { limit, cursor, isRoot, from, to, ...rest } }) {
      const filter = defined({
        ...rest,
        ...(isRoot && { parentId: null }),
        from: from === undefined ? undefined : parseTime(from, memory.timeZone),
        to: to === undefined ? undefined : parseTime(to, memory.timeZone),
      });
      return pageFrom({ limit, cursor }, (part) => memory.topics.list(filter, part));
    },
  }),

  readTopic: memoryOperation('readTopic', 'existing', {
    tag: 'topics',
    summary: 'Returns a topic.',
    answer: topicShape,
    handle: async ({ memory, parameters: { topicId }, reply }) =>
      withTag(reply, found((await memory.topics.get([topicId]))[0], `topic ${topicId}`)),
  }),

  changeTopic: memoryOperation('changeTopic', 'existing', {
    tag: 'topics',
    summary: 'Renames or rates a topic. A name given by a user is never replaced by a generated one.',
    headers: ['If-Match'],
    body: changeSchema,
    answer: topicShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED', 'EMPTY_TEXT', 'INVALID_TEXT'],
    example: { title: '那須塩原への旅行' },
    async handle(call) {
      const { memory, parameters, body } = call;
      const { expectedVersion, ...set } = body;
      for (const words of [set.title, set.summary]) if (typeof words === 'string') checkText(words);
      const isRenamed = set.title !== undefined || set.summary !== undefined;
      const change = defined({ ...set, ...(isRenamed && { source: 'user' }) });
      return changeAtVersion(call, expectedVersion, (expected) =>
        memory.topics.update(parameters.topicId, change, expected.expectedVersion),
      );
    },
  }),

  listTopicEpisodes: memoryOperation('listTopicEpisodes', 'existing', {
    tag: 'topics',
    summary: 'Lists the episodes of a topic, in order of time.',
    query: z.strictObject({
      withDescendants: z.boolean().default(true).describe('Also episodes of its subtopics.'),
      maxSensitivity: unitQuery.maxSensitivity,
      ...pageQuery,
    }),
    answer: pageOf(unitShape),
    async handle({ memory, parameters: { topicId }, query }) {
      found((await memory.topics.get([topicId]))[0], `topic ${topicId}`);
      const { withDescendants, maxSensitivity = 'private', ...page } = query;
      const mostSensitive = SENSITIVITIES.indexOf(maxSensitivity);
      return pageAfter(
        page,
        placeSchema,
        (after, limit) =>
          readMatching(
            async (place) =>
              memory.units.get(
                await memory.topics.membersOf(topicId, {
                  limit,
                  withDescendants,
                  ...(place && { after: place }),
                }),
              ),
            { after, limit },
            (unit): unit is Unit => SENSITIVITIES.indexOf(unit.sensitivity) <= mostSensitive,
          ),
        placeOf,
      );
    },
  }),
};
