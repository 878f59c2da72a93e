import type { CompanionEvent } from '../companion/companion.ts';

/** A listener for one memory’s events. */
export interface Listener {
  readonly memoryId: string;
  onEvent(event: CompanionEvent): void;
  /** Called when the server stops. */
  end(): void;
}

export class EventHub {
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  /** @returns a function that unsubscribes */
  subscribe(listener: Listener): () => void {
    if (this.#isClosed) listener.end();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(memoryId: string, event: CompanionEvent): void {
    for (const listener of this.#listeners) if (listener.memoryId === memoryId) listener.onEvent(event);
  }

  hasListeners(memoryId: string): boolean {
    return this.#listeners.values().some((listener) => listener.memoryId === memoryId);
  }

  /** Disconnects the listeners of a memory; they may reconnect at once. */
  disconnect(memoryId: string): void {
    for (const listener of this.#listeners) if (listener.memoryId === memoryId) listener.end();
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Disconnects every listener. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}
