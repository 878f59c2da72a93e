/** The definition of a tool, and its registration with a server. */
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { toProblem } from '../problem.ts';
import { checkScope } from '../scopes.ts';
import type { McpAccess } from './access.ts';
import { failure } from './answer.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** For the model: when to call it, and what it returns. */
  readonly description: string;
  readonly input: Input;
  /** Hints for the client, which may ask the user before a tool that changes or removes something. */
  readonly does: 'reads' | 'adds' | 'changes';
  /** Whether a call needs the scope `manage`, as what cannot be undone does. */
  readonly manages?: (input: z.output<Input>) => boolean;
  /** Whether calling it twice with the same input has the effect of calling it once. */
  readonly isIdempotent?: boolean;
  readonly call: (access: McpAccess, input: z.output<Input>) => Promise<CallToolResult>;
}

/** Infers the input's type; the table of tools does not keep it. */
export function tool<Input extends z.ZodObject>(described: Tool<Input>): Tool {
  return described;
}

export function addTool(
  server: McpServer,
  access: McpAccess,
  { name, input, call, manages, ...definition }: Tool,
): void {
  server.registerTool(
    name,
    { description: definition.description, inputSchema: input, annotations: annotationsOf(definition) },
    async (given) => {
      const audit = manages?.(given) ? (outcome: string) => access.audit?.(name, outcome) : undefined;
      try {
        if (audit) checkScope(access, 'manage');
        const result = await call(access, given);
        audit?.('done');
        return result;
      } catch (error) {
        audit?.(toProblem(error).code);
        return failure(error, access, name);
      }
    },
  );
}

/** Sets all annotations, since by default a tool that writes may be destructive and access the outside world. */
function annotationsOf({ does, isIdempotent }: Pick<Tool, 'does' | 'isIdempotent'>): ToolAnnotations {
  if (does === 'reads') return { readOnlyHint: true, openWorldHint: false };
  return {
    destructiveHint: does === 'changes',
    ...(isIdempotent && { idempotentHint: true }),
    openWorldHint: false,
  };
}
