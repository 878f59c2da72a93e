/** Converts a chat completion's answer to a response: its items and events. */
import { formatId, type ResponseKey } from './ids.ts';
import type { ToolCall } from './recentCalls.ts';
import type { ResponseRequest } from './request.ts';

export interface ResponseEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A chunk of a chat completion, or a whole one with its message in place of `delta`. */
export interface Chunk {
  readonly model?: string;
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: Delta | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Readonly<Record<string, number>> | null;
  readonly error?: { readonly message?: string; readonly code?: string | null } | null;
}

interface Delta {
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  status: 'in_progress' | 'completed';
  readonly role: 'assistant';
  content: readonly object[];
}

interface CallItem {
  readonly id: string;
  readonly type: 'function_call';
  status: 'in_progress' | 'completed';
  readonly call_id: string;
  name: string;
  arguments: string;
}

type OutputItem = MessageItem | CallItem;

/** Converts chunks of a chat completion to events of a response. */
export class ResponseOutput {
  readonly #request: ResponseRequest;
  readonly #key: ResponseKey;
  readonly #createdAt: number;
  readonly #items: OutputItem[] = [];
  readonly #calls = new Map<number, CallItem>();
  /** The incomplete item, the last of `#items`. */
  #open: OutputItem | null = null;
  /** Text of the incomplete message. */
  #text = '';
  #spoken = '';
  #sequence = 0;
  #model: string;
  #finishReason: string | null = null;
  #usage: Readonly<Record<string, number>> | null = null;
  #error: { readonly code: string; readonly message: string } | null = null;

  constructor(request: ResponseRequest, key: ResponseKey, now: number) {
    this.#request = request;
    this.#key = key;
    this.#createdAt = Math.floor(now / 1_000);
    this.#model = request.model ?? 'omoide';
  }

  /** All text so far. */
  get text(): string {
    return this.#spoken;
  }

