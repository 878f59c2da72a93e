/** Streams the lines of the log to readers. */
import type { Log } from './log.ts';

/** How many past lines a new reader gets first. */
const MAX_KEPT_LINES = 500;

export interface LogLine {
  readonly at: number;
  readonly level: NonNullable<Parameters<Log>[1]>;
  readonly line: string;
}

export interface LogReader {
  read(line: LogLine): void;
  /** Called when the server stops. */
  end(): void;
}

export class LogFeed {
  readonly #readers = new Set<LogReader>();
  readonly #lines: LogLine[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Writes to the log and passes the line to the readers. */
  readonly log: Log = (line, level = 'info') => {
    this.#log(line, level);
    const entry = { at: Date.now(), level, line };
    this.#lines.push(entry);
    if (this.#lines.length > MAX_KEPT_LINES) this.#lines.shift();
    for (const reader of this.#readers) reader.read(entry);
  };

  /**
   * Passes the last lines at once, then each new one.
   * @returns a function that unsubscribes
   */
  subscribe(reader: LogReader): () => void {
    for (const line of this.#lines) reader.read(line);
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }
}
