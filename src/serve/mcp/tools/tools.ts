/** Every tool, in the order in which a model reads of them. */
import type { Tool } from '../tool.ts';
import { journalTool, tasksTool } from './agenda.ts';
import { exploreTool, packTool, recallTool } from './finding.ts';
import { forgetTool, ingestTurnsTool, rememberTool } from './keeping.ts';
import { editNoteTool, listNotesTool, readNoteTool } from './noteFiles.ts';

export { noteAsResource } from './noteFiles.ts';

export const TOOLS: readonly Tool[] = [
  recallTool,
  rememberTool,
  packTool,
  exploreTool,
  ingestTurnsTool,
  forgetTool,
  listNotesTool,
  readNoteTool,
  editNoteTool,
  tasksTool,
  journalTool,
];
