/** Tells pages that a memory has changed, so that they reload what they show. It does not say what changed. */

import { setTimeout as pause } from 'node:timers/promises';

interface Follower {
  readonly memoryId: string;
  readonly notice: () => void;
  readonly end: () => void;
}

/** Changes within this time, in milliseconds, are reported together. */
const PAUSE_MS = 250;

export class ChangeFeed {
  readonly #followers = new Set<Follower>();
  readonly #onPublish: (memoryId: string) => void;
  #isClosed = false;

  /** @param onPublish called for each change in this process */
  constructor(onPublish: (memoryId: string) => void) {
    this.#onPublish = onPublish;
  }

  /** Reports a change in this process. */
  publish(memoryId: string): void {
    this.notice(memoryId);
    this.#onPublish(memoryId);
  }

  /** Reports a change in this process or by another server. */
  notice(memoryId: string): void {
    for (const follower of this.#followers) if (follower.memoryId === memoryId) follower.notice();
  }

  /** Any memory may have changed. */
  noticeAll(): void {
    for (const follower of this.#followers) follower.notice();
  }

  /** Yields once for every burst of changes, until the signal is aborted or the feed is closed. */
  async *follow(memoryId: string, signal: AbortSignal): AsyncGenerator<void> {
    const state = { isChanged: false, isEnded: this.#isClosed || signal.aborted, wake: () => {} };
    const set = (change: Partial<typeof state>) => {
      Object.assign(state, change);
      state.wake();
    };
    const follower: Follower = {
      memoryId,
      notice: () => set({ isChanged: true }),
      end: () => set({ isEnded: true }),
    };
    this.#followers.add(follower);
    signal.addEventListener('abort', follower.end, { once: true });
    try {
      for (;;) {
        if (!state.isChanged && !state.isEnded)
          await new Promise<void>((resolve) => {
            state.wake = resolve;
          });
        if (state.isEnded) return;
        state.isChanged = false;
        yield;
        await pause(PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      this.#followers.delete(follower);
      signal.removeEventListener('abort', follower.end);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const follower of this.#followers) follower.end();
  }
}
