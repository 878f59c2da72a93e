import { existsSync } from 'node:fs';
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
import { openSettings, settingsPath, type Settings as StoredSettings } from '../settings/settings.ts';
import { flag, type FlagsOf } from './command.ts';

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
  /** What happens to turns with personal data or secrets; undefined: they are masked. */
  readonly sensitive: SensitivePolicy | undefined;
}

export function dataFlag(about = "data folder of the memories (default: the platform's data folder)") {
  return flag('--data <dir>', about, { env: 'OMOIDE_DATA' });
}

export const STORE_FLAG = flag(
  '--store <url>',
  'PostgreSQL database of the memories, as postgres://user@host/database (default: files in the folder)',
  { env: 'OMOIDE_STORE' },
);

export const MEMORY_FLAG = flag('--memory <id>', 'which memory', {
  fallback: 'default',
  env: 'OMOIDE_MEMORY',
});

/** @param fallback the default */
export function embedderFlag(fallback = 'bundled') {
  return flag(
    '--embedder <setting>',
    `bundled, static, hashed, none, openai:MODEL, onnx:DIR, URL#MODEL or JSON (default: ${fallback})`,
    { env: 'OMOIDE_EMBEDDER' },
  );
}

export function modelFlag(purpose: string) {
  const about = `language model that ${purpose}: none, openai:MODEL, ollama:MODEL, URL#MODEL or JSON (default: the settings')`;
  return flag('--model <setting>', about, { env: 'OMOIDE_LIGHT_MODEL' });
}

/** The flags that choose the memory. */
export const SETTING_FLAGS = [
  dataFlag(),
  STORE_FLAG,
  flag(
    '--vector-index <url>',
    'Qdrant server that is searched for vectors, as qdrant://HOST:PORT/PREFIX (default: none)',
    { env: 'OMOIDE_VECTOR_INDEX' },
  ),
  MEMORY_FLAG,
  embedderFlag("the settings', else bundled"),
  flag('--time-zone <zone>', "time zone of a new memory (default: the machine's)", {
    env: 'OMOIDE_TIME_ZONE',
  }),
] as const;

export type SettingFlags = FlagsOf<(typeof SETTING_FLAGS)[number][]> & {
  readonly model?: string;
  readonly witness?: string;
};

/**
 * Precedence: flag, environment, default; an empty value is not set.
 * @throws MemoryError INVALID_INPUT
 */
export function readSettings(flags: SettingFlags): Settings {
  return {
    dataDir: readDataDir(flags),
    store: flags.store || undefined,
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

/** Opens the settings that are stored in a folder, which need not exist yet, and always closes them. */
export async function withStoredSettings<T>(
  dataDir: string,
  use: (settings: StoredSettings) => T | Promise<T>,
): Promise<T> {
  const settings = openSettings(settingsPath(dataDir));
  try {
    return await use(settings);
  } finally {
    settings.close();
  }
}

/** Reads something from the settings of a folder; null when there are none. */
export function readStoredSettings<T>(dataDir: string, read: (settings: StoredSettings) => T): T | null {
  const path = settingsPath(dataDir);
  if (!existsSync(path)) return null;
  const settings = openSettings(path);
  try {
    return read(settings);
  } finally {
    settings.close();
  }
}
