/** `POST /api/chat`: the user's text, and the answer as server-sent events. */
import { z } from 'zod';
import { metaSchema } from '../../model/model.ts';
import type { OperatorSettings } from '../../settings/settings.ts';
import { readEvents } from '../clientStream.ts';
import type { ServerEvent } from '../operation.ts';
import { EVENT_STREAM_HEADERS, eventBody } from '../sse.ts';
import { imageSchema, toDataUrls } from './images.ts';

export const chatSchema = z
  .looseObject({
    input_text: z.string().nullish(),
    /** The former name of the field. */
    user_text: z.string().nullish(),
    embedding_preset_id: z.string().nullish(),
    memory_id: z.string().nullish(),
    client_id: z.string().nullish(),
    images: z.array(imageSchema).nullish(),
    client_context: metaSchema.nullish(),
  })
  .refine((said) => typeof (said.input_text ?? said.user_text) === 'string', {
    path: ['input_text'],
    error: 'is missing',
  });

/** The request in Omoide's format. */
export function chatRequest(
  said: z.output<typeof chatSchema>,
  { memoryId, memoryEnabled }: OperatorSettings['cocoro'],
): { body: object; memoryId: string | undefined } {
  const images = toDataUrls(said.images ?? []);
  const context = { ...said.client_context, ...(said.client_id && { client_id: said.client_id }) };
  const named = said.embedding_preset_id || said.memory_id || memoryId;
  return {
    body: {
      text: said.input_text ?? said.user_text ?? '',
      ...(images.length > 0 && { images }),
      ...(Object.keys(context).length > 0 && { clientContext: context }),
      ...(!memoryEnabled && { remember: false }),
    },
    memoryId: named === 'default' ? undefined : named,
  };
}

interface Told {
  readonly text?: string;
  readonly code?: string;
  readonly message?: string;
  readonly userUnitId?: number;
  readonly replyUnitId?: number | null;
}

/** @param disconnected is aborted when the client disconnects */
export function chatResponse(answer: Response, disconnected: AbortController): Response {
  const watch = {
    onDisconnect: () => disconnected.abort(),
    onFailure: () => disconnected.abort(),
    onEnd() {},
  };
  return new Response(eventBody(toCocoroEvents(answer), watch), { headers: EVENT_STREAM_HEADERS });
}

async function* toCocoroEvents(answer: Response): AsyncGenerator<ServerEvent> {
  let reply = '';
  for await (const { event, data } of readEvents(Promise.resolve(answer))) {
    const { text = '', code, message, userUnitId, replyUnitId } = data as Told;
    if (event === 'token') {
      reply += text;
      yield { event, data: { text } };
    } else if (event === 'done') {
      const id = replyUnitId ?? userUnitId;
      yield { event, data: { event_id: id, episode_unit_id: id, reply_text: reply, usage: {} } };
    } else if (event === 'error') yield { event, data: { message, code } };
  }
}
