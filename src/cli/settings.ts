import { Option, type Command } from 'commander';
import { defaultDataDir, parseEmbedderSetting, type EmbedderSettings } from '../engine/engine.ts';

/** Where the memory is and how it is opened. */
export interface Settings {
  readonly dataDir: string;
  readonly memoryId: string;
  /** Undefined: the bundled one. Null: none, recall by words alone. */
  readonly embedder: EmbedderSettings | null | undefined;
  /** Undefined: the machine's, for a memory that is made now. */
  readonly timeZone: string | undefined;
}

export interface SettingFlags {
  readonly data?: string;
  readonly memory?: string;
  readonly embedder?: string;
  readonly timeZone?: string;
}

const data = () =>
  new Option('--data <dir>', "folder of the memories (default: the platform's data folder)").env(
    'OMOIDE_DATA',
  );
const memory = () => new Option('--memory <id>', 'which memory').default('default');
const timeZone = () =>
  new Option('--time-zone <zone>', "zone of the clock of a memory that is made now (default: the machine's)");

export function embedderOption(): Option {
  return new Option(
    '--embedder <setting>',
    'bundled, hashed, none, openai:MODEL, onnx:DIR, URL#MODEL or JSON (default: bundled)',
  ).env('OMOIDE_EMBEDDER');
}

/** Gives a command the options that say which memory it works on. */
export function addSettings(command: Command): Command {
  for (const option of [data(), memory(), embedderOption(), timeZone()]) command.addOption(option);
  return command;
}

/**
 * Flag over environment over default; what is empty is not set.
 * @throws MemoryError INVALID_INPUT
 */
export function readSettings(flags: SettingFlags): Settings {
  return {
    dataDir: flags.data || defaultDataDir(),
    memoryId: flags.memory ?? 'default',
    embedder: readEmbedder(flags),
    timeZone: flags.timeZone || undefined,
  };
}

/** @throws MemoryError INVALID_INPUT */
export function readEmbedder(flags: Pick<SettingFlags, 'embedder'>): Settings['embedder'] {
  if (flags.embedder === 'none') return null;
  return flags.embedder ? parseEmbedderSetting(flags.embedder) : undefined;
}

/** Whether errors are shown with the place they come from. */
export function isDebugging(): boolean {
  return process.env['OMOIDE_DEBUG'] === '1';
}
