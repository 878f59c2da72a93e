import { Option, type Command } from 'commander';
import {
  defaultDataDir,
  MemoryError,
  SENSITIVE_POLICIES,
  type SensitivePolicy,
  parseEmbedderSetting,
  parseLanguageModelSetting,
  type EmbedderSettings,
  type LanguageModelSettings,
} from '../engine/engine.ts';

/** The location of the memory and how to open it. */
export interface Settings {
  readonly dataDir: string;
  /** The database of the memories; undefined: files in the folder. */
  readonly store: string | undefined;
  /** The server that is searched for vectors; undefined: none. */
  readonly vectorIndex: string | undefined;
  readonly memoryId: string;
  /** Undefined: the one chosen in the settings there, else the bundled one. Null: none, recall by keywords alone. */
  readonly embedder: EmbedderSettings | null | undefined;
  /** For learning and deep recall. Undefined: the one chosen in the settings there, if any. Null: none. */
  readonly model: LanguageModelSettings | null | undefined;
  /** Undefined: the machine's, for a new memory. */
  readonly timeZone: string | undefined;
  /** A file for signed heads of the chain, in addition to the one in the folder. */
  readonly witness: string | undefined;
  /** The archive, for the commands that copy turns; undefined: none. */
  readonly archive: string | undefined;
  /** What happens to turns with personal data or secrets; undefined: they are marked. */
  readonly sensitive: SensitivePolicy | undefined;
}

export interface SettingFlags {
  readonly data?: string;
  readonly store?: string;
  readonly vectorIndex?: string;
  readonly memory?: string;
  readonly embedder?: string;
  readonly model?: string;
  readonly timeZone?: string;
  readonly witness?: string;
}

export function dataOption(
  about = "data folder of the memories (default: the platform's data folder)",
): Option {
  return new Option('--data <dir>', about).env('OMOIDE_DATA');
}

export function storeOption(): Option {
  return new Option(
    '--store <url>',
    'PostgreSQL database of the memories, as postgres://user@host/database (default: files in the folder)',
  ).env('OMOIDE_STORE');
}

const vectorIndex = () =>
  new Option(
    '--vector-index <url>',
    'Qdrant server that is searched for vectors, as qdrant://HOST:PORT/PREFIX (default: none)',
  ).env('OMOIDE_VECTOR_INDEX');
const memory = () => new Option('--memory <id>', 'which memory').default('default').env('OMOIDE_MEMORY');
const timeZone = () =>
  new Option('--time-zone <zone>', "time zone of a new memory (default: the machine's)").env(
    'OMOIDE_TIME_ZONE',
  );

/** Checkpoints are signed where turns are added, so the environment variable applies to every command. */
export function witnessOption(about: string): Option {
  return new Option('--witness <file|url>', about).env('OMOIDE_WITNESS');
}

/** @param fallback the default */
export function embedderOption(fallback = 'bundled'): Option {
  return new Option(
    '--embedder <setting>',
    `bundled, static, hashed, none, openai:MODEL, onnx:DIR, URL#MODEL or JSON (default: ${fallback})`,
  ).env('OMOIDE_EMBEDDER');
}

/** Adds the option for the language model to a command. */
export function addModel(command: Command, purpose: string): Command {
  const about = `language model that ${purpose}: none, openai:MODEL, ollama:MODEL, URL#MODEL or JSON (default: the settings')`;
  return command.addOption(new Option('--model <setting>', about).env('OMOIDE_LIGHT_MODEL'));
}

/** Adds the options for the memory to a command. */
export function addSettings(command: Command): Command {
  for (const option of [
    dataOption(),
    storeOption(),
    vectorIndex(),
    memory(),
    embedderOption("the settings', else bundled"),
    timeZone(),
  ])
    command.addOption(option);
  return command;
}

/**
 * Precedence: flag, environment, default; an empty value is not set.
 * @throws MemoryError INVALID_INPUT
 */
export function readSettings(flags: SettingFlags): Settings {
  return {
    dataDir: readDataDir(flags),
    store: readStore(flags),
    vectorIndex: flags.vectorIndex || undefined,
    memoryId: flags.memory || 'default',
    embedder: readEmbedder(flags),
    model: readModel(flags),
    timeZone: flags.timeZone || undefined,
    sensitive: readSensitive(process.env['OMOIDE_SENSITIVE']),
    archive: undefined,
    witness: flags.witness || process.env['OMOIDE_WITNESS'] || undefined,
  };
}

/** @throws MemoryError INVALID_INPUT */
function readSensitive(value: string | undefined): SensitivePolicy | undefined {
  if (!value) return undefined;
  const policy = SENSITIVE_POLICIES.find((one) => one === value);
  if (policy) return policy;
  throw new MemoryError(
    'INVALID_INPUT',
    `OMOIDE_SENSITIVE must be ${SENSITIVE_POLICIES.join(', ')}, not ${value}.`,
  );
}

/** An empty value is not set. */
function readStore(flags: Pick<SettingFlags, 'store'>): string | undefined {
  return flags.store || undefined;
}

export function readDataDir(flags: Pick<SettingFlags, 'data'>): string {
  return flags.data || defaultDataDir();
}

/** @throws MemoryError INVALID_INPUT */
export function readEmbedder(flags: Pick<SettingFlags, 'embedder'>): Settings['embedder'] {
  if (flags.embedder === 'none') return null;
  return flags.embedder ? parseEmbedderSetting(flags.embedder) : undefined;
}

/** @throws MemoryError INVALID_INPUT */
function readModel({ model }: Pick<SettingFlags, 'model'>): Settings['model'] {
  if (model === 'none') return null;
  return model ? parseLanguageModelSetting(model) : undefined;
}

/** Whether errors are shown with their stack. */
export function isDebugging(): boolean {
  return process.env['OMOIDE_DEBUG'] === '1';
}
