/** What settings written on one line have in common. */
import { MemoryError } from '../model/model.ts';

/** Before and after the first separator; the whole alone when there is none. */
export function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** @param what `embedder`, for the message. @throws MemoryError INVALID_INPUT */
export function readJsonSetting(value: string, what: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // The parser's own words quote the text, in which someone may have put a key.
    throw new MemoryError('INVALID_INPUT', `The ${what} settings are not valid JSON.`);
  }
}
