import { isMemoryError, MemoryError, parseJson, messageOf, isRecord } from '../../model/model.ts';
import { decodeUtf8, holdsInvalidBytes, MAX_PIECE_BYTES, readUtf8 } from './bytes.ts';
import { parseCsv } from './csv.ts';
import { splitElements } from './elements.ts';
import type { ImportItem, Intake, Place, ReadRecord } from './intake.ts';
import { splitLines } from './lines.ts';
import type { SourceFile } from './source/source.ts';

/** Reads one line or element of a JSON file into items. */
export type ReadValue = (value: unknown, at: Place, intake: Intake) => Iterable<ImportItem>;

const HEAD_BYTES = 1_048_576;

/** The first megabyte of a file, as text. */
export async function readHead(file: SourceFile): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readUtf8(file.bytes())) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= HEAD_BYTES) break;
  }
  return decodeUtf8(Buffer.concat(chunks));
}

/** Reads a file with a JSON value on each line. Empty lines are skipped. */
export async function* readLines(
  file: SourceFile,
  intake: Intake,
  read: ReadValue,
): AsyncGenerator<ImportItem> {
  for await (const { line, text } of splitLines(readUtf8(file.bytes()))) {
    if (text?.trim() !== '')
      yield* readPiece(text, { place: `line ${line}`, line, ordinal: line }, intake, read);
  }
}

/** Reads a file that is a JSON array or one object. `noun` is what messages call an element. */
export async function* readElements(
  file: SourceFile,
  noun: string,
  intake: Intake,
  read: ReadValue,
): AsyncGenerator<ImportItem> {
  let count = 0;
  for await (const { line, text, isCutOff } of splitElements(readUtf8(file.bytes()))) {
    count += 1;
    const at = { place: `${noun} ${count}`, line, ordinal: count };
    if (isCutOff) yield intake.takeUnreadable('The file ends here; its end is missing.', at);
    else yield* readPiece(text, at, intake, read);
  }
}

/**
 * The elements of a file that is a JSON array.
 * @throws MemoryError FILE_UNREADABLE, also when an element is not JSON or the file ends too early.
 */
export async function* readJsonArray(path: string): AsyncGenerator {
  const { readBytes } = await import('./source/source.ts');
  for await (const { line, text, isCutOff } of splitElements(readUtf8(readBytes(path)))) {
    try {
      if (!isCutOff) yield parsePiece(text);
    } catch (cause) {
      if (!isMemoryError(cause)) throw cause;
      throw new MemoryError('FILE_UNREADABLE', `${path}, line ${line}: ${cause.message}`, { cause });
    }
    if (isCutOff) throw new MemoryError('FILE_UNREADABLE', `${path} is incomplete: its end is missing.`);
  }
}

/** Reads a file of messages with a header that names the columns. */
export async function* readRows(
  file: SourceFile,
  { delimiter, intake, read }: { delimiter: string; intake: Intake; read: ReadRecord },
): AsyncGenerator<ImportItem> {
  let header: readonly string[] | null = null;
  for await (const { line, cells } of parseCsv(splitLines(readUtf8(file.bytes())), delimiter)) {
    const at = { place: `line ${line}`, line, ordinal: line };
    if (cells === null) yield intake.takeUnreadable('A quotation mark that opens here is never closed.', at);
    else if (header === null) header = cells.map((name) => name.trim());
    else if (cells.slice(header.length).some((cell) => cell.trim() !== '')) {
      const reason = `It has ${cells.length} cells, but the header has ${header.length}.`;
      yield intake.takeUnreadable(reason, at);
    } else
      yield* read(Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])), at, intake);
  }
}

function* readPiece(text: string | null, at: Place, intake: Intake, read: ReadValue): Generator<ImportItem> {
  let value: unknown;
  try {
    value = parsePiece(text);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    yield intake.takeUnreadable(error.message, at, error.code);
    return;
  }
  yield* read(value, at, intake);
}

function parsePiece(text: string | null): unknown {
  if (text === null) throw new MemoryError('TEXT_TOO_LONG', `It is longer than ${MAX_PIECE_BYTES} bytes.`);
  try {
    return parseJson(text);
  } catch (cause) {
    if (holdsInvalidBytes(text))
      throw new MemoryError('INVALID_TEXT', 'It contains bytes that are not UTF-8.');
    const reason = messageOf(cause).replace(/ \(line \d+ column \d+\)$/, '');
    throw new MemoryError('INVALID_INPUT', `It is not JSON: ${reason}`, { cause });
  }
}

/** A reader for values that must be objects. */
export function ofObjects(read: ReadRecord): ReadValue {
  return (value, at, intake) =>
    isRecord(value) ? read(value, at, intake) : [intake.takeUnreadable('It is not a JSON object.', at)];
}
