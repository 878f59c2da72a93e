/** Connects a server or a worker with the others that use the same database. */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/model.ts';
import {
  openBroadcasts,
  type BroadcastListener,
  type Broadcasts,
  type MemoryPlace,
} from '../engine/engine.ts';
import type { Log } from './log.ts';

const RETRY_MS = 2_000;

export interface LinkOptions {
  readonly place: MemoryPlace;
  readonly listener: BroadcastListener;
  readonly log: Log;
}

/** For files, which only one server serves, it does nothing. */
export class Link {
  readonly #options: LinkOptions;
  readonly #opening: Promise<void>;
  readonly #stopping = new AbortController();
  #broadcasts: Broadcasts | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#opening = this.#open();
  }

  /** Null: there are no others, or the database is not connected yet. */
  get broadcasts(): Broadcasts | null {
    return this.#broadcasts;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#opening;
    await this.#broadcasts?.close();
  }

  /** Retries while the database is unreachable. */
  async #open(): Promise<void> {
    const { place, listener, log } = this.#options;
    for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
      try {
        this.#broadcasts = await openBroadcasts(place, listener);
        if (failures > 0) log('The database can be used now.', 'info');
        return;
      } catch (error) {
        log(`The database cannot be used yet, trying again: ${messageOf(error)}`, 'warn');
        await pause(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
  }
}
