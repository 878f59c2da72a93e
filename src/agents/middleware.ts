import type { LanguageModelMiddleware } from 'ai';
import { checkId, checkSpeaker, type Memory, type PackOptions, type Turn } from '../engine/engine.ts';
import { toSystemMessage } from './guard.ts';
import { findKept, MAX_TURNS_READ } from './kept.ts';
import { storeWhileStreaming, type KeepReply } from './reply.ts';
import {
  AGENT,
  storableText,
  readPromptInput,
  replyText,
  withSystemMessage,
  type CallOptions,
  type PromptInput,
} from './promptInput.ts';

/** The most lines of context passed to recall: older lines do not help to understand the last one. */
const MAX_CONTEXT_LINES = 20;
/** The metadata of a reply that was interrupted. */
const INTERRUPTED = { interrupted: true } as const;

/** The methods of a memory that the middleware needs. */
export type ConversationMemory = Pick<Memory, 'add' | 'pack' | 'conversations' | 'units'>;

export interface MemoryMiddlewareOptions {
  /** The conversation of this middleware: create one middleware for each conversation. */
  readonly conversationId: string;
  /** The speaker name for the user's words; default `user`. */
  readonly speaker?: string;
  /** Persona, contract, budget and other options. */
  readonly pack?: Omit<PackOptions, 'context' | 'exceptUnitIds'>;
}

/**
 * For `wrapLanguageModel`. Before each call, what is remembered for the user's last words is added to the prompt as
 * another system message, marked as data. The words are stored before the model is called, and the reply when it has
 * ended. Of an interrupted reply the received part is stored, with `meta.interrupted`. Further calls for the same words
 * (tools have answered, a call is retried) do not store them again. Reasoning, tool calls and their results are not
 * stored.
 *
 * The call fails with a MemoryError when recalling or storing fails.
 * @throws MemoryError INVALID_ID
 */
export function memoryMiddleware(
  memory: ConversationMemory,
  options: MemoryMiddlewareOptions,
): LanguageModelMiddleware {
  const talk = new Talk(memory, options);
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ params, doGenerate, model }) {
      const said = talk.read(params);
      if (!said) return doGenerate();
      const result = await model.doGenerate(await talk.begin(params, said));
      await talk.keepReply(replyText(result.content), true);
      return result;
    },
    async wrapStream({ params, doStream, model }) {
      const said = talk.read(params);
      if (!said) return doStream();
      const result = await model.doStream(await talk.begin(params, said));
      return { ...result, stream: storeWhileStreaming(result.stream, talk.keepReply) };
    },
  };
}

/** One conversation with a model. */
class Talk {
  readonly #memory: ConversationMemory;
  readonly #conversationId: string;
  readonly #speaker: string;
  readonly #packOptions: PackOptions;
  /** The last recall and its turn: the prompt stays the same while tools answer. */
  #recalled: { readonly turnId: number; readonly message: string } | null = null;

  constructor(
    memory: ConversationMemory,
    { conversationId, speaker = 'user', pack = {} }: MemoryMiddlewareOptions,
  ) {
    this.#memory = memory;
    this.#conversationId = checkId(conversationId, 'conversation id');
    this.#speaker = checkSpeaker(speaker);
    this.#packOptions = pack;
  }

  /** Null when the user has said nothing: then there is nothing to recall. */
  read({ prompt }: CallOptions): PromptInput | null {
    return readPromptInput(prompt, this.#speaker);
  }

  /** Stores the user's words. Returns the call with the recalled text. */
  async begin(params: CallOptions, said: PromptInput): Promise<CallOptions> {
    const turns = await this.#memory.conversations.recent(this.#conversationId, MAX_TURNS_READ);
    const known = findKept(turns, said);
    const message = await this.#recall(said, known);
    const conversationId = this.#conversationId;
    const turnId = known?.id ?? (await this.#memory.add({ conversationId, ...said.words })).turnId;
    this.#recalled = { turnId, message };
    return message === '' ? params : { ...params, prompt: withSystemMessage(params.prompt, message) };
  }

  readonly keepReply: KeepReply = async (reply, isWhole) => {
    const text = storableText(reply);
    if (text === '') return;
    await this.#memory.add({
      conversationId: this.#conversationId,
      speaker: AGENT,
      text,
      ...(!isWhole && { meta: INTERRUPTED }),
    });
  };

  async #recall(said: PromptInput, known: Turn | null): Promise<string> {
    if (known && this.#recalled?.turnId === known.id) return this.#recalled.message;
    const pack = await this.#memory.pack(said.words.text, {
      ...this.#packOptions,
      context: said.before.slice(-MAX_CONTEXT_LINES).map((line) => ({ ...line })),
      exceptUnitIds: await this.#inPrompt(said),
    });
    return pack.text === '' ? '' : toSystemMessage(pack);
  }

  /** Units that the prompt already contains. */
  async #inPrompt({ words, before }: PromptInput): Promise<number[]> {
    const texts = new Set([words, ...before].map(({ text }) => text));
    const kept = await this.#memory.units.list(
      { conversationId: this.#conversationId, kinds: ['episode'], maxSensitivity: 'secret' },
      { limit: Math.min(before.length + 1, MAX_TURNS_READ) },
    );
    return kept.flatMap((unit) => (unit.kind === 'episode' && texts.has(unit.payload.text) ? [unit.id] : []));
  }
}
