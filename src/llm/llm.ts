/** Models: text generation, embeddings, and reranking. */
export type { Environment } from './access.ts';
export { BUNDLED_EMBEDDER_ID, staticModel } from './bundled.ts';
export type { EmbedPurpose, Embedder } from './embedder.ts';
export { embedderSettingsSchema, parseEmbedderSetting } from './embedderSettings.ts';
export type { EmbedderSettings } from './embedderSettings.ts';
export { EMOTION_VERSION, feelingWords, inferEmotion } from './emotion/emotion.ts';
export {
  KNOWN_MODELS,
  knownModel,
  settingsForKnownModel,
  tryEmbedder,
  type EmbedderTrial,
  type KnownModel,
} from './knownModels.ts';
export { openEmbedder } from './openEmbedder.ts';
export { isKnownKeyVariable } from './knownServers.ts';
export { isRestrictedAddress } from './restrictedAddress.ts';
export { openReranker, rerankerSettingsSchema } from './reranker.ts';
export type { Reranker, RerankerSettings } from './reranker.ts';
export type {
  LanguageModel,
  ModelCall,
  ModelMessage,
  ModelRequest,
  ModelStream,
  ModelUsage,
} from './languageModel.ts';
export {
  languageModelSettingsSchema,
  parseLanguageModelSetting,
  type LanguageModelSettings,
} from './languageModelSettings.ts';
export { openLanguageModel } from './openLanguageModel.ts';
export { fillPrompt, placeholdersOf, readPrompt, type Prompt } from './prompts.ts';
export { FormBreaker, isInvalidReply, type BrokenForm } from './formBreaker.ts';
export { openTraceFile, type TraceFile, type TraceRecord } from './remote/remote.ts';
export { STATIC_EMBEDDER_ID } from './static/static.ts';
