import type { WorkerEvent } from '../derive/derive.ts';
import { MemoryError, type Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { ForgetRequest } from './forgetting/forgetting.ts';
import type { MemoryOptions } from './memory.ts';

const DAY_MS = 86_400_000;
const CHECK_INTERVAL_MS = 3_600_000;
const MAX_DAYS = 36_500;

/** Removes what is older than it may be: when it starts, and every hour. */
export class Retention {
  readonly #days: NonNullable<MemoryOptions['retention']>;
  readonly #parts: RetentionParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @throws MemoryError INVALID_INPUT */
  constructor(retention: MemoryOptions['retention'], parts: RetentionParts) {
    this.#days = retention ?? {};
    this.#parts = parts;
    for (const [name, days] of Object.entries(this.#days)) {
      if (days === undefined || (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) continue;
      const message = `retention.${name} must be a whole number of days from 1 to ${MAX_DAYS}, not ${days}.`;
      throw new MemoryError('INVALID_INPUT', message);
    }
  }

  start(forget: Forget): void {
    if (Object.keys(this.#days).length === 0 || this.#timer) return;
    const look = () => {
      this.#running = this.#running.then(() => this.#removeOld(forget));
    };
    this.#timer = setInterval(look, CHECK_INTERVAL_MS).unref();
    look();
  }

  /** Waits for what is being forgotten. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #removeOld(forget: Forget): Promise<void> {
    const { store, onEvent } = this.#parts;
    const { turnsDays, journalDays, versionsDays } = this.#days;
    const [journalBefore, versionsBefore] = [this.#before(journalDays), this.#before(versionsDays)];
    try {
      if (journalBefore !== null || versionsBefore !== null)
        await store.forgetting.removeHistory({ journalBefore, versionsBefore });
      await this.#forgetTurns(this.#before(turnsDays), forget);
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      onEvent({ type: 'stalled', error: `Expired data was not removed: ${error.message}` });
    }
  }

  async #forgetTurns(to: Instant | null, forget: Forget): Promise<void> {
    if (to === null) return;
    const { firstTurnAt } = await this.#parts.store.admin.info();
    if (firstTurnAt !== null && firstTurnAt < to) await forget({ period: { to } });
  }

  #before(days: number | undefined): Instant | null {
    return days === undefined ? null : this.#parts.now() - days * DAY_MS;
  }
}

type Forget = (request: ForgetRequest) => Promise<unknown>;

export interface RetentionParts {
  readonly store: Store;
  readonly now: () => Instant;
  readonly onEvent: (event: WorkerEvent) => void;
}
