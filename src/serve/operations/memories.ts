import { z } from 'zod';
import { memoryOperation, operation } from '../operation.ts';
import { pageAfter, pageFrom } from '../paging.ts';
import { Problem, toProblem } from '../problem.ts';
import {
  appendedTurnShape,
  conversationShape,
  newTurnShape,
  pageOf,
  pageQuery,
  statsShape,
  turnShape,
} from '../shapes/shapes.ts';

/** Each turn waits for the disk; more turns should be imported. */
const MAX_TURNS = 200;

export const memoryOperations = {
  listMemories: operation('listMemories', {
    tag: 'memories',
    summary: 'Lists the memories; with a token bound to one memory, only that one.',
    answer: z.object({
      items: z.array(z.object({ memoryId: z.string(), sizeBytes: z.int().nullable(), isOpen: z.boolean() })),
    }),
    async handle({ parts, caller }) {
      const only = caller?.memoryId ?? null;
      const items = await parts.memories.list();
      return { items: items.filter(({ memoryId }) => only === null || memoryId === only) };
    },
  }),

  readStats: memoryOperation('readStats', 'existing', {
    tag: 'memories',
    summary: 'Returns the size of a memory, and the models it uses.',
    answer: statsShape,
    async handle({ memory }) {
      const { location: _, ...stats } = await memory.admin.info();
      return stats;
    },
  }),

  ingestTurns: memoryOperation('ingestTurns', 'made', {
    tag: 'memories',
    summary: 'Stores turns, word for word.',
    description:
      'In order, one by one; acknowledged turns are on the disk. If one cannot be stored, the answer is a problem whose ' +
      '`kept` contains the results of the turns before it. Turns with a `turnIndex` can be sent again safely, and so can ' +
      'others with the same `Idempotency-Key`, as long as they are among the last 50 of their conversation.',
    headers: ['Idempotency-Key'],
    body: z.strictObject({ turns: z.array(newTurnShape).min(1).max(MAX_TURNS) }),
    answer: z.object({ turns: z.array(appendedTurnShape) }),
    problems: [
      'EMPTY_TEXT',
      'TEXT_TOO_LONG',
      'INVALID_TEXT',
      'INVALID_ID',
      'INVALID_TIME',
      'TURN_CONFLICT',
      'CHAIN_BROKEN',
    ],
    example: {
      turns: [
        { conversationId: 'c1', turnIndex: 0, speaker: 'user', text: '那須塩原の吊り橋、すごく揺れたね。' },
      ],
    },
    async handle({ memory, companion, body, request }) {
      const turns: z.output<typeof appendedTurnShape>[] = [];
      const onKept = (turn: (typeof turns)[number]) => void turns.push(turn);
      const key = request.headers.get('idempotency-key');
      try {
        if (key) await companion.keepOnce({ turns: body.turns, key }, onKept);
        else for (const turn of body.turns) onKept(await memory.add(turn));
      } catch (error) {
        const { code, message, headers } = toProblem(error);
        throw new Problem(code, `turns/${turns.length}: ${message}`, {
          headers,
          members: { kept: turns },
          cause: error,
        });
      }
      return { turns };
    },
  }),

  listConversations: memoryOperation('listConversations', 'existing', {
    tag: 'memories',
    summary: 'Lists conversations, the most recent first.',
    query: z.strictObject(pageQuery),
    answer: pageOf(conversationShape),
    handle: ({ memory, query }) => pageFrom(query, (page) => memory.conversations.list(page)),
  }),

  listTurns: memoryOperation('listTurns', 'existing', {
    tag: 'memories',
    summary: 'Lists the turns of a conversation, newest first.',
    query: z.strictObject(pageQuery),
    answer: pageOf(turnShape),
    handle: ({ memory, parameters, query }) =>
      pageAfter(
        query,
        z.int().min(0),
        async (before, limit) =>
          (await memory.conversations.recent(parameters.conversationId, limit, before)).toReversed(),
        (turn) => turn.turnIndex,
      ),
  }),
};
