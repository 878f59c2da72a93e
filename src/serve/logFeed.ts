/** The lines of the log, for whoever reads along. */
import type { Log } from './log.ts';

/** A new reader hears the last so many lines first. */
const MAX_KEPT_LINES = 500;

export interface LogLine {
  readonly at: number;
  readonly level: NonNullable<Parameters<Log>[1]>;
  readonly line: string;
}

export interface LogReader {
  read(line: LogLine): void;
  /** The server stops. */
  end(): void;
}

export class LogFeed {
  readonly #readers = new Set<LogReader>();
  readonly #lines: LogLine[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Writes to the log and tells the readers. */
  readonly log: Log = (line, level = 'info') => {
    this.#log(line, level);
    const told = { at: Date.now(), level, line };
    this.#lines.push(told);
    if (this.#lines.length > MAX_KEPT_LINES) this.#lines.shift();
    for (const reader of this.#readers) reader.read(told);
  };

  /**
   * Tells the last lines at once, then each as it is written.
   * @returns ends it
   */
  subscribe(reader: LogReader): () => void {
    for (const line of this.#lines) reader.read(line);
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Sends every reader away. */
  close(): void {
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }
}
