import { z } from 'zod';
import {
  defined,
  describeSensitive,
  internals,
  SENSITIVE_KINDS,
  SENSITIVE_POLICIES,
  SENSITIVITIES,
  sensitiveSpanSchema,
  type Memory,
  type Sensitivity,
  type SensitiveUnit,
} from '../../engine/engine.ts';
import { MASK, maskText } from '../../model/model.ts';
import type { Caller } from '../auth.ts';
import { memoryOperation } from '../operation.ts';
import { pageAfter } from '../paging.ts';
import type { ServerParts } from '../parts.ts';
import { checkScope } from '../scopes.ts';
import { pageOf, pageQuery, sensitiveUnitShape } from '../shapes/shapes.ts';
import { changeAtVersion, placeSchema, requireUnit, withTag } from '../units.ts';

const POLICY =
  '`mask`: what is found is masked; `mark`: turns only become `private` or `secret`; `refuse`: they are rejected; `off`: nothing is looked for.';

const policySchema = z.enum(SENSITIVE_POLICIES);
const policyShape = z.object({
  policy: policySchema.describe(`What happens to what is added now. ${POLICY}`),
  own: policySchema.nullable().describe('The memory’s own choice; null: it follows the server.'),
});

const maskSchema = z.strictObject({
  places: z
    .union([z.array(sensitiveSpanSchema).max(1_000), z.literal('detect')])
    .describe('All that is to be masked, none for nothing; `detect`: what the rules find.'),
  sensitivity: z.enum(SENSITIVITIES).optional().describe('Default: that of the kinds of the places.'),
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe('Only when the unit still has this version; otherwise 409.'),
});

const shownQuery = {
  maxSensitivity: z
    .enum(SENSITIVITIES)
    .optional()
    .describe(
      'Units up to this level are shown word for word, which requires a token that may manage; default: all are masked.',
    ),
};

export const sensitiveOperations = {
  readSensitivePolicy: memoryOperation('readSensitivePolicy', 'existing', {
    tag: 'units',
    summary: 'Returns what happens to personal data and secrets that are added to the memory.',
    answer: policyShape,
    handle: ({ memory, parts }) => policyOf(memory, parts),
  }),

  changeSensitivePolicy: memoryOperation('changeSensitivePolicy', 'existing', {
    tag: 'units',
    summary: 'Chooses what happens to personal data and secrets that are added to the memory from now on.',
    description: 'It is kept with the settings, and takes precedence over the choice of the server.',
    body: z.strictObject({
      policy: policySchema.nullable().describe(`${POLICY} Null: as the server has it.`),
    }),
    answer: policyShape,
    example: { policy: 'refuse' },
    async handle({ memory, body, parts: server }) {
      const { sensitive: _, ...others } = server.settings.get().memories[memory.memoryId] ?? {};
      const own = { ...others, ...(body.policy !== null && { sensitive: body.policy }) };
      const isEmpty = Object.keys(own).length === 0;
      await server.settings.change({ memories: { [memory.memoryId]: isEmpty ? null : own } });
      return policyOf(memory, server);
    },
  }),

  listSensitive: memoryOperation('listSensitive', 'existing', {
    tag: 'units',
    summary:
      'Lists turns, notes and other units with personal data or secrets, newest first, with what was found and where. What was found is masked unless it is asked for.',
    query: z.strictObject({
      found: z.enum(SENSITIVE_KINDS).optional().describe('Only units in which this was found.'),
      level: z.enum(['private', 'secret']).optional().describe('Only units of this sensitivity.'),
      ...shownQuery,
      ...pageQuery,
    }),
    answer: pageOf(sensitiveUnitShape),
    async handle({ memory, query, caller }) {
      const { found, level, maxSensitivity } = query;
      checkMayShow(caller, maxSensitivity);
      const page = await pageAfter(
        query,
        placeSchema,
        (after, limit) => memory.units.sensitive({ limit, ...defined({ after, found, level }) }),
        ({ occurredAt, unitId }) => ({ occurredAt, unitId }),
      );
      return { ...page, items: page.items.map((unit) => showUpTo(maxSensitivity, unit)) };
    },
  }),

  readMasks: memoryOperation('readMasks', 'existing', {
    tag: 'units',
    summary:
      'Returns what is masked in a turn or another unit. The words are masked unless they are asked for.',
    query: z.strictObject(shownQuery),
    answer: sensitiveUnitShape,
    async handle({ memory, parameters, query, caller, reply }) {
      checkMayShow(caller, query.maxSensitivity);
      const unit = describeSensitive(await requireUnit(memory, parameters.unitId));
      return withTag(reply, showUpTo(query.maxSensitivity, unit));
    },
  }),

  maskUnit: memoryOperation('maskUnit', 'existing', {
    tag: 'units',
    summary:
      'Corrects what is masked in a turn or another unit, also in the search indexes and in what was learnt from it.',
    headers: ['If-Match'],
    body: maskSchema,
    answer: sensitiveUnitShape,
    problems: ['VERSION_CONFLICT', 'PRECONDITION_FAILED'],
    example: { places: [] },
    handle(call) {
      const { expectedVersion, places, sensitivity } = call.body;
      const mask = { unitId: call.parameters.unitId, places, ...defined({ sensitivity }) };
      return changeAtVersion(call, expectedVersion, async (expected) => ({
        ...(await call.memory.units.mask({ ...mask, ...expected })),
        isShown: true,
      }));
    },
  }),
};

function policyOf(memory: Memory, { settings }: ServerParts): z.output<typeof policyShape> {
  return {
    policy: internals(memory).sensitivePolicy,
    own: settings.get().memories[memory.memoryId]?.sensitive ?? null,
  };
}

/** @throws Problem FORBIDDEN */
function checkMayShow(caller: Caller | null, maxSensitivity: Sensitivity | undefined): void {
  if (maxSensitivity !== undefined && maxSensitivity !== 'normal') checkScope(caller, 'manage');
}

/** The text of a unit above the level is masked where something was found; if nothing was found, none of its text is returned. */
function showUpTo(maxSensitivity: Sensitivity = 'normal', unit: SensitiveUnit) {
  const isAllowed = SENSITIVITIES.indexOf(unit.sensitivity) <= SENSITIVITIES.indexOf(maxSensitivity);
  const hidesNothing = unit.places.length === 0 && unit.sensitivity === 'normal';
  if (isAllowed && (maxSensitivity !== 'normal' || hidesNothing)) return { ...unit, isShown: true };
  return {
    ...unit,
    text: unit.places.length > 0 ? maskText(unit.text, unit.places) : MASK,
    places: unit.places.map((place) => ({ ...place, text: MASK })),
    isShown: false,
  };
}
