/** Serves OpenAI-compatible clients with a memory. */
export { openAiError } from './errors.ts';
export { complete } from './complete.ts';
export { RecentCalls, respondTo } from './responses/responses.ts';
export { embeddings } from './embeddings.ts';
export { models } from './models.ts';
