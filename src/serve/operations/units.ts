import { z } from 'zod';
import {
  defined,
  KINDS,
  newUnitSchema,
  SENSITIVITIES,
  sensitiveSpanSchema,
  unitCommonSchema,
  type Unit,
} from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { pageAfter } from '../paging.ts';
import {
  anyUnitQuery,
  newUnitShape,
  notesShape,
  pageOf,
  pageQuery,
  sensitiveTurnShape,
  unitShape,
  unitVersionShape,
} from '../shapes/shapes.ts';
import { changeAtVersion, entityTag, pageOfUnits, placeSchema, requireUnit } from '../units.ts';

const versioned = {
  reason: z.string().min(1).max(500).optional().describe('The reason, stored with the version.'),
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe('Only when the unit still has this version; otherwise 409.'),
};

const changeableSchema = unitCommonSchema
  .pick({
    state: true,
    confidence: true,
    salience: true,
    sensitivity: true,
    pinned: true,
    topicTags: true,
    expiresAt: true,
    emotion: true,
  })
  .partial()
  .extend({
    content: newUnitSchema.shape.content
      .optional()
      .describe('For any unit except an episode: its whole content.'),
    notes: notesShape.optional().describe('For an episode: notes next to its text, which never changes.'),
  });

const changeSchema = z
  .strictObject({ ...changeableSchema.shape, ...versioned })
  .refine((change) => Object.keys(change).some((name) => !(name in versioned)), 'contains no change');

const maskSchema = z.strictObject({
  places: z
    .union([z.array(sensitiveSpanSchema).max(1_000), z.literal('detect')])
    .describe('All that is to be masked, none for nothing; `detect`: what the rules find.'),
  sensitivity: z.enum(SENSITIVITIES).optional().describe('Default: that of the kinds of the places.'),
  expectedVersion: versioned.expectedVersion,
});

export const unitOperations = {
  listUnits: memoryOperation('listUnits', 'existing', {
    tag: 'units',
    summary: 'Lists all units, newest first.',
    query: z.strictObject(anyUnitQuery),
    answer: pageOf(unitShape),
    problems: ['INVALID_TIME'],
    handle: ({ memory, query }) =>
      pageOfUnits(memory, query, (unit): unit is Unit => KINDS.includes(unit.kind)),
  }),

  createUnit: memoryOperation('createUnit', 'made', {
    tag: 'units',
    summary: 'Stores a fact, summary, open loop, capsule or note that you write.',
    body: newUnitShape,
    status: 201,
    answer: unitShape,
    problems: ['EMPTY_TEXT', 'TEXT_TOO_LONG', 'INVALID_TEXT'],
    example: {
      content: { kind: 'fact', payload: { subject: 'user', predicate: 'lives in', object: '京都' } },
    },
    async handle({ memory, body, parameters, reply }) {
      const unit = await memory.units.add(body);
      reply.headers.set('location', `/api/memories/${parameters.memoryId}/units/${unit.id}`);
      reply.headers.set('etag', entityTag(unit));
      return unit;
    },
  }),

  readUnit: memoryOperation('readUnit', 'existing', {
    tag: 'units',
    summary: 'Returns a unit.',
    answer: unitShape,
    async handle({ memory, parameters, reply }) {
      const unit = await requireUnit(memory, parameters.unitId);
      reply.headers.set('etag', entityTag(unit));
      return unit;
    },
  }),

  changeUnit: memoryOperation('changeUnit', 'existing', {
    tag: 'units',
    summary: 'Corrects, rates or pins a unit. Its earlier state is kept as a version.',
    headers: ['If-Match'],
    body: changeSchema,
    answer: unitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED', 'EMPTY_TEXT'],
    example: { pinned: true, reason: 'matters to me' },
    async handle({ memory, parameters, body, request, reply }) {
      const { reason = 'edited', expectedVersion, ...set } = body;
      const unit = await changeAtVersion(request.headers, expectedVersion, (expected) =>
        memory.units.update({
          unitId: parameters.unitId,
          set: defined({ ...set, notes: set.notes && defined(set.notes) }),
          reason,
          ...expected,
        }),
      );
      reply.headers.set('etag', entityTag(unit));
      return unit;
    },
  }),

  listUnitVersions: memoryOperation('listUnitVersions', 'existing', {
    tag: 'units',
    summary: 'Lists the versions of a unit, oldest first. An episode that was never changed has none.',
    answer: z.object({ items: z.array(unitVersionShape) }),
    async handle({ memory, parameters }) {
      await requireUnit(memory, parameters.unitId);
      return { items: await memory.units.versions(parameters.unitId) };
    },
  }),

  restoreUnit: memoryOperation('restoreUnit', 'existing', {
    tag: 'units',
    summary: 'Restores an earlier version of a unit, as a new version.',
    headers: ['If-Match'],
    body: z.strictObject({ version: z.int().min(1), ...versioned }),
    answer: unitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED'],
    example: { version: 1 },
    async handle({ memory, parameters, body, request, reply }) {
      const { version, reason = `restored version ${version}`, expectedVersion } = body;
      const unit = await changeAtVersion(request.headers, expectedVersion, (expected) =>
        memory.units.restore({ unitId: parameters.unitId, version, reason, ...expected }),
      );
      reply.headers.set('etag', entityTag(unit));
      return unit;
    },
  }),

  listSensitive: memoryOperation('listSensitive', 'existing', {
    tag: 'units',
    summary: 'Lists turns with personal data or secrets, word for word, with what was found and where.',
    query: z.strictObject(pageQuery),
    answer: pageOf(sensitiveTurnShape),
    handle: ({ memory, query }) =>
      pageAfter(
        query,
        placeSchema,
        (after, limit) => memory.units.sensitive({ limit, ...(after && { after }) }),
        ({ occurredAt, unitId }) => ({ occurredAt, unitId }),
      ),
  }),

  maskUnit: memoryOperation('maskUnit', 'existing', {
    tag: 'units',
    summary: 'Corrects what is masked in a turn, also in the search indexes and in what was learnt from it.',
    headers: ['If-Match'],
    body: maskSchema,
    answer: sensitiveTurnShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED'],
    example: { places: [] },
    async handle({ memory, parameters, body, request, reply }) {
      const { expectedVersion, places, sensitivity } = body;
      const turn = await changeAtVersion(request.headers, expectedVersion, (expected) =>
        memory.units.mask({ unitId: parameters.unitId, places, ...defined({ sensitivity }), ...expected }),
      );
      reply.headers.set('etag', entityTag(turn));
      return turn;
    },
  }),

  archiveUnit: memoryOperation('archiveUnit', 'existing', {
    tag: 'units',
    summary: 'Archives a unit: it is kept, but no longer recalled.',
    headers: ['If-Match'],
    body: z.strictObject(versioned).optional(),
    answer: unitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED'],
    async handle({ memory, parameters, body, request, reply }) {
      const { reason = 'archived', expectedVersion } = body ?? {};
      const unit = await changeAtVersion(request.headers, expectedVersion, (expected) =>
        memory.units.update({
          unitId: parameters.unitId,
          set: { state: 'archived' },
          reason,
          ...expected,
        }),
      );
      reply.headers.set('etag', entityTag(unit));
      return unit;
    },
  }),
};
