import { z } from 'zod';
import {
  chatRequestSchema,
  metaRequestSchema,
  notificationRequestSchema,
} from '../../companion/companion.ts';
import { count, id, instant, named } from './named.ts';
import { chatMemoryShape } from './recall.ts';

export const chatRequestShape = named('ChatRequest', chatRequestSchema);
export const notificationShape = named('Notification', notificationRequestSchema);
export const metaRequestShape = named('MetaRequest', metaRequestSchema);

const places = {
  conversationId: z.string(),
  userUnitId: id.describe('The episode of what was said.'),
  replyUnitId: id.nullable().describe('The episode of the reply; null when nothing was said.'),
  turnIds: z.object({ user: id, reply: id.nullable() }),
};
/** The events of a chat, by name. */
export const chatShapes = {
  memory: chatMemoryShape,
  token: named('ChatToken', z.object({ text: z.string() })),
  done: named(
    'ChatDone',
    z.object({
      ...places,
      usage: z.object({ inputTokens: count.nullable(), outputTokens: count.nullable() }),
      finishReason: z
        .string()
        .describe('`stop`, `length`, …; `repeated`: the message had been answered before.'),
      remembered: z.boolean().describe('Whether the exchange is learnt from and recalled.'),
      unseenImages: count.describe('Images that could not be looked at in time; they are described later.'),
    }),
  ),
  error: named('ChatError', z.object({ ...places, code: z.string(), message: z.string() })),
};

export const companionEventShape = named(
  'CompanionEvent',
  z.object({
    id: id
      .nullable()
      .describe('Grows from one event to the next. Null: a failure, which is told once and not repeated.'),
    type: z.enum(['notification', 'meta_request', 'reminder']),
    unitId: id,
    data: z.looseObject({
      message: z
        .string()
        .nullable()
        .describe(
          'The companion’s words. Null: there are none yet (a notification is told at once), or none could be made.',
        ),
      error: z
        .object({ code: z.string(), message: z.string() })
        .optional()
        .describe('Why a meta request got no message.'),
      causeUnitId: id.nullable().describe('The unit of what it answers; of a reminder the open loop.'),
      loop: z
        .object({ text: z.string(), dueAt: instant.nullable(), status: z.string() })
        .optional()
        .describe('Of a reminder: what is due, and when.'),
      evidenceUnitIds: z.array(id).optional().describe('Of a reminder: the turns in which it was spoken of.'),
      systemText: z.string().optional().describe('Of a notification: its words.'),
    }),
    at: instant,
  }),
);
