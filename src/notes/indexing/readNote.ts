import { errorCode } from '../../model/model.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeText, hashBytes, MAX_BYTES } from '../content.ts';
import { holdFile } from '../write/write.ts';
import type { FoundFile, Skipped } from './walk.ts';

export interface ReadNote {
  readonly text: string;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** When it was last written, in milliseconds with fraction. */
  readonly writtenAt: number;
  /** The same; 0 when it is so recent that the file could change again without a later time stamp. */
  readonly modifiedAt: number;
}

/** A file written to within this time, in milliseconds, may be incomplete. */
const QUIET_MS = 20;
const MAX_WAIT_MS = 150;
/** The coarsest resolution of time stamps in file systems, in milliseconds. */
const COARSEST_TIME_MS = 2_000;

/** Reads a file when no program is writing it; null when it is deleted. */
export async function readNote(file: Pick<FoundFile, 'path' | 'uri'>): Promise<ReadNote | Skipped | null> {
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const read = readNow(file);
    const isQuiet = !read || 'reason' in read || Date.now() - read.writtenAt >= QUIET_MS;
    if (isQuiet || Date.now() >= until) return read;
    await sleep(QUIET_MS / 2);
  }
}

function readNow({ path, uri }: Pick<FoundFile, 'path' | 'uri'>): ReadNote | Skipped | null {
  try {
    const held = holdFile(path, MAX_BYTES);
    held?.close();
    if (!held) return null;
    const { bytes, stats } = held;
    const text = decodeText(bytes);
    if (text === null) return skipped(uri, 'not text', `${path} is not text in UTF-8.`);
    const writtenAt = Number(stats.mtimeNs) / 1e6;
    const isFresh = Math.abs(Date.now() - writtenAt) < COARSEST_TIME_MS;
    const modifiedAt = isFresh ? 0 : writtenAt;
    return { text, hash: hashBytes(bytes), sizeBytes: bytes.length, modifiedAt, writtenAt };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EFBIG') {
      return skipped(
        uri,
        'too large',
        `${path} is larger than ${MAX_BYTES / 1_048_576} MiB and is not read.`,
      );
    }
    return skipped(uri, 'unreadable', `${path} cannot be read: ${code || String(error)}.`);
  }
}

function skipped(uri: string, reason: Skipped['reason'], message: string): Skipped {
  return { uri, reason, message };
}
