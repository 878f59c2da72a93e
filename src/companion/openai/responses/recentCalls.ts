import type { Message } from '../messages.ts';

/** A call of a function, as `/chat/completions` has it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What tools did since the user's last words, up to and with a response's own calls. */
export interface ToolRound {
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCall[];
}

const MAX_ROUNDS = 500;

/** Calls of functions of the last responses. They are no turns of a conversation and are held in this process only. */
export class RecentCalls {
  readonly #rounds = new Map<string, ToolRound>();

  get(key: string): ToolRound | null {
    return this.#rounds.get(key) ?? null;
  }

  set(key: string, round: ToolRound): void {
    this.#rounds.set(key, round);
    const [oldest] = this.#rounds.keys();
    if (this.#rounds.size > MAX_ROUNDS && oldest !== undefined) this.#rounds.delete(oldest);
  }
}
