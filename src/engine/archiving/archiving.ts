/** Keeps the archive of an open memory up to date, and restores a memory from one. */
import {
  ArchiveWriter,
  openArchivePlace,
  verifyArchive,
  type ArchiveCheck,
  type ArchivePlace,
  type ArchiveReport,
} from '../../archive/archive.ts';
import type { WorkerEvent } from '../../derive/derive.ts';
import { MemoryError, type Instant } from '../../model/model.ts';
import type { RawTurns, Store } from '../../store/store.ts';

export { restoreArchive, type ArchiveRestore, type RestoredArchive } from './restore.ts';

/** How many turns are copied together; fewer wait, since each batch is one object. */
const BATCH = 200;
/** The longest time that turns wait, in milliseconds. */
const MAX_WAIT_MS = 300_000;
const CHECK_INTERVAL_MS = 30_000;

export interface ArchivingOptions {
  readonly store: Store;
  /** Undefined: no archive. */
  readonly where: string | undefined;
  readonly onEvent: (event: WorkerEvent) => void;
}

export interface ArchiveState {
  /** False for a memory in PostgreSQL. */
  readonly isPossible: boolean;
  /** The location of the archive; null when none was given at opening. */
  readonly place: string | null;
  /** Turns with a copy in an archive, and those without. */
  readonly archived: number;
  readonly pending: number;
  /** When the newest turn with a copy was said. */
  readonly archivedTo: Instant | null;
}

export class Archiving {
  readonly #place: ArchivePlace | null;
  readonly #turns: RawTurns | null;
  readonly #writer: ArchiveWriter | null;
  readonly #onEvent: ArchivingOptions['onEvent'];
  #timer: NodeJS.Timeout | undefined;
  /** When the first of the waiting turns was seen. */
  #waitingSince: number | null = null;
  #lastFailure = '';

  /** @throws MemoryError INVALID_INPUT */
  constructor({ store, where, onEvent }: ArchivingOptions) {
    this.#onEvent = onEvent;
    this.#place = where === undefined ? null : openArchivePlace(where);
    this.#turns = store.rawTurns;
    this.#writer = this.#place && this.#turns && new ArchiveWriter(store, this.#turns, this.#place);
  }

  /** Starts copying turns automatically. */
  start(): void {
    if (this.#writer) this.#timer ??= setInterval(() => void this.#look(), CHECK_INTERVAL_MS).unref();
  }

  /** Copies waiting turns and stops. A failure is reported, and the turns are copied next time. */
  async stop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#tryWrite();
  }

  async state(): Promise<ArchiveState> {
    const place = this.#place?.name ?? null;
    if (!this.#turns) return { isPossible: false, place, archived: 0, pending: 0, archivedTo: null };
    return { isPossible: true, place, ...(await this.#turns.state()) };
  }

  /** @throws MemoryError */
  async write(onProgress?: (turns: number) => void): Promise<ArchiveReport> {
    return this.#required(this.#writer).write(onProgress);
  }

  /** @throws MemoryError */
  async verify(): Promise<ArchiveCheck> {
    return verifyArchive(this.#required(this.#turns), this.#required(this.#place));
  }

  async #look(): Promise<void> {
    if (!(await this.#hasPending(1))) {
      this.#waitingSince = null;
      return;
    }
    this.#waitingSince ??= Date.now();
    if (Date.now() - this.#waitingSince < MAX_WAIT_MS && !(await this.#hasPending(BATCH))) return;
    this.#waitingSince = null;
    await this.#tryWrite();
  }

  async #hasPending(count: number): Promise<boolean> {
    try {
      return (await this.#writer?.hasPending(count)) === true;
    } catch (error) {
      this.#tell(error);
      return false;
    }
  }

  async #tryWrite(): Promise<void> {
    try {
      await this.#writer?.write();
      this.#lastFailure = '';
    } catch (error) {
      this.#tell(error);
    }
  }

  /** The same error is reported once. */
  #tell(error: unknown): void {
    if (!(error instanceof MemoryError)) throw error;
    if (error.message !== this.#lastFailure) this.#onEvent({ type: 'stalled', error: error.message });
    this.#lastFailure = error.message;
  }

  #required<Part>(part: Part | null): Part {
    if (part && this.#place) return part;
    throw new MemoryError('INVALID_INPUT', 'The memory was opened without an archive.');
  }
}
