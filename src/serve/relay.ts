/** Hands events and changes to those who listen here, whichever server in front of the database they come from. */
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

/** What is done with the memories that are open here. */
export interface RelayedMemories {
  /** The event that a unit is; null: none. @throws MemoryError */
  eventOf(memoryId: string, unitId: number): Promise<CompanionEvent | null>;
  /** Looks for jobs; absent: in every memory. */
  wake(memoryId?: string): void;
  /** Keeps nothing of what was read; absent: of any memory. */
  dropCaches(memoryId?: string): void;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #link: Link;
  /** The event read last: one after another, so that they stay in order. */
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

  /** Hands an event to everybody who listens, here and elsewhere. What is kept comes back from the database, in order. */
  publish(memoryId: string, event: CompanionEvent): void {
    const { hub } = this.#options;
    const { broadcasts } = this.#link;
    if (!broadcasts) hub.publish(memoryId, event);
    else if (event.id !== null) broadcasts.look();
    else broadcasts.send(memoryId, JSON.stringify(event)).catch(() => hub.publish(memoryId, event));
  }

  /** Tells the others that a memory was changed here. */
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
        log(`An event of the memory ${memoryId} cannot be read: ${(error as Error).message}`, 'warn');
        // They come back, and are told what they have missed.
        hub.sendAway(memoryId);
      });
  }
}
