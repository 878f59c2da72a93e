/** Permanent forgetting. */
import { z } from 'zod';
import { forgetRequestSchema, KINDS, receiptSchema } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';

const count = z.int().min(0);
const query = z.strictObject({
  dryRun: z.enum(['true', 'false']).optional().describe('`true`: only shows what would be erased.'),
});
const erasedShape = z.object({
  isDryRun: z.boolean(),
  plan: z
    .string()
    .nullable()
    .describe('Of a dry run: stands for what would be erased. As `plan` of the body it erases just this.'),
  counts: z.record(z.enum(KINDS), count).describe('Erased units, by kind; `episode` means turns.'),
  changed: count.describe(
    'Units that stay, without the part derived from it, or without earlier text (notes).',
  ),
  topicsRenamed: count,
  samples: z.array(z.object({ unitId: count, kind: z.enum(KINDS), text: z.string() })),
  notes: z
    .array(z.object({ unitId: count, uri: z.string(), section: z.string(), text: z.string() }))
    .describe(
      'Notes with the same content. They stay: edit them, then forget the units, which erases their earlier text.',
    ),
  receipt: receiptSchema.nullable().describe('Signed proof; null for a dry run.'),
});

const instant = z.union([z.string(), z.number()]);
/** JSON has no dates. */
const bodySchema = forgetRequestSchema.extend({
  period: z.strictObject({ from: instant.optional(), to: instant.optional() }).optional(),
});

/** Erases one thing that the path names. */
const forgetOne = { tag: 'memories', query, answer: erasedShape } as const;
const isDryRun = (call: { readonly query: z.output<typeof query> }) => call.query.dryRun === 'true';

export const forgettingOperations = {
  forget: memoryOperation('forget', 'existing', {
    tag: 'memories',
    summary:
      'Erases a turn, one or several units, a conversation, person, period, or everything, permanently. This cannot be undone.',
    body: bodySchema,
    answer: erasedShape,
    example: { person: 'Mia', dryRun: true },
    problems: ['VERSION_CONFLICT'],
    handle: ({ memory, body }) => memory.forget(body),
  }),

  forgetTurn: memoryOperation('forgetTurn', 'existing', {
    ...forgetOne,
    summary: 'Erases a turn permanently, and what was learnt only from it.',
    handle: (call) => call.memory.forget({ turn: call.parameters.turnId, dryRun: isDryRun(call) }),
  }),

  forgetUnit: memoryOperation('forgetUnit', 'existing', {
    ...forgetOne,
    summary: 'Erases a unit permanently; an episode together with its turn.',
    handle: (call) => call.memory.forget({ unit: call.parameters.unitId, dryRun: isDryRun(call) }),
  }),

  forgetConversation: memoryOperation('forgetConversation', 'existing', {
    ...forgetOne,
    summary: 'Erases a whole conversation permanently.',
    handle: (call) =>
      call.memory.forget({ conversation: call.parameters.conversationId, dryRun: isDryRun(call) }),
  }),
};
