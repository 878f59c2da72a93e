import type { Message } from '../messages.ts';

/** A function call in the format of `/chat/completions`. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Tool calls and results since the user's last message, up to and including a response's own calls. */
export interface ToolRound {
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCall[];
}

const MAX_ROUNDS = 500;

/** Function calls of the last responses. They are not turns and are only held in this process. */
export class RecentCalls {
  readonly #rounds = new Map<string, ToolRound>();

  get(key: string): ToolRound | null {
    return this.#rounds.get(key) ?? null;
  }

  clear(): void {
    this.#rounds.clear();
  }

  set(key: string, round: ToolRound): void {
    this.#rounds.set(key, round);
    const [oldest] = this.#rounds.keys();
    if (this.#rounds.size > MAX_ROUNDS && oldest !== undefined) this.#rounds.delete(oldest);
  }
}
