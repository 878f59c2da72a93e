/**
 * A memory for agents that are built with the Vercel AI SDK 7. The middleware recalls and keeps unasked; the tools let
 * the model do so when it sees fit. Either works without the other.
 *
 * @example
 * const memory = await openMemory();
 * const agent = new ToolLoopAgent({
 *   model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { conversationId: 'c1' }) }),
 *   tools: memoryTools(memory),
 * });
 */
export { memoryMiddleware, type MemoryMiddlewareOptions, type ConversationMemory } from './middleware.ts';
export {
  memoryTools,
  type AgentMemory,
  type Found,
  type MemoryTools,
  type MemoryToolsOptions,
  type NoteTools,
} from './tools/tools.ts';
