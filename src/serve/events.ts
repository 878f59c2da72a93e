/** Hands what companions say of their own accord to whoever listens. */
import type { CompanionEvent } from '../companion/companion.ts';

/** Somebody who listens to one memory’s events. */
export interface Listener {
  readonly memoryId: string;
  hear(event: CompanionEvent): void;
  /** The server stops. */
  end(): void;
}

export class EventHub {
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  /** @returns ends it */
  subscribe(listener: Listener): () => void {
    if (this.#isClosed) listener.end();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(memoryId: string, event: CompanionEvent): void {
    for (const listener of this.#listeners) if (listener.memoryId === memoryId) listener.hear(event);
  }

  hasListeners(memoryId: string): boolean {
    return this.#listeners.values().some((listener) => listener.memoryId === memoryId);
  }

  /** Ends those who listen to a memory; they may come back at once. */
  sendAway(memoryId: string): void {
    for (const listener of this.#listeners) if (listener.memoryId === memoryId) listener.end();
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Sends every listener away. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}
