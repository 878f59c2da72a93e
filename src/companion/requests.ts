import { z } from 'zod';
import { checkId, checkText, metaSchema, refineBy } from '../model/model.ts';
import { imageSchema } from './imageInput.ts';

/** Maximum number of images in one message. */
const MAX_IMAGES = 5;
const MAX_NAME_LENGTH = 200;

const text = z
  .string()
  .min(1)
  .superRefine(refineBy((value: string) => checkText(value)));
const idOf = (what: string) => z.string().superRefine(refineBy((value) => checkId(value, what)));
const images = z
  .array(imageSchema)
  .max(MAX_IMAGES)
  .describe(
    'PNG, JPEG, WebP or GIF, as data URLs (`data:image/png;base64,…`) or as objects (`{ "type": "data_uri", "base64": "…" }`).',
  );

/** A message to the companion. */
export const chatRequestSchema = z
  .strictObject({
    text: z
      .string()
      .superRefine(refineBy((value) => value !== '' && checkText(value)))
      .describe('The message, stored word for word. May be empty if there are images.'),
    conversationId: idOf('conversation id')
      .optional()
      .describe(
        'The conversation to continue; default: the last one, or a new one after six hours of silence. Returned in `done`.',
      ),
    messageId: idOf('message id')
      .optional()
      .describe(
        'The client’s id of this message. If it is sent again in the same conversation, it is not stored twice, and a stored reply is returned again. The header Idempotency-Key does the same.',
      ),
    images: images.optional(),
    recent: z
      .array(z.strictObject({ speaker: z.string().min(1), text: z.string() }))
      .max(1_000)
      .optional()
      .describe('The recent conversation, oldest first; default: from the memory.'),
    speaker: idOf('speaker').optional().describe('The speaker; default `user`.'),
    remember: z
      .boolean()
      .optional()
      .describe(
        'False: the message and the reply are stored as evidence, but neither learnt from nor recalled. Plain words (“off the record”, これは覚えないで, 别记这个) do the same.',
      ),
    incognito: z
      .boolean()
      .optional()
      .describe(
        'True: like `remember: false`, for this conversation until it is set to false; default: unchanged.',
      ),
    withMemory: z.boolean().optional().describe('Whether the answer begins with the recalled memories.'),
    mode: z.enum(['fast', 'deep']).optional().describe('The mode of recall; default: from the settings.'),
    deepTimeLimitMs: z
      .int()
      .min(100)
      .max(600_000)
      .optional()
      .describe('Time limit of a deep recall in milliseconds; default: from the settings.'),
    clientContext: metaSchema
      .optional()
      .describe('The client’s current context (active program, place …); stored with the turn.'),
  })
  .superRefine(({ text, images = [] }, context) => {
    if (text.trim() === '' && images.length === 0)
      context.addIssue({ code: 'custom', path: ['text'], message: 'is empty, and there are no images' });
  });
export type ChatRequest = z.input<typeof chatRequestSchema>;
export type ParsedChatRequest = z.output<typeof chatRequestSchema>;

/** The text stored for a message that contains only images. */
export const IMAGES_ALONE = '[image]';

/** An external event that the companion announces to the user. */
export const notificationRequestSchema = z.strictObject({
  from: z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .superRefine(refineBy((value: string) => checkText(value)))
    .describe('Its origin: a program, a person.'),
  message: text,
  images: images.optional(),
  conversationId: idOf('conversation id')
    .optional()
    .describe('The conversation it belongs to; default: the current one.'),
});
export type NotificationRequest = z.input<typeof notificationRequestSchema>;

/** A request to the companion that the user does not see and that is not stored. */
export const metaRequestSchema = z.strictObject({ prompt: text, images: images.optional() });
export type MetaRequest = z.input<typeof metaRequestSchema>;
