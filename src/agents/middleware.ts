import type { LanguageModelMiddleware } from 'ai';
import { checkId, checkSpeaker, type Memory, type PackOptions, type Turn } from '../engine/engine.ts';
import { toSystemMessage } from './guard.ts';
import { findKept, MAX_TURNS_READ } from './kept.ts';
import { keepOnTheWay, type KeepReply } from './reply.ts';
import {
  AGENT,
  keepable,
  readPromptInput,
  replyText,
  withSystemMessage,
  type CallOptions,
  type PromptInput,
} from './promptInput.ts';

/** Longest context handed to recall, in lines: older ones say nothing of what is meant now. */
const MAX_CONTEXT_LINES = 20;
/** What marks a reply that ended before it was whole. */
const INTERRUPTED = { interrupted: true } as const;

/** What of a memory the middleware needs. */
export type ConversationMemory = Pick<Memory, 'add' | 'pack' | 'conversations' | 'units'>;

export interface MemoryMiddlewareOptions {
  /** The conversation that goes through this middleware: one middleware for each. */
  readonly conversationId: string;
  /** By what name the user's words are kept; default `user`. */
  readonly speaker?: string;
  /** Persona, contract, budget and the like. */
  readonly pack?: Omit<PackOptions, 'context' | 'exceptUnitIds'>;
}

/**
 * For `wrapLanguageModel`. Before each call, what is remembered for the user's last words goes into the prompt as one
 * more system message, marked as data; the words are kept before the model is asked, and the reply when it has ended. An
 * interrupted reply is kept as far as it came, with `meta.interrupted`. Further calls for the same words (tools have
 * answered, a call is tried again) keep them once. Reasoning, tool calls and their results are not kept.
 *
 * What cannot be recalled or kept fails the call with a MemoryError.
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
      return { ...result, stream: keepOnTheWay(result.stream, talk.keepReply) };
    },
  };
}

/** One conversation with a model. */
class Talk {
  readonly #memory: ConversationMemory;
  readonly #conversationId: string;
  readonly #speaker: string;
  readonly #packOptions: PackOptions;
  /** What was recalled last, and for which turn: the prompt stays as it was while tools answer. */
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

  /** Null when the user has said nothing: then there is nothing to remember. */
  read({ prompt }: CallOptions): PromptInput | null {
    return readPromptInput(prompt, this.#speaker);
  }

  /** Keeps the user's words. Returns the call with what is remembered for them. */
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
    const text = keepable(reply);
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

  /** Units that the prompt holds anyway. */
  async #inPrompt({ words, before }: PromptInput): Promise<number[]> {
    const texts = new Set([words, ...before].map(({ text }) => text));
    const kept = await this.#memory.units.list(
      { conversationId: this.#conversationId, kinds: ['episode'], maxSensitivity: 'secret' },
      { limit: Math.min(before.length + 1, MAX_TURNS_READ) },
    );
    return kept.flatMap((unit) => (unit.kind === 'episode' && texts.has(unit.payload.text) ? [unit.id] : []));
  }
}
