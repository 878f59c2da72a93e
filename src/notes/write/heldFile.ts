import { errorCode } from '../../model/model.ts';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';

/**
 * A file as it was read. Its inode is kept open, so that later writes to it are seen even after the name belongs to
 * another file.
 */
export class HeldFile {
  readonly stats: BigIntStats;
  readonly bytes: Buffer;
  readonly #descriptor: number;

  constructor(descriptor: number, stats: BigIntStats, bytes: Buffer) {
    this.#descriptor = descriptor;
    this.stats = stats;
    this.bytes = bytes;
  }

  /** Its current content. */
  read(): { readonly stats: BigIntStats; readonly bytes: Buffer } {
    return readWhole(this.#descriptor, MAX_HELD_BYTES);
  }

  /** Its current size and time, without its content. */
  look(): BigIntStats {
    return fstatSync(this.#descriptor, { bigint: true });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Does not follow a link in the file's place, and does not wait for a pipe. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Larger files, in bytes, are not changed: they cannot be files of notes. */
const MAX_HELD_BYTES = 64 * 1_048_576;
/** How often a file is read again when its size changes in the meantime. */
const MAX_READS = 20;

/**
 * Opens and reads a file; null when there is none.
 * @throws as `node:fs` does; EFBIG when it has more than `maxBytes`
 */
export function holdFile(path: string, maxBytes = MAX_HELD_BYTES): HeldFile | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
  try {
    const { stats, bytes } = readWhole(descriptor, maxBytes);
    return new HeldFile(descriptor, stats, bytes);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads until nothing was written during the read. */
function readWhole(descriptor: number, maxBytes: number): { stats: BigIntStats; bytes: Buffer } {
  let before = fstatSync(descriptor, { bigint: true });
  if (!before.isFile()) throw Object.assign(new Error('It is not a file.'), { code: 'EISDIR' });
  for (let reads = 1; ; reads++) {
    if (before.size > maxBytes) throw Object.assign(new Error('It is too large.'), { code: 'EFBIG' });
    const bytes = readBytes(descriptor, Number(before.size));
    const after = fstatSync(descriptor, { bigint: true });
    if ((isSameContent(before, after) && BigInt(bytes.length) === after.size) || reads === MAX_READS) {
      return { stats: after, bytes };
    }
    before = after;
  }
}

function readBytes(descriptor: number, size: number): Buffer {
  // One byte more than expected, to see whether there is more.
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

/** Whether the stats of a file show no write between two checks. */
export function isSameContent(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs;
}
