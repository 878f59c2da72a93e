import { isMemoryError, messageOf } from '../../model/model.ts';
import type { PointMirror } from './mirror.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Whether Qdrant can be searched. After a failure it is left alone for a while; after a failed or missed write its
 * points are compared with the store's vectors before they are searched again.
 */
export class QdrantConnection {
  readonly #mirror: PointMirror;
  readonly #onProblem: (message: string) => void;
  /** `unchecked`: the number of points is compared first. `stale`: all of them are. */
  #state: 'unchecked' | 'stale' | 'complete' = 'unchecked';
  #failures = 0;
  #pausedUntil = 0;
  #repairing: Promise<void> | null = null;
  readonly #closing = new AbortController();

  constructor(mirror: PointMirror, onProblem: (message: string) => void) {
    this.#mirror = mirror;
    this.#onProblem = onProblem;
  }

  /** Compares all points, since vectors changed in other ways than one by one; searches do without Qdrant meanwhile. */
  markStale(): void {
    this.#state = 'stale';
    if (!this.#isPaused()) this.#startRepair();
  }

  /** Resolves when no comparison is running. */
  async settled(): Promise<void> {
    await this.#repairing;
  }

  /** Runs a search; null when Qdrant cannot be searched now. */
  async search<T>(body: () => Promise<T | null>): Promise<T | null> {
    if (this.#isPaused() || this.#repairing) return null;
    return this.#attempt(async () => {
      if (this.#state === 'unchecked') this.#state = (await this.#mirror.isComplete()) ? 'complete' : 'stale';
      if (this.#state === 'stale') this.#startRepair();
      if (this.#state !== 'complete') return null;
      const found = await body();
      if (found === null) this.#state = 'stale';
      return found;
    });
  }

  /** Runs a write. When it fails or is left out, it is made up for later. */
  async write(body: () => Promise<void>): Promise<void> {
    if (this.#isPaused()) this.#state = 'stale';
    else await this.#attempt(body);
  }

  async close(): Promise<void> {
    this.#pausedUntil = Infinity;
    this.#closing.abort();
    await this.#repairing;
  }

  #isPaused(): boolean {
    return Date.now() < this.#pausedUntil;
  }

  #startRepair(): void {
    this.#repairing ??= this.#attempt(async () => {
      // What is written from here on marks it again when it fails.
      this.#state = 'unchecked';
      await this.#mirror.repair(this.#closing.signal);
    })
      .then(() => undefined)
      .finally(() => (this.#repairing = null));
  }

  async #attempt<T>(body: () => Promise<T>): Promise<T | null> {
    try {
      const result = await body();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (!isMemoryError(error, 'BUSY') && !isMemoryError(error, 'STORE_FAILED')) throw error;
      this.#state = 'stale';
      this.#pausedUntil = Date.now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.#onProblem(`${messageOf(error)} Until it answers, the store’s own vectors are searched.`);
      return null;
    }
  }
}
