/** The interface of a client's settings file, whatever its syntax: one of its entries is ours. */
import { isDeepStrictEqual } from 'node:util';
import { MemoryError } from '../../engine/engine.ts';

export const SERVER_NAME = 'omoide';

/** A server in a client's settings. Members that we do not set are kept. */
export type Entry = Readonly<Record<string, unknown>>;

export interface ConfigFormat {
  /** Parses the file. @throws SyntaxProblem */
  parse(text: string): unknown;
  /** The key of the list of servers. */
  readonly key: string;
  /** The text with our entry's members set to these; everything else unchanged. */
  put(text: string, entry: Entry): string;
  remove(text: string): string;
  show(entry: Entry): string[];
}

export class SyntaxProblem extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Our entry; null when there is none.
 * @throws MemoryError UNKNOWN_FORMAT, with the line if known
 */
export function readEntry(format: ConfigFormat, text: string, path: string): Entry | null {
  const servers = member(parse(format, text, path), format.key, path);
  const entry = servers === undefined ? undefined : member(servers, SERVER_NAME, `${path}, ${format.key}`);
  if (entry === undefined) return null;
  // Converts the parser's special objects to plain ones.
  if (isObject(entry)) return { ...entry };
  throw formatError(`${path}: “${SERVER_NAME}” in “${format.key}” is not an object.`);
}

/** The text with our entry set, or (null) without it. @throws MemoryError UNKNOWN_FORMAT */
export function writeEntry(format: ConfigFormat, text: string, path: string, entry: Entry | null): string {
  const before = readEntry(format, text, path);
  const after = entry === null ? format.remove(text) : format.put(text, entry);
  const expected = withEntry(parse(format, text, path), format.key, entry && { ...before, ...entry });
  if (isDeepStrictEqual(toPlainObject(tryParse(format, after)), toPlainObject(expected))) return after;
  throw formatError(`${path} cannot be edited without changing other parts; edit it by hand.`);
}

function parse(format: ConfigFormat, text: string, path: string): unknown {
  try {
    return format.parse(text);
  } catch (error) {
    if (error instanceof SyntaxProblem) throw formatError(`${path}, line ${error.line}: ${error.message}`);
    throw error;
  }
}

function tryParse(format: ConfigFormat, text: string): unknown {
  try {
    return format.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string, where: string): unknown {
  if (!isObject(value)) throw formatError(`${where} is not an object.`);
  return value[name];
}

function withEntry(file: unknown, key: string, entry: Entry | null): unknown {
  const { [key]: servers, ...rest } = file as Record<string, Entry | undefined>;
  const { [SERVER_NAME]: _, ...others } = servers ?? {};
  const now = entry === null ? others : { ...others, [SERVER_NAME]: entry };
  return { ...rest, [key]: now };
}

/** Converts to plain objects. An absent table equals an empty one, since removing our entry may leave either. */
function toPlainObject(file: unknown): unknown {
  if (!isObject(file)) return file;
  const filled = Object.entries(file).filter(
    ([, value]) => !(isObject(value) && Object.keys(value).length === 0),
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(filled)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formatError(message: string): MemoryError {
  return new MemoryError('UNKNOWN_FORMAT', message);
}

/** `\r\n` if the text uses it, else `\n`. */
export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
