/**
 * The configuration of `omoide serve`, read in one place. Precedence: flag, environment, file, default. An empty
 * value counts as not set.
 */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { defaultDataDir, isMemoryError, MemoryError } from '../../engine/engine.ts';
import { withoutPassword } from '../../model/model.ts';
import { readFileIn, readNamedFile, type ConfigFile } from './file.ts';
import {
  checkValue,
  CONFIG_NAMES,
  configSchema,
  environmentName,
  PATH_NAMES,
  resolvePaths,
  documentationOf,
  type Config,
  type ConfigName,
} from './schema.ts';

export type { Config } from './schema.ts';

export interface ConfigValue {
  readonly name: ConfigName;
  /** The value to show: without keys and tokens. Null: not set. */
  readonly value: unknown;
  /** `--port`, `OMOIDE_PORT`, `/…/omoide.json` or `default`. */
  readonly source: string;
  /** Its flag; null when it has none. */
  readonly flag: string | null;
  readonly environment: string;
  readonly about: string;
  /** What applies when it is not set, in words. */
  readonly fallback: string;
}

export interface ReadConfig {
  readonly config: Config;
  readonly values: readonly ConfigValue[];
  /** The file that was read, if there is one. */
  readonly file: string | null;
}

/** Adds the flags of the configuration to a command: of all values, or of these. */
export function addConfigFlags(command: Command, names: readonly ConfigName[] = CONFIG_NAMES): Command {
  for (const name of names) {
    const { flag } = documentationOf(name);
    if (flag !== null) command.addOption(new Option(flag, describe(name)).env(environmentName(name)));
  }
  return command.addOption(
    new Option('--config <file>', 'the same values as JSON (default: omoide.json in the folder)').env(
      'OMOIDE_CONFIG',
    ),
  );
}

function describe(name: ConfigName): string {
  const { about, flagAbout } = documentationOf(name);
  return flagAbout ?? `${about} (default: ${fallbackOf(name)})`;
}

function fallbackOf(name: ConfigName): string {
  const { otherwise } = documentationOf(name);
  const fallback = configSchema.shape[name].safeParse(undefined).data;
  return otherwise ?? (typeof fallback === 'string' ? fallback : JSON.stringify(fallback));
}

/**
 * Reads the configuration of a command with its flags.
 * @throws MemoryError INVALID_INPUT, naming the wrong value and its source; FILE_UNREADABLE
 */
export function readConfig(
  command: Command,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ReadConfig {
  const flag = <T>(name: string): T | undefined =>
    command.getOptionValueSource(name) === 'cli' ? notEmpty(command.getOptionValue(name) as T) : undefined;
  const variable = (name: string) => notEmpty(environment[environmentName(name)]?.trim());
  const file = findFile((name) => flag<string>(name) ?? variable(name));
  const path = file?.path ?? '';
  const places: Place[] = [
    { source: (name) => flagOf(name) ?? name, value: flag },
    { source: environmentName, value: variable },
    {
      source: () => path,
      label: (name) => `${path}, ${name}`,
      value: (name) => notEmpty(file?.values[name]),
    },
  ];
  const found = CONFIG_NAMES.map((name) => ({ name, ...find(name, places) }));
  return {
    config: Object.fromEntries(found.map(({ name, value }) => [name, value])) as unknown as Config,
    values: found.map(({ name, value, source }) => ({
      name,
      value: withoutSecrets(name, value),
      source,
      flag: flagOf(name),
      environment: environmentName(name),
      about: documentationOf(name).about,
      fallback: fallbackOf(name),
    })),
    file: file?.path ?? null,
  };
}

interface Place {
  readonly source: (name: ConfigName) => string;
  /** The name of a value in errors, where the source does not give it. */
  readonly label?: (name: ConfigName) => string;
  readonly value: (name: ConfigName) => unknown;
}

function findFile(valueOf: (name: 'config' | 'data') => string | undefined): ConfigFile | null {
  const named = valueOf('config');
  return named === undefined
    ? readFileIn(resolve(valueOf('data') ?? defaultDataDir()))
    : readNamedFile(named);
}

function find(name: ConfigName, places: readonly Place[]): { value: unknown; source: string } {
  const place = places.find(({ value }) => value(name) !== undefined);
  const source = place?.source(name) ?? 'default';
  try {
    const value = checkValue(name, place?.value(name));
    return { value: PATH_NAMES.includes(name) ? resolvePaths(value, '.') : value, source };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    throw new MemoryError('INVALID_INPUT', `${place?.label?.(name) ?? source}: ${error.message}`);
  }
}

function notEmpty<T>(value: T): T | undefined {
  return value === '' ? undefined : value;
}

/** `--port` */
function flagOf(name: ConfigName): string | null {
  return documentationOf(name).flag?.split(' ')[0] ?? null;
}

const HIDDEN = '(set, not shown)';

function withoutSecrets(name: ConfigName, value: unknown): unknown {
  if (value === undefined) return null;
  if (name === 'token') return HIDDEN;
  if (typeof value === 'string') return withoutPassword(value);
  const isKeyed = typeof value === 'object' && value !== null && 'apiKey' in value;
  return isKeyed ? { ...value, apiKey: HIDDEN } : value;
}
