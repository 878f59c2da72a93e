import { messageOf, unreadable } from '../../model/model.ts';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MemoryError } from '../../engine/engine.ts';
import {
  CONFIG_NAMES,
  environmentName,
  PATH_NAMES,
  resolvePaths,
  documentationOf,
  type ConfigName,
} from './schema.ts';

const FILE_NAME = 'omoide.json';

export interface ConfigFile {
  readonly path: string;
  /** As written, except paths, which are absolute. Not validated. */
  readonly values: Readonly<Partial<Record<ConfigName, unknown>>>;
}

/** Reads a file named by the user. @throws MemoryError FILE_UNREADABLE, INVALID_INPUT */
export function readNamedFile(path: string): ConfigFile {
  const file = readFile(resolve(path));
  if (file) return file;
  throw new MemoryError('FILE_UNREADABLE', `${resolve(path)} is not there.`);
}

/** The file `omoide.json` in the folder of the memories; null when there is none. @throws MemoryError FILE_UNREADABLE, INVALID_INPUT */
export function readFileIn(folder: string): ConfigFile | null {
  const file = readFile(join(folder, FILE_NAME));
  if (file?.values.data === undefined) return file;
  throw wrong(
    file.path,
    'data: the data folder is the folder of this file; use --data or OMOIDE_DATA for another one',
  );
}

function readFile(path: string): ConfigFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(path, cause);
  }
  const values = parse(path, text);
  for (const name of Object.keys(values)) checkName(path, name);
  for (const name of PATH_NAMES) {
    const written = values[name];
    const value =
      typeof written === 'string' && written !== ''
        ? (documentationOf(name).read?.(written) ?? written)
        : written;
    if (value !== undefined) values[name] = resolvePaths(value, dirname(path));
  }
  return { path, values };
}

function parse(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may contain a key.
    const place = /line \d+ column \d+/.exec(messageOf(error))?.[0];
    throw wrong(path, `it is not valid JSON${place === undefined ? '' : `: ${place}`}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw wrong(path, 'it must contain one JSON object');
}

function checkName(path: string, name: string): void {
  const known = CONFIG_NAMES.find((one) => one === name);
  if (known === undefined)
    throw wrong(path, `${name}: there is no such value; “omoide config --explain” lists all`);
  if (documentationOf(known).flag === null)
    throw wrong(path, `${name}: it can only be set with ${environmentName(name)}`);
}

function wrong(path: string, reason: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `${path}: ${reason}.`);
}
