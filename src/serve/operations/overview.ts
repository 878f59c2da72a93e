import { z } from 'zod';
import { emotionSchema, entitySchema, internals } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { edgeShape, entityShape, planShape, topicShape, unitShape } from '../shapes/shapes.ts';

/** A picture of more entities is not readable. */
const MAX_ENTITIES = 300;
const MAX_TOPICS = 2_000;

export const overviewOperations = {
  listDays: memoryOperation('listDays', 'existing', {
    tag: 'memories',
    summary: 'Lists the days with turns, oldest first, with their number and mean emotion.',
    description: 'For a large memory they are counted again every few minutes.',
    answer: z.object({
      items: z.array(
        z.object({
          date: z.string().describe('In the memory’s time zone.'),
          turns: z.int().positive(),
          mood: emotionSchema
            .nullable()
            .describe('Mean emotion of its episodes, weighted by confidence and salience.'),
        }),
      ),
    }),
    handle: async ({ memory }) => ({ items: await internals(memory).overview.days() }),
  }),

  readTopicMap: memoryOperation('readTopicMap', 'existing', {
    tag: 'topics',
    summary:
      'Returns active topics, the strongest first, each with a position: similar topics are close together.',
    query: z.strictObject({
      limit: z.int().min(1).max(MAX_TOPICS).default(MAX_TOPICS).describe('Maximum number.'),
    }),
    answer: z.object({
      items: z.array(
        z.object({
          topic: topicShape,
          x: z.number().describe('−1 to 1.'),
          y: z.number().describe('−1 to 1.'),
        }),
      ),
    }),
    async handle({ memory, query }) {
      const placed = await internals(memory).overview.topicMap(query.limit);
      return { items: placed.map(({ topic, x, y }) => ({ topic, x, y })) };
    },
  }),

  readNeighbourhood: memoryOperation('readNeighbourhood', 'existing', {
    tag: 'entities',
    summary: 'Returns a person, place or thing with its relations up to two steps away.',
    query: z.strictObject({
      limit: z.int().min(1).max(MAX_ENTITIES).default(MAX_ENTITIES).describe('Maximum number.'),
    }),
    answer: z.object({
      entities: z.array(entityShape),
      edges: z.array(edgeShape),
      isCut: z.boolean().describe('Whether there are more.'),
    }),
    handle: ({ memory, parameters, query }) =>
      internals(memory).overview.neighbourhood(parameters.entityId, query.limit),
  }),

  splitEntity: memoryOperation('splitEntity', 'existing', {
    tag: 'entities',
    summary: 'Splits a person, place or thing: some of the units are moved to a new one.',
    body: z.strictObject({
      unitIds: z.array(z.int().positive()).min(1).max(1_000).describe('Units that mention the other one.'),
      name: z.string().trim().min(1).max(200).describe('Name of the other one.'),
      type: entitySchema.shape.type.optional().describe('Default: the type of this one.'),
    }),
    answer: entityShape,
    example: { unitIds: [3, 8], name: '田中 一郎' },
    handle: ({ memory, parameters, body: { type, ...body } }) =>
      internals(memory).overview.splitEntity({
        entityId: parameters.entityId,
        ...body,
        ...(type !== undefined && { type }),
      }),
  }),

  listDerived: memoryOperation('listDerived', 'existing', {
    tag: 'units',
    summary: 'Returns what was learnt from a unit: units based on it, the entities it names, its topics.',
    answer: z.object({
      units: z.array(unitShape),
      entities: z.array(entityShape),
      topics: z.array(topicShape),
    }),
    handle: ({ memory, parameters }) => internals(memory).overview.derivedFrom(parameters.unitId),
  }),

  describeReorganization: memoryOperation('describeReorganization', 'existing', {
    tag: 'topics',
    summary: 'Describes what a given plan would do, in words. Changes nothing.',
    body: z.strictObject({ plan: planShape }),
    answer: z.object({
      lines: z.array(z.string()).describe('In the language of the topics.'),
    }),
    example: {
      plan: {
        at: 1_772_000_000_000,
        by: 'user',
        operations: [{ type: 'merge', topicIds: [2], intoId: 1, rename: null, reason: 'the same trip' }],
        refresh: [],
      },
    },
    handle: async ({ memory, body }) => ({
      lines: await internals(memory).overview.describePlan(body.plan),
    }),
  }),
};