  /** The function calls in the format of a chat completion. */
  get calls(): readonly ToolCall[] {
    return [...this.#calls.values()].map(({ call_id: id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
  }

  begin(): ResponseEvent[] {
    const response = this.#response('in_progress');
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })];
  }

  add({ choices = [], usage, model, error }: Chunk): ResponseEvent[] {
    if (model) this.#model = model;
    if (usage) this.#usage = usage;
    if (error) {
      this.#error = { code: 'server_error', message: error.message ?? 'The model failed.' };
      return [];
    }
    const choice = choices.find(({ index = 0 }) => index === 0);
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    const { content, tool_calls: calls = [] } = choice?.delta ?? {};
    const said = typeof content === 'string' && content !== '' ? this.#addText(content) : [];
    return [...said, ...(calls ?? []).flatMap((call, i) => this.#addCall(call, call.index ?? i))];
  }

  /** Completes the open item and the response. */
  end(): ResponseEvent[] {
    const closing = this.#close();
    const response = this.final();
    return [...closing, this.#event(`response.${String(response['status'])}`, { response })];
  }

  /** The complete response. */
  final(): Record<string, unknown> {
    this.#close();
    if (this.#error) return this.#response('failed');
    return this.#response(this.#incompleteReason() === null ? 'completed' : 'incomplete');
  }

  #incompleteReason(): string | null {
    if (this.#finishReason === 'length') return 'max_output_tokens';
    return this.#finishReason === 'content_filter' ? 'content_filter' : null;
  }

  #addText(delta: string): ResponseEvent[] {
    const events = this.#open?.type === 'message' ? [] : this.#openMessage();
    this.#text += delta;
    this.#spoken += delta;
    return [
      ...events,
      this.#event('response.output_text.delta', { ...this.#place(), content_index: 0, delta, logprobs: [] }),
    ];
  }

  #openMessage(): ResponseEvent[] {
    const nth = this.#items.filter(({ type }) => type === 'message').length;
    this.#text = '';
    const opening = this.#openItem({
      id: formatId('msg', this.#key, nth),
      type: 'message',
      status: 'in_progress',
      role: 'assistant',
      content: [],
    });
    return [
      ...opening,
      this.#event('response.content_part.added', { ...this.#place(), content_index: 0, part: textPart('') }),
    ];
  }

  #addCall(call: NonNullable<Delta['tool_calls']>[number], index: number): ResponseEvent[] {
    const known = this.#calls.get(index);
    const opening = known ? [] : this.#openCall(call, index);
    const item = known ?? this.#calls.get(index);
    const delta = call.function?.arguments ?? '';
    if (!item || delta === '') return opening;
    item.arguments += delta;
    const place = { item_id: item.id, output_index: this.#items.indexOf(item) };
    return [...opening, this.#event('response.function_call_arguments.delta', { ...place, delta })];
  }

  #openCall(call: NonNullable<Delta['tool_calls']>[number], index: number): ResponseEvent[] {
    const item: CallItem = {
      id: formatId('fc', this.#key, this.#calls.size),
      type: 'function_call',
      status: 'in_progress',
      call_id: call.id ?? `call_${this.#key.key}_${index}`,
      name: call.function?.name ?? '',
      arguments: '',
    };
    const opening = this.#openItem(item);
    this.#calls.set(index, item);
    return opening;
  }

  #openItem(item: OutputItem): ResponseEvent[] {
    const closing = this.#close();
    this.#items.push(item);
    this.#open = item;
    return [
      ...closing,
      this.#event('response.output_item.added', { output_index: this.#items.length - 1, item: { ...item } }),
    ];
  }

  #close(): ResponseEvent[] {
    const item = this.#open;
    if (!item) return [];
    const place = this.#place();
    const done = item.type === 'message' ? this.#closeMessage(item) : this.#closeCall(item);
    item.status = 'completed';
    this.#open = null;
    const { output_index } = place;
    return [...done, this.#event('response.output_item.done', { output_index, item: { ...item } })];
  }

  #closeMessage(item: MessageItem): ResponseEvent[] {
    const place = { ...this.#place(), content_index: 0 };
    const part = textPart(this.#text);
    item.content = [part];
    return [
      this.#event('response.output_text.done', { ...place, text: this.#text, logprobs: [] }),
      this.#event('response.content_part.done', { ...place, part }),
    ];
  }

  #closeCall({ name, arguments: args }: CallItem): ResponseEvent[] {
    return [
      this.#event('response.function_call_arguments.done', { ...this.#place(), name, arguments: args }),
    ];
  }

  #place(): { readonly item_id: string; readonly output_index: number } {
    return { item_id: this.#open?.id ?? '', output_index: this.#items.length - 1 };
  }

  #event(type: string, members: Readonly<Record<string, unknown>>): ResponseEvent {
    return { type, sequence_number: this.#sequence++, ...members };
  }

  #response(status: 'in_progress' | 'completed' | 'incomplete' | 'failed'): Record<string, unknown> {
    const { instructions, previous_response_id, store, temperature, top_p, text, reasoning } = this.#request;
    const reason = this.#incompleteReason();
    return {
      id: formatId('resp', this.#key),
      object: 'response',
      created_at: this.#createdAt,
      status,
      background: false,
      error: this.#error,
      incomplete_details: status === 'incomplete' ? { reason } : null,
      instructions: instructions ?? null,
      max_output_tokens: this.#request.max_output_tokens ?? null,
      metadata: this.#request['metadata'] ?? {},
      model: this.#model,
      output: this.#items.map((item) => ({ ...item })),
      parallel_tool_calls: this.#request.parallel_tool_calls ?? true,
      previous_response_id: previous_response_id ?? null,
      reasoning: { effort: reasoning?.effort ?? null, summary: null },
      store: store ?? true,
      temperature: temperature ?? null,
      text: { format: { type: 'text' }, ...text },
      tool_choice: this.#request.tool_choice ?? 'auto',
      tools: this.#request.tools ?? [],
      top_p: top_p ?? null,
      truncation: 'disabled',
      usage: status === 'in_progress' ? null : usageOf(this.#usage),
    };
  }
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf(usage: Readonly<Record<string, number>> | null) {
  if (!usage) return null;
  const [input, output] = [usage['prompt_tokens'] ?? 0, usage['completion_tokens'] ?? 0];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
