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
  userUnitId: id.describe('The episode of the message.'),
  replyUnitId: id.nullable().describe('The episode of the reply; null if it is empty.'),
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
      finishReason: z.string().describe('`stop`, `length`, …; `repeated`: the message was answered before.'),
      remembered: z.boolean().describe('Whether the exchange can be learnt from and recalled.'),
      unseenImages: count.describe('Images that could not be described in time; they are described later.'),
    }),
  ),
  error: named('ChatError', z.object({ ...places, code: z.string(), message: z.string() })),
};

export const companionEventShape = named(
  'CompanionEvent',
  z.object({
    id: id
      .nullable()
      .describe('Increases with each event. Null: a failure, which is sent once and not repeated.'),
    type: z.enum(['notification', 'meta_request', 'reminder']),
    unitId: id,
    data: z.looseObject({
      message: z
        .string()
        .nullable()
        .describe(
          'The companion’s text. Null: there is none yet (a notification is sent at once), or it could not be created.',
        ),
      error: z
        .object({ code: z.string(), message: z.string() })
        .optional()
        .describe('Why a meta request got no message.'),
      causeUnitId: id.nullable().describe('The unit it is about; for a reminder the open loop.'),
      loop: z
        .object({ text: z.string(), dueAt: instant.nullable(), status: z.string() })
        .optional()
        .describe('For a reminder: the loop and its due time.'),
      evidenceUnitIds: z.array(id).optional().describe('For a reminder: the turns that mention the loop.'),
      systemText: z.string().optional().describe('For a notification: its text.'),
    }),
    at: instant,
  }),
);
