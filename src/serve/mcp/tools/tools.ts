/** All tools, in the order in which a model sees them. */
import type { Tool } from '../tool.ts';
import { editNoteTool, listNotesTool, readNoteTool } from './noteFiles.ts';
import { SHARED_TOOLS } from './shared.ts';
import { ingestTurnsTool, packTool } from './turns.ts';

export { noteAsResource } from './noteFiles.ts';

export const TOOLS: readonly Tool[] = [
  SHARED_TOOLS.recall,
  SHARED_TOOLS.remember,
  packTool,
  SHARED_TOOLS.explore,
  ingestTurnsTool,
  SHARED_TOOLS.forget,
  listNotesTool,
  readNoteTool,
  editNoteTool,
  SHARED_TOOLS.tasks,
  SHARED_TOOLS.journal,
];
