import { z } from 'zod';
import { internals } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import {
  autoRecallRequestShape,
  bundleShape,
  explorationShape,
  exploreRequestShape,
  packRequestShape,
  packShape,
  recallRequestShape,
  recallShape,
} from '../shapes/shapes.ts';

const EXAMPLE = 'あの旅行、また行きたいな。';
/** How long one request makes vectors. */
const TRIAL_LIMIT_MS = 2_000;
const PROBLEMS = ['EMPTY_TEXT', 'INVALID_TIME'] as const;

export const recallOperations = {
  recall: memoryOperation('recall', 'existing', {
    tag: 'recall',
    summary: 'Recalls relevant memories for an utterance, with the reasons.',
    body: recallRequestShape,
    answer: recallShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE, limit: 5 },
    handle: ({ memory, body: { utterance, ...options } }) => memory.recall(utterance, options),
  }),

  explain: memoryOperation('explain', 'existing', {
    tag: 'recall',
    summary: 'Recalls like `recall`, with the whole trace. It does not count as an access.',
    body: recallRequestShape,
    answer: recallShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE },
    handle: ({ memory, body: { utterance, ...options } }) =>
      memory.recall(utterance, { count: false, ...options, explain: true }),
  }),

  autoRecall: memoryOperation('autoRecall', 'existing', {
    tag: 'recall',
    summary: 'Returns what is recalled for an utterance: quoted turns, their topics, and the reasons.',
    body: autoRecallRequestShape,
    answer: bundleShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE },
    handle: ({ memory, body: { utterance, ...options } }) =>
      memory.recall(utterance, { ...options, view: 'bundle' }),
  }),

  explore: memoryOperation('explore', 'existing', {
    tag: 'recall',
    summary: 'Searches the memory by words, period, emotion, topic, entity, or several at once.',
    body: exploreRequestShape,
    answer: explorationShape,
    problems: ['INVALID_TIME'],
    example: { query: { period: '去年の夏', text: '旅行' }, view: 'timeline' },
    handle: ({ memory, body: { query, ...options } }) => memory.explore(query, options),
  }),

  tryRecall: memoryOperation('tryRecall', 'existing', {
    tag: 'recall',
    summary: 'Recalls with another embedder, or by keywords only, and stores nothing.',
    description:
      'The other vectors are made when they are needed, and kept in the server’s memory for a while. While some are missing, ' +
      '`recall` is null: ask again. In a memory with more than 2,000 units, only those are compared that keywords or the current ' +
      'vectors find, and the newest (`isWhole` false). With an embedder on a server, these texts are sent to it.',
    access: 'operator',
    body: recallRequestShape.extend({
      embedder: z
        .string()
        .min(1)
        .max(64)
        .describe('`words` (no embedder), `bundled`, `static`, or the id of an embedding preset.'),
    }),
    answer: z.object({
      made: z.int().min(0).describe('Texts that have a vector, of those that are needed.'),
      needed: z.int().min(0),
      isWhole: z.boolean().describe('Whether the whole memory was compared.'),
      recall: recallShape.nullable(),
    }),
    problems: [...PROBLEMS, 'EMBEDDER_FAILED'],
    example: { utterance: EXAMPLE, embedder: 'words' },
    async handle({ memory, parts, signal, body: { utterance, embedder: name, ...options } }) {
      const embedder = await parts.models.openEmbedder(name);
      const request = { utterance, options, embedder, timeLimitMs: TRIAL_LIMIT_MS, signal };
      const { result: recall, ...progress } = await internals(memory).tryRecall(request);
      return { ...progress, recall };
    },
  }),

  pack: memoryOperation('pack', 'existing', {
    tag: 'recall',
    summary: 'Returns the memory’s part of a prompt, within a token budget.',
    body: packRequestShape,
    answer: packShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE, budgetTokens: 800 },
    handle: ({ memory, body: { utterance, ...options } }) => memory.pack(utterance, options),
  }),
};
