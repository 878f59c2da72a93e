import { machineMemoryBytes } from '../../../model/model.ts';

/** A copy that was used within this time is not dropped for another: making one takes as long as hundreds of recalls save. */
const IN_USE_MS = 600_000;

interface Dropped {
  readonly size: { readonly bytes: number } | null;
  drop(): void;
}

/** Limits what the copies of large memories in one process take together. */
export class CopyBudget {
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** When each was used last, the oldest first. */
  readonly #usedAt = new Map<Dropped, number>();

  /** @param maxBytes default: an eighth of the memory of the machine, or of what the process may use */
  constructor(maxBytes = machineMemoryBytes() / 8, now = Date.now) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  noteUse(copy: Dropped): void {
    this.#usedAt.delete(copy);
    this.#usedAt.set(copy, this.#now());
  }

  remove(copy: Dropped): void {
    this.#usedAt.delete(copy);
  }

  /** Whether there is room for a copy of this size. Drops those that have not been used for a while. */
  makeRoom(bytes: number): boolean {
    let free = this.#maxBytes - bytes;
    for (const { size } of this.#usedAt.keys()) free -= size?.bytes ?? 0;
    for (const [copy, usedAt] of this.#usedAt) {
      if (free >= 0 || usedAt > this.#now() - IN_USE_MS) break;
      free += copy.size?.bytes ?? 0;
      copy.drop();
    }
    return free >= 0;
  }
}
