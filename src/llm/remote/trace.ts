import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { MemoryError, messageOf } from '../../model/model.ts';

/** One request and its answer, without keys. Images are replaced by their size. */
export interface TraceRecord {
  /** When it was sent; ISO 8601, UTC. */
  readonly at: string;
  readonly modelId: string;
  readonly purpose: string;
  /** The number of previous attempts of the request. */
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly path: string;
  readonly request: unknown;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Parsed JSON if possible; else the text: of a stream, its events. */
  readonly reply: unknown;
  /** Null when it succeeded. */
  readonly error: string | null;
}

/** `value` with every occurrence of the key replaced and images shortened. */
export function withoutSecrets(value: string, apiKey: string | undefined): unknown {
  const open = value.replace(
    /data:([\w.+/-]+);base64,[\w+/=-]+/g,
    (all, type: string) => `data:${type};base64,… (${all.length} characters)`,
  );
  const safe = apiKey === undefined ? open : open.replaceAll(apiKey, '[key]');
  try {
    return JSON.parse(safe);
  } catch {
    return safe;
  }
}

export interface TraceFile {
  write(record: TraceRecord): void;
  close(): void;
}

const OWNER_ONLY = 0o600;

/**
 * Appends each record as a line of JSON to a file that only its owner can read. Written synchronously, so that the
 * events before a crash are in it.
 * @throws MemoryError FILE_UNREADABLE when the file cannot be opened for writing.
 */
export function openTraceFile(path: string): TraceFile {
  const file = openOwn(path);
  return {
    write: (record) => void writeSync(file, `${JSON.stringify(record)}\n`),
    close: () => closeSync(file),
  };
}

function openOwn(path: string): number {
  try {
    const file = openSync(path, 'a', OWNER_ONLY);
    fchmodSync(file, OWNER_ONLY);
    return file;
  } catch (error) {
    const words = messageOf(error);
    throw new MemoryError('FILE_UNREADABLE', `The trace cannot be written to ${path}: ${words}`);
  }
}
