/** Helpers for settings written on one line. */
import { MemoryError, parseJson } from '../model/model.ts';

/** The parts before and after the first separator; only the whole when there is none. */
export function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** @param what `embedder`, for the message. @throws MemoryError INVALID_INPUT */
export function readJsonSetting(value: string, what: string): unknown {
  try {
    return parseJson(value);
  } catch {
    // The parser's message quotes the text, which may contain a key.
    throw new MemoryError('INVALID_INPUT', `The ${what} settings are not valid JSON.`);
  }
}
