import type { DocumentReader } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';
import type { ForegroundPriority } from '../async/async.ts';

/** What is written in one go is read in one go. */
const DELAY_MS = 30;
/** More than these came by many at once: they are read when they are asked for. */
const MAX_READ = 100;

/** Has what was written read when nobody waits, and not by the question that comes next. */
export class CatchUp {
  readonly #store: Pick<Store, 'catchUp'>;
  readonly #reader: Pick<DocumentReader, 'read'>;
  readonly #foregroundPriority: ForegroundPriority;
  readonly #unread = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    store: Pick<Store, 'catchUp'>,
    reader: Pick<DocumentReader, 'read'>,
    foregroundPriority: ForegroundPriority,
  ) {
    this.#store = store;
    this.#reader = reader;
    this.#foregroundPriority = foregroundPriority;
  }

  /** Something was written: this episode, or whatever it may be. */
  soon(unitId?: number): void {
    if (unitId !== undefined && this.#unread.size < MAX_READ) this.#unread.add(unitId);
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#running = this.#run();
    }, DELAY_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#foregroundPriority.free();
    this.#timer = undefined;
    if (this.#isStopped) return;
    const unitIds = [...this.#unread];
    this.#unread.clear();
    try {
      await this.#store.catchUp();
      if (unitIds.length > 0) await this.#reader.read(unitIds);
    } catch {
      // Whoever asks next reads it then, and is told what is wrong.
    }
  }
}
