/** Notifications and meta requests, in the names of both versions of the protocol. */
import { z } from 'zod';

const images = z.array(z.string()).nullish();

export const notificationSchema = z.looseObject({
  source_system: z.string().nullish(),
  text: z.string().nullish(),
  from: z.string().nullish(),
  message: z.string().nullish(),
  images,
});

export function notification(body: z.output<typeof notificationSchema>): object {
  return {
    from: body.source_system ?? body.from,
    message: body.text ?? body.message,
    ...(body.images && { images: body.images }),
  };
}

export const metaRequestSchema = z.looseObject({
  instruction: z.string().nullish(),
  payload_text: z.string().nullish(),
  prompt: z.string().nullish(),
  images,
});

export function metaRequest(body: z.output<typeof metaRequestSchema>): object {
  const words = [body.instruction ?? body.prompt, body.payload_text].filter(Boolean);
  return { prompt: words.join('\n\n'), ...(body.images && { images: body.images }) };
}
