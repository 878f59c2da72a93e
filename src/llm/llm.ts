/** What models are asked: vectors of texts, and how well documents answer a query. */
export type { Environment } from './access.ts';
export type { EmbedPurpose, Embedder } from './embedder.ts';
export { embedderSettingsSchema, parseEmbedderSetting } from './embedderSettings.ts';
export type { EmbedderSettings } from './embedderSettings.ts';
export { openEmbedder } from './openEmbedder.ts';
export { openReranker, rerankerSettingsSchema } from './reranker.ts';
export type { Reranker, RerankerSettings } from './reranker.ts';
