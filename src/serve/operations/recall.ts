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
const PROBLEMS = ['EMPTY_TEXT', 'INVALID_TIME'] as const;

export const recallOperations = {
  recall: memoryOperation('recall', 'existing', {
    tag: 'recall',
    summary: 'Recalls what matters for an utterance, with the reasons.',
    body: recallRequestShape,
    answer: recallShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE, limit: 5 },
    handle: ({ memory, body: { utterance, ...options } }) => memory.recall(utterance, options),
  }),

  explain: memoryOperation('explain', 'existing', {
    tag: 'recall',
    summary: 'Recalls as `recall` does, with the whole trace. It does not count as an access.',
    body: recallRequestShape,
    answer: recallShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE },
    handle: ({ memory, body: { utterance, ...options } }) =>
      memory.recall(utterance, { count: false, ...options, explain: true }),
  }),

  autoRecall: memoryOperation('autoRecall', 'existing', {
    tag: 'recall',
    summary: 'Returns what an utterance brings to mind: quoted turns, their topics, and the reasons.',
    body: autoRecallRequestShape,
    answer: bundleShape,
    problems: PROBLEMS,
    example: { utterance: EXAMPLE },
    handle: ({ memory, body: { utterance, ...options } }) =>
      memory.recall(utterance, { ...options, view: 'bundle' }),
  }),

  explore: memoryOperation('explore', 'existing', {
    tag: 'recall',
    summary:
      'Looks through the memory on purpose: by words, period, feeling, topic, entity, or several at once.',
    body: exploreRequestShape,
    answer: explorationShape,
    problems: ['INVALID_TIME'],
    example: { query: { period: '去年の夏', text: '旅行' }, view: 'timeline' },
    handle: ({ memory, body: { query, ...options } }) => memory.explore(query, options),
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
