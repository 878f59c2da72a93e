import { z } from 'zod';
import { embeddings, models } from '../../companion/companion.ts';
import { memoryOperation, operation } from '../operation.ts';
import { placeQuery } from '../place.ts';

const CHOICE =
  'The memory is named by the header `Omoide-Memory`, else by `user`, written `MEMORY` or `MEMORY/CONVERSATION`, else by the ' +
  'token, else it is `default`; a token that is bound to a memory ignores `user`. The conversation is named by the header ' +
  '`Omoide-Conversation`, or by `user`; else it is recognised by its first messages.';

/** The fields of the body that are used; the rest is passed on unchanged. */
const completionBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
  user: z.string().nullish(),
});

/** The fields of the body that determine memory and conversation; the companion reads the rest. */
const responseBody = z.looseObject({
  input: z.union([z.string(), z.array(z.looseObject({}))]),
  stream: z.boolean().nullish(),
  user: z.string().nullish(),
});

/** The parts of `MEMORY/CONVERSATION`. */
function readUser(user: string | null | undefined): { memoryId?: string; conversationId?: string } {
  if (!user) return {};
  const [memoryId = '', ...rest] = user.split('/');
  return { memoryId, ...(rest.length > 0 && { conversationId: rest.join('/') }) };
}

/** The conversation, and whether it is remembered. */
function readPlace(
  { headers }: Request,
  user: string | null | undefined,
): { readonly remember: boolean; readonly conversationId?: string } {
  const conversationId = headers.get('omoide-conversation') ?? readUser(user).conversationId ?? undefined;
  const remember = headers.get('omoide-remember') !== 'false';
  return { remember, ...(conversationId !== undefined && { conversationId }) };
}

export const openAiOperations = {
  createChatCompletion: memoryOperation('createChatCompletion', 'made', {
    tag: 'openai',
    summary: 'Creates a chat completion, with a memory.',
    description:
      'OpenAI’s interface: the body goes to the model unchanged, except that memories are added as a system message; ' +
      `the answer is passed on as it arrives, and the exchange is stored. ${CHOICE}`,
    query: placeQuery,
    headers: ['Omoide-Memory', 'Omoide-Conversation', 'Omoide-Remember'],
    body: completionBody,
    memoryOf: ({ user }) => readUser(user).memoryId,
    answer: 'application/json',
    problems: ['NO_MODEL', 'MODEL_FAILED'],
    example: {
      model: 'omoide',
      messages: [{ role: 'user', content: 'Where did we want to go?' }],
      stream: true,
    },
    handle: ({ companion, body, request, signal }) =>
      companion.complete(body, { signal, ...readPlace(request, body.user) }),
  }),

  createResponse: memoryOperation('createResponse', 'made', {
    tag: 'openai',
    summary: 'Creates a response, with a memory.',
    description:
      'OpenAI’s Responses interface, answered through the model’s chat completions: text, images, functions, structured output and ' +
      'event streams. The user’s message is stored before the model is called. `previous_response_id` and `conversation` (any ' +
      'conversation id) continue stored conversations; function calls of a response are known until the server restarts, and ' +
      `clients may send them in \`input\`. OpenAI’s built-in tools, files and \`background\` are rejected. ${CHOICE}`,
    query: placeQuery,
    headers: ['Omoide-Memory', 'Omoide-Conversation', 'Omoide-Remember'],
    body: responseBody,
    memoryOf: ({ user }) => readUser(user).memoryId,
    answer: 'application/json',
    problems: ['NO_MODEL', 'MODEL_FAILED'],
    example: { model: 'omoide', input: 'Where did we want to go?', stream: true },
    handle: ({ companion, body, request, signal }) =>
      companion.respondTo(body, { signal, ...readPlace(request, body.user) }),
  }),

  createEmbeddings: operation('createEmbeddings', {
    tag: 'openai',
    summary: 'Returns the vectors of texts from the current embedder.',
    body: z.looseObject({ input: z.union([z.string(), z.array(z.string())]) }),
    answer: z.looseObject({ object: z.string(), data: z.array(z.looseObject({ index: z.int() })) }),
    problems: ['EMPTY_TEXT', 'NO_MODEL', 'EMBEDDER_FAILED'],
    example: { model: 'omoide', input: ['那須の吊り橋'] },
    handle: async ({ parts, body }) => (await embeddings(parts.models.embedder, body)) as EmbeddingList,
  }),

  listModels: operation('listModels', {
    tag: 'openai',
    summary: 'Lists the available models.',
    answer: z.looseObject({ object: z.string(), data: z.array(z.looseObject({ id: z.string() })) }),
    handle: ({ parts }) => models(parts.models.chat, parts.now()) as unknown as ModelList,
  }),
};

interface EmbeddingList {
  [member: string]: unknown;
  object: string;
  data: { [member: string]: unknown; index: number }[];
}

interface ModelList {
  [member: string]: unknown;
  object: string;
  data: { [member: string]: unknown; id: string }[];
}
