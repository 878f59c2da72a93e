/** The memory tools for models: one definition for MCP and for the AI SDK. */
export { type AgentAccess, type AgentMemory, type AgentTool } from './agentTool.ts';
export { journalTool, requireNotes, tasksTool } from './agenda.ts';
export { exploreTool, recallTool, type Explored, type Found } from './finding.ts';
export { forgetTool, type ForgetAnswer } from './forgetting.ts';
export { rememberTool } from './remembering.ts';
