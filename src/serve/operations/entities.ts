import { z } from 'zod';
import { defined, entitySchema } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { pageFrom } from '../paging.ts';
import { invalidFields } from '../problem.ts';
import { found } from '../units.ts';
import { edgeShape, entityShape, mentionShape, pageOf, pageQuery } from '../shapes/shapes.ts';

const MAX_MENTIONS = 50;

const changeSchema = z
  .strictObject(entitySchema.pick({ name: true, type: true, aliases: true, salience: true }).partial().shape)
  .refine((set) => Object.keys(set).length > 0, 'contains no change');

export const entityOperations = {
  listEntities: memoryOperation('listEntities', 'existing', {
    tag: 'entities',
    summary: 'Lists people, places and things, the most mentioned first.',
    query: z.strictObject({
      type: entitySchema.shape.type.optional().describe('Their types.'),
      query: z.string().min(1).optional().describe('Text to search in names and aliases.'),
      ...pageQuery,
    }),
    answer: pageOf(entityShape),
    handle: ({ memory, query: { type, query, ...page } }) =>
      pageFrom(page, (part) => memory.entities.list(defined({ type, query }), part)),
  }),

  readEntity: memoryOperation('readEntity', 'existing', {
    tag: 'entities',
    summary: 'Returns a person, place or thing with its relations and the latest units that mention it.',
    answer: z.object({ entity: entityShape, edges: z.array(edgeShape), mentions: z.array(mentionShape) }),
    async handle({ memory, parameters: { entityId } }) {
      const entity = found((await memory.entities.get([entityId]))[0], `entity ${entityId}`);
      const edges = await memory.entities.edgesOf(entityId);
      return {
        entity,
        edges,
        mentions: await memory.entities.mentionsOf(entityId, { limit: MAX_MENTIONS }),
      };
    },
  }),

  changeEntity: memoryOperation('changeEntity', 'existing', {
    tag: 'entities',
    summary: 'Corrects a person, place or thing.',
    body: changeSchema,
    answer: entityShape,
    example: { name: '田中 花子', aliases: ['田中さん', 'Tanaka'] },
    handle: ({ memory, parameters, body }) => memory.entities.update(parameters.entityId, defined(body)),
  }),

  mergeEntity: memoryOperation('mergeEntity', 'existing', {
    tag: 'entities',
    summary: 'Merges a person, place or thing into another one.',
    body: z.strictObject({ into: z.int().positive().describe('The entity that remains.') }),
    answer: entityShape,
    example: { into: 2 },
    handle({ memory, parameters, body }) {
      if (body.into === parameters.entityId) {
        throw invalidFields([{ in: 'body', pointer: '/into', detail: 'is the entity itself' }]);
      }
      return memory.entities.merge(parameters.entityId, body.into);
    },
  }),
};
