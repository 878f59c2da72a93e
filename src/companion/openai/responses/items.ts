/** Converts the items of a request to messages of a chat completion. */
import { isRecord } from '../../../model/model.ts';
import type { Message } from '../messages.ts';
import type { ToolCall } from './recentCalls.ts';
import { invalid } from './request.ts';

type Item = Readonly<Record<string, unknown>>;

/** Resolves references in items. */
export interface References {
  readonly message: (itemId: string) => Promise<Message | null>;
  readonly call: (itemId: string) => ToolCall | null;
}

/** @throws MemoryError INVALID_INPUT */
export async function messagesOf(
  input: string | readonly Item[],
  references: References,
): Promise<readonly Message[]> {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: Message[] = [];
  for (const [i, item] of input.entries()) {
    const read = await readItem(item, `input[${i}]`, references);
    if (read === null) continue;
    if ('function' in read) addCall(messages, read);
    else messages.push(read);
  }
  return messages;
}

/**
 * Checks that every function output has its call.
 * @throws MemoryError INVALID_INPUT
 */
export function checkOutputs(messages: readonly Message[]): void {
  const known = new Set(messages.flatMap((message) => callsOf(message).map(({ id }) => id)));
  for (const { role, tool_call_id: id } of messages)
    if (role === 'tool' && !known.has(String(id)))
      throw invalid(
        `The call “${String(id)}” is unknown or no longer stored. Send it as an item of type function_call before its output.`,
      );
}

async function readItem(
  item: Item,
  where: string,
  references: References,
): Promise<Message | ToolCall | null> {
  const type = item['type'] ?? 'message';
  if (type === 'message') return messageOf(item, where);
  if (type === 'function_call') return callOf(item);
  if (type === 'function_call_output') return toolMessage(item);
  if (type === 'item_reference') return referred(String(item['id']), where, references);
  // Chat completions have no input for reasoning.
  if (type === 'reasoning') return null;
  throw invalid(`${where}: items of type ${JSON.stringify(type)} are not supported.`);
}

async function referred(id: string, where: string, references: References): Promise<Message | ToolCall> {
  const found = references.call(id) ?? (await references.message(id));
  if (!found)
    throw invalid(
      `${where}: the item “${id}” is unknown or no longer stored. Send it instead of a reference.`,
    );
  return found;
}

function messageOf({ role, content }: Item, where: string): Message {
  if (typeof role !== 'string') throw invalid(`${where}: a message needs a role.`);
  if (typeof content === 'string' || !Array.isArray(content)) return { role, content };
  const parts = content.map((part: unknown) => chatPart(part, where));
  const isText = parts.every(({ type }) => type === 'text');
  // Many servers accept a list of parts only from users.
  return { role, content: isText ? parts.map(({ text }) => text).join('\n') : parts };
}

function chatPart(part: unknown, where: string): Item {
  const { type, text, refusal, image_url: url, detail }: Item = isRecord(part) ? part : {};
  if (type === 'input_text' || type === 'output_text' || type === 'text') return { type: 'text', text };
  if (type === 'refusal') return { type: 'text', text: refusal };
  if (type === 'input_image' && typeof url === 'string')
    return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } };
  throw invalid(`${where}: content of type “${String(type)}” is not supported.`);
}

function callOf(item: Item): ToolCall {
  const [name, args] = [String(item['name']), item['arguments']];
  return {
    id: String(item['call_id']),
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
  };
}

function toolMessage({ call_id: callId, output }: Item): Message {
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? '');
  return { role: 'tool', tool_call_id: String(callId), content };
}

/** Adds a call to a message. Consecutive calls and the text before them form one message. */
function addCall(messages: Message[], call: ToolCall): void {
  const last = messages.at(-1);
  const joins = last?.role === 'assistant';
  if (joins) messages.pop();
  const content = joins ? last.content : null;
  const calls = joins ? [...callsOf(last), call] : [call];
  messages.push({ role: 'assistant', content, tool_calls: calls });
}

function callsOf(message: Message): readonly ToolCall[] {
  return (message as { tool_calls?: readonly ToolCall[] }).tool_calls ?? [];
}
