import { z } from 'zod';
import { defined, KINDS, newUnitSchema, unitCommonSchema, type Unit } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import {
  anyUnitQuery,
  newUnitShape,
  notesShape,
  pageOf,
  unitShape,
  unitVersionShape,
} from '../shapes/shapes.ts';
import { changeAtVersion, pageOfUnits, requireUnit, withTag } from '../units.ts';

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
      return withTag(reply, unit);
    },
  }),

  readUnit: memoryOperation('readUnit', 'existing', {
    tag: 'units',
    summary: 'Returns a unit.',
    answer: unitShape,
    handle: async ({ memory, parameters, reply }) =>
      withTag(reply, await requireUnit(memory, parameters.unitId)),
  }),

  changeUnit: memoryOperation('changeUnit', 'existing', {
    tag: 'units',
    summary: 'Corrects, rates or pins a unit. Its earlier state is kept as a version.',
    headers: ['If-Match'],
    body: changeSchema,
    answer: unitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED', 'EMPTY_TEXT'],
    example: { pinned: true, reason: 'matters to me' },
    handle(call) {
      const { memory, parameters, body } = call;
      const { reason = 'edited', expectedVersion, ...given } = body;
      const set = defined({ ...given, notes: given.notes && defined(given.notes) });
      return changeAtVersion(call, expectedVersion, (expected) =>
        memory.units.update({ unitId: parameters.unitId, set, reason, ...expected }),
      );
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
    handle(call) {
      const { version, reason = `restored version ${version}`, expectedVersion } = call.body;
      return changeAtVersion(call, expectedVersion, (expected) =>
        call.memory.units.restore({ unitId: call.parameters.unitId, version, reason, ...expected }),
      );
    },
  }),

  archiveUnit: memoryOperation('archiveUnit', 'existing', {
    tag: 'units',
    summary: 'Archives a unit: it is kept, but no longer recalled.',
    headers: ['If-Match'],
    body: z.strictObject(versioned).optional(),
    answer: unitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED'],
    handle(call) {
      const { reason = 'archived', expectedVersion } = call.body ?? {};
      const change = { unitId: call.parameters.unitId, set: { state: 'archived' }, reason } as const;
      return changeAtVersion(call, expectedVersion, (expected) =>
        call.memory.units.update({ ...change, ...expected }),
      );
    },
  }),
};
