import { z } from 'zod';
import type { ChatEvent } from '../../companion/companion.ts';
import { defined } from '../../engine/engine.ts';
import { isUpgrade, TICKET_LIFE_MS } from '../auth.ts';
import { serveServerSentEvents, serveWebSocket } from '../eventStream.ts';
import { memoryOperation, operation, type ServerEvent } from '../operation.ts';
import { chosenMemory, placeQuery } from '../place.ts';
import { invalidFields } from '../problem.ts';
import {
  chatRequestShape,
  chatShapes,
  companionEventShape,
  metaRequestShape,
  notificationShape,
} from '../shapes/shapes.ts';
import { startStream } from '../sse.ts';

const EXAMPLE_TEXT = '来週の京都旅行、楽しみだな。';

export const companionOperations = {
  chat: memoryOperation('chat', 'made', {
    tag: 'companion',
    summary: 'Sends a message to the companion and streams the answer.',
    description:
      'The message is stored before the model is called, and the reply when it has ended; after an early disconnect the part ' +
      'received so far. Without `recent`, the recent conversation is taken from the memory. The last event is `done` or `error`. ' +
      '`user_text` and `client_context` are accepted as `text` and `clientContext`.',
    query: placeQuery,
    headers: ['Omoide-Memory', 'Omoide-Conversation', 'Idempotency-Key'],
    body: chatRequestShape,
    aliases: { user_text: 'text', client_context: 'clientContext' },
    files: 'images',
    answer: chatShapes,
    problems: ['EMPTY_TEXT', 'TEXT_TOO_LONG', 'INVALID_TEXT', 'TURN_CONFLICT', 'CHAIN_BROKEN'],
    example: { conversationId: 'c1', text: EXAMPLE_TEXT },
    async handle({ companion, body, request, signal }) {
      const conversationId = body.conversationId ?? request.headers.get('omoide-conversation') ?? undefined;
      const messageId = body.messageId ?? request.headers.get('idempotency-key') ?? undefined;
      const chat = companion.chat({ ...body, ...defined({ conversationId, messageId }) }, signal);
      // An error before the first event is a problem document, not an event.
      return startStream(toServerEvents(chat));
    },
  }),

  notify: memoryOperation('notify', 'made', {
    tag: 'companion',
    summary: 'Notifies the companion of an external event.',
    description: 'Answers as soon as it is stored. The companion’s message about it arrives as an event.',
    query: placeQuery,
    headers: ['Omoide-Memory'],
    body: notificationShape,
    files: 'images',
    answer: null,
    problems: ['TEXT_TOO_LONG', 'INVALID_TEXT'],
    example: { from: 'calendar', message: '明日10時から歯医者の予約があります。' },
    async handle({ companion, body }) {
      await companion.notify(body);
    },
  }),

  metaRequest: memoryOperation('metaRequest', 'made', {
    tag: 'companion',
    summary: 'Makes the companion say something, by an instruction that is not stored.',
    description:
      'Answers at once; the companion’s message arrives as an event. The text of the instruction is not stored.',
    query: placeQuery,
    headers: ['Omoide-Memory'],
    body: metaRequestShape,
    files: 'images',
    answer: null,
    problems: ['TEXT_TOO_LONG', 'INVALID_TEXT'],
    example: { prompt: 'Ask how the dentist went.' },
    async handle({ companion, body }) {
      await companion.metaRequest(body);
    },
  }),

  streamEvents: operation('streamEvents', {
    tag: 'companion',
    summary: 'Streams the companion’s proactive messages.',
    description:
      'As a WebSocket (each message one event as JSON), or as server-sent events. First come the last 200 events, or those after ' +
      '`after` or `Last-Event-ID`. A client that reads too slowly is disconnected and may reconnect. A browser, which can ' +
      'send no header here, either names its token as a subprotocol (`omoide, bearer.TOKEN`) or brings a ticket.',
    query: z.strictObject({
      ...placeQuery.shape,
      after: z.int().min(0).optional().describe('The id of the last event received.'),
      ticket: z.string().optional().describe('From `POST /api/events/ticket`, instead of a token.'),
    }),
    headers: ['Omoide-Memory', 'Last-Event-ID'],
    answer: {
      notification: companionEventShape,
      meta_request: companionEventShape,
      reminder: companionEventShape,
    },
    async handle({ query, caller, request, context, parts }) {
      const memoryId = chosenMemory(request, query.memoryId, caller);
      const following = { memoryId, caller, after: query.after ?? lastEventId(request) };
      if ('wss' in context.env && isUpgrade(request.headers))
        return serveWebSocket(parts, following, context);
      return serveServerSentEvents(parts, following);
    },
  }),

  createEventTicket: operation('createEventTicket', {
    tag: 'companion',
    summary: 'Creates a ticket that opens one event stream once, without a token.',
    answer: z.object({ ticket: z.string(), expiresInS: z.int() }),
    status: 201,
    handle({ caller, parts }) {
      if (caller === null) throw new Error('The caller is missing.');
      return { ticket: parts.auth.issueTicket(caller), expiresInS: TICKET_LIFE_MS / 1_000 };
    },
  }),
};

async function* toServerEvents(chat: AsyncIterable<ChatEvent>): AsyncGenerator<ServerEvent, void> {
  for await (const { type: event, data } of chat) yield { event, data };
}

function lastEventId(request: Request): number | null {
  const id = request.headers.get('last-event-id') ?? '';
  if (id === '') return null;
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw invalidFields([{ in: 'header', pointer: '/Last-Event-ID', detail: 'is not the id of an event' }]);
}
