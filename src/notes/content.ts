/** Conversions between the bytes of a file of notes and text. */
import { hash } from 'node:crypto';

/** Larger files are not read, in bytes. */
export const MAX_BYTES = 1_048_576;

const BOM = '\ufeff';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, including its byte order mark; null when the bytes are not UTF-8 or contain a NUL. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** SHA-256 of the bytes, hex. */
export function hashBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

export function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

/** `after` in the format of `before`: with its byte order mark, and with its line ends when these are all the same. */
export function inFormatOf(before: string, after: string): string {
  const plain = withoutBom(after);
  const lines = usesOnlyCrlf(before) ? plain.replace(/(?<!\r)\n/g, '\r\n') : plain;
  return before.startsWith(BOM) ? BOM + lines : lines;
}

/** The most frequent line end of a text. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const crlf = text.split('\r\n').length - 1;
  return crlf * 2 > text.split('\n').length - 1 ? '\r\n' : '\n';
}

function usesOnlyCrlf(text: string): boolean {
  return text.includes('\n') && !/(?<!\r)\n/.test(text);
}
