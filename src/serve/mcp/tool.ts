/** What a tool is, and how one is added to a server. */
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { McpAccess } from './access.ts';
import { failure } from './answer.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For the model: when to call it, and what comes back. */
  readonly description: string;
  readonly input: Input;
  /** Hints for the client, which may ask the user before a tool that changes or takes away something. */
  readonly does: 'reads' | 'adds' | 'changes';
  /** Whether calling it twice with the same input is as calling it once. */
  readonly isIdempotent?: boolean;
  readonly call: (access: McpAccess, input: z.output<Input>) => Promise<CallToolResult>;
}

/** Fixes the input's type; the table of tools forgets it. */
export function tool<Input extends z.ZodObject>(described: Tool<Input>): Tool {
  return described;
}

export function addTool(server: McpServer, access: McpAccess, { name, input, call, ...said }: Tool): void {
  server.registerTool(
    name,
    { description: said.description, inputSchema: input, annotations: annotationsOf(said) },
    async (given) => {
      try {
        return await call(access, given);
      } catch (error) {
        return failure(error, access, name);
      }
    },
  );
}

/** What is not said is so by default: a tool that may write may destroy, and may reach out into the world. */
function annotationsOf({ does, isIdempotent }: Pick<Tool, 'does' | 'isIdempotent'>): ToolAnnotations {
  if (does === 'reads') return { readOnlyHint: true, openWorldHint: false };
  return {
    destructiveHint: does === 'changes',
    ...(isIdempotent && { idempotentHint: true }),
    openWorldHint: false,
  };
}
