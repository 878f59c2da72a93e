/** Parses a request for a response and converts it to a chat completion. */
import { z } from 'zod';
import { MemoryError } from '../../../model/model.ts';
import type { Message } from '../messages.ts';

const tool = z.looseObject({ type: z.string() });
const format = z.looseObject({ type: z.string() });

export const requestSchema = z.looseObject({
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() }))], {
    error: 'must be a text or a list of items',
  }),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  model: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
});
export type ResponseRequest = z.infer<typeof requestSchema>;

/** @throws MemoryError INVALID_INPUT for features that chat completions do not have */
export function checkServed({
  background,
  tools,
  previous_response_id,
  conversation,
}: ResponseRequest): void {
  if (background) throw invalid('background is not supported: responses are made while the client waits.');
  if (previous_response_id && conversation)
    throw invalid('previous_response_id and conversation: a request may name only one of them.');
  const other = tools?.find(({ type }) => type !== 'function');
  if (other) throw invalid(`tools: only functions are supported, not “${other.type}”.`);
}

/** The body of the chat completion. */
export function chatBody(request: ResponseRequest, messages: readonly Message[]): Record<string, unknown> {
  const { model, stream, tools, tool_choice, parallel_tool_calls, temperature, top_p } = request;
  const body = {
    model,
    messages,
    tools: tools && tools.length > 0 ? tools.map(chatTool) : null,
    tool_choice: chatToolChoice(tool_choice),
    parallel_tool_calls: tools && tools.length > 0 ? parallel_tool_calls : null,
    temperature,
    top_p,
    max_tokens: request.max_output_tokens,
    reasoning_effort: request.reasoning?.effort,
    response_format: chatFormat(request.text?.format),
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  );
}

function chatTool({ type, ...definition }: z.infer<typeof tool>) {
  return { type, function: definition };
}

function chatToolChoice(choice: ResponseRequest['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'function') return { type: 'function', function: { name: choice['name'] } };
  throw invalid(`tool_choice: “${choice.type}” is not supported.`);
}

function chatFormat(given: z.infer<typeof format> | null | undefined): unknown {
  if (!given || given.type === 'text') return null;
  const { type, ...rest } = given;
  return type === 'json_schema' ? { type, json_schema: rest } : { type };
}

export function invalid(problem: string): MemoryError {
  return new MemoryError('INVALID_INPUT', problem);
}
