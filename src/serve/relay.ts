/** Passes events and changes to listeners of this server, whichever server with the same database they come from. */
import { messageOf } from '../model/model.ts';
import type { CompanionEvent } from '../companion/companion.ts';
import type { MemoryPlace } from '../engine/engine.ts';
import type { ChangeFeed } from './changes.ts';
import type { EventHub } from './events.ts';
import { Link } from './link.ts';
import type { Log } from './log.ts';

export interface RelayOptions {
  readonly place: MemoryPlace;
  readonly hub: EventHub;
  readonly changes: ChangeFeed;
  readonly memories: RelayedMemories;
  readonly log: Log;
}

/** The operations on the memories that are open here. */
export interface RelayedMemories {
  /** The event of a unit; null: none. @throws MemoryError */
  eventOf(memoryId: string, unitId: number): Promise<CompanionEvent | null>;
  /** Looks for new jobs; without an id in every memory. */
  wake(memoryId?: string): void;
  /** Clears caches; without an id of every memory. */
  dropCaches(memoryId?: string): void;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #link: Link;
  /** The last event being read: one after another, to keep their order. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: RelayOptions) {
    const { place, changes, memories, hub, log } = options;
    this.#options = options;
    this.#link = new Link({
      place,
      log,
      listener: {
        onChange(memoryId) {
          memories.wake(memoryId);
          changes.notice(memoryId);
        },
        onEvent: (memoryId, unitId) => this.#readEvent(memoryId, unitId),
        onMessage: (memoryId, message) => hub.publish(memoryId, JSON.parse(message) as CompanionEvent),
        onErased: (memoryId) => memories.dropCaches(memoryId),
        onBreak() {
          memories.dropCaches();
          memories.wake();
          changes.noticeAll();
        },
      },
    });
  }

  /** Passes an event to all listeners, here and elsewhere. Stored events come back from the database, in order. */
  publish(memoryId: string, event: CompanionEvent): void {
    const { hub } = this.#options;
    const { broadcasts } = this.#link;
    if (!broadcasts) hub.publish(memoryId, event);
    else if (event.id !== null) broadcasts.look();
    else broadcasts.send(memoryId, JSON.stringify(event)).catch(() => hub.publish(memoryId, event));
  }

  /** Tells the other servers that a memory was changed here. */
  changed(memoryId: string): void {
    this.#link.broadcasts?.changed(memoryId);
  }

  async stop(): Promise<void> {
    await this.#link.stop();
    await this.#reading;
  }

  #readEvent(memoryId: string, unitId: number): void {
    const { hub, memories, log } = this.#options;
    if (!hub.hasListeners(memoryId)) return;
    this.#reading = this.#reading
      .then(async () => {
        const event = await memories.eventOf(memoryId, unitId);
        if (event) hub.publish(memoryId, event);
      })
      .catch((error: unknown) => {
        log(`An event of the memory ${memoryId} cannot be read: ${messageOf(error)}`, 'warn');
        // Listeners reconnect and get the missed events.
        hub.disconnect(memoryId);
      });
  }
}
