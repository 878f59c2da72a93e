import { messageOf } from '../../model/model.ts';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeEncoder, type Encoder } from './decode.ts';
import { createBulkEncoder, type BulkEncoder } from './bulk.ts';

/** @throws Error when the data file is missing, truncated, of another version, or not an encoder. */
export function loadEncoder(path: string): Encoder {
  return decodeFile(path, readEncoderBytes(path));
}

/** An encoder for single texts in this thread, and one in worker threads, sharing the data. @throws as `loadEncoder`. */
export function loadEncoders(path: string): { readonly encoder: Encoder; readonly bulk: BulkEncoder } {
  const bytes = readEncoderBytes(path);
  const encoder = decodeFile(path, bytes);
  return { encoder, bulk: createBulkEncoder(bytes, encoder.dimensions) };
}

function decodeFile(path: string, bytes: SharedArrayBuffer): Encoder {
  try {
    return decodeEncoder(new Uint8Array(bytes));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The encoder's data file ${path} cannot be used: ${reason}`, { cause });
  }
}

/** Reads the file into memory that threads can share. */
function readEncoderBytes(path: string): SharedArrayBuffer {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
    let read = 0;
    for (let more = -1; more !== 0 && read < bytes.length; read += more)
      more = readSync(file, bytes, read, bytes.length - read, read);
    return bytes.buffer;
  } catch (cause) {
    throw new Error(`The encoder's data file ${path} cannot be read.`, { cause });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The bundled data file. */
export const ENCODER_PATH = fileURLToPath(new URL('./omoide-encoder-v2.bin', import.meta.url));
