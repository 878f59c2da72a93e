import { unreadable } from '../model/model.ts';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { beginsExport } from '../engine/engine.ts';

/** The first line of an export is shorter. */
const HEADER_BYTES = 4_096;

/** Whether a file begins like an export. @throws MemoryError FILE_UNREADABLE */
export async function isExport(path: string): Promise<boolean> {
  const head = await Array.fromAsync(readBytes(path, HEADER_BYTES));
  return beginsExport(Buffer.concat(head));
}

/** @throws MemoryError FILE_UNREADABLE */
export async function* readBytes(path: string, maxBytes = Infinity): AsyncGenerator<Uint8Array> {
  try {
    // A pipe can be read only once, but a file is examined before it is imported.
    if (!(await stat(path)).isFile()) throw new Error('it is not an ordinary file');
    const bytes: AsyncIterable<Buffer> = createReadStream(path, { end: maxBytes });
    yield* bytes;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
