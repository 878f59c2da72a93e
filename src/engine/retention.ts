import type { WorkerEvent } from '../derive/derive.ts';
import { MemoryError, type Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { ForgetRequest } from './forgetting/forgetting.ts';
import type { MemoryOptions } from './memory.ts';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 3_600_000;
const MAX_DAYS = 36_500;

/** Forgets turns that are older than they may be: when it starts, and every hour. */
export class Retention {
  readonly #days: number | undefined;
  readonly #parts: RetentionParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @throws MemoryError INVALID_INPUT */
  constructor(retention: MemoryOptions['retention'], parts: RetentionParts) {
    this.#days = retention?.turnsDays;
    this.#parts = parts;
    const days = this.#days;
    if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
      const message = `retention.turnsDays must be a whole number of days from 1 to ${MAX_DAYS}, not ${days}.`;
      throw new MemoryError('INVALID_INPUT', message);
    }
  }

  start(forget: Forget): void {
    if (this.#days === undefined || this.#timer) return;
    const look = () => {
      this.#running = this.#running.then(() => this.#forgetOld(forget));
    };
    this.#timer = setInterval(look, LOOK_EVERY_MS).unref();
    look();
  }

  /** Waits for what is being forgotten. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #forgetOld(forget: Forget): Promise<void> {
    const { store, now, onEvent } = this.#parts;
    const to = now() - (this.#days ?? 0) * DAY_MS;
    try {
      const { firstTurnAt } = await store.admin.info();
      if (firstTurnAt === null || firstTurnAt >= to) return;
      await forget({ period: { to } });
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      onEvent({ type: 'stalled', error: `Old turns were not forgotten: ${error.message}` });
    }
  }
}

type Forget = (request: ForgetRequest) => Promise<unknown>;

export interface RetentionParts {
  readonly store: Store;
  readonly now: () => Instant;
  readonly onEvent: (event: WorkerEvent) => void;
}
