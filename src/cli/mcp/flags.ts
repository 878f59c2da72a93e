/** The command line's choice of memory, notes and project. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { flag } from '../command.ts';
import { readSettings, type SettingFlags, type Settings } from '../settings.ts';

export const NOTES_FLAG = flag(
  '--notes <dir>',
  'folder of the notes about the user (default: “notes” in the data folder)',
);
export const PROJECT_FLAG = flag(
  '--project <dir>',
  'a project: its notes are in its folder .omoide (default: this folder, if it has that)',
);

interface Flags extends SettingFlags {
  readonly notes?: string;
  readonly project?: string;
  readonly yes?: true;
  readonly print?: true;
  readonly remove?: true;
  readonly json?: true;
}

export interface McpFlags extends Flags {
  readonly settings: Settings;
  /** Folders of note files: about the user, and about the project. */
  readonly roots: { readonly global: string; readonly project: string | null };
  /** The project's folder, if given. */
  readonly projectDir: string | null;
  /** The given flags, with absolute paths, that a client must repeat when it starts the server. */
  readonly repeated: readonly string[];
}

/** The folder of notes in a project. */
const PROJECT_NOTES = '.omoide';

export function readFlags(command: Command): McpFlags {
  const flags = command.opts<Flags>();
  const settings = readSettings(flags);
  const isNamed = command.getOptionValueSource('memory') !== 'default';
  const projectDir = flags.project ? resolve(flags.project) : null;
  const here = resolve(PROJECT_NOTES);
  const project = projectDir ? join(projectDir, PROJECT_NOTES) : existsSync(here) ? here : null;
  return {
    ...flags,
    settings: isNamed || project === null ? settings : { ...settings, memoryId: memoryOf(project) },
    roots: { global: globalRoot(flags, settings, isNamed), project },
    projectDir,
    repeated: repeat(flags, command),
  };
}

/**
 * The notes about the user are shared by all projects, whose memories index them too. A memory named explicitly may
 * be for another person, so it has its own notes.
 */
function globalRoot({ notes }: Flags, { dataDir, memoryId }: Settings, isNamed: boolean): string {
  if (notes) return resolve(notes);
  return resolve(dataDir, isNamed && memoryId !== 'default' ? `notes_${memoryId}` : 'notes');
}

/** Each project has its own memory, named after its folder: `omoide-3f2a9c1e` for `~/code/omoide`. */
function memoryOf(projectNotes: string): string {
  const dir = realPath(resolve(projectNotes, '..'));
  const name = basename(dir)
    .replaceAll(/[^\w-]+/g, '-')
    .slice(0, 32);
  const mark = createHash('sha256').update(dir).digest('hex').slice(0, 8);
  return `${name || 'project'}-${mark}`;
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

const PATHS: ReadonlySet<string> = new Set(['data', 'notes']);
/** These may also come from the environment, which clients do not pass to the server. */
const FROM_ANYWHERE: ReadonlySet<string> = new Set(['data', 'memory']);

function repeat(flags: Flags, command: Command): string[] {
  const named = ['data', 'memory', 'embedder', 'model', 'timeZone', 'notes'] as const;
  return named.flatMap((name) => {
    const source = command.getOptionValueSource(name);
    const counts = source === 'cli' || (source === 'env' && FROM_ANYWHERE.has(name));
    const value = flags[name];
    if (!counts || !value) return [];
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [flag, PATHS.has(name) ? resolve(value) : value];
  });
}
