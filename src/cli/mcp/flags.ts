/** What the command line says of the memory, its notes and the project. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readSettings, type SettingFlags, type Settings } from '../settings.ts';

export interface Flags extends SettingFlags {
  readonly notes?: string;
  readonly project?: string;
  readonly yes?: true;
  readonly print?: true;
  readonly remove?: true;
  readonly json?: true;
}

export interface McpFlags extends Flags {
  readonly settings: Settings;
  /** Folders of note files: about the user, and of the project. */
  readonly roots: { readonly global: string; readonly project: string | null };
  /** The project that was named. */
  readonly projectDir: string | null;
  /** What was said that a client has to say, too, when it starts the server: flags with absolute paths. */
  readonly repeated: readonly string[];
}

/** In a project: where its notes are. */
const PROJECT_NOTES = '.omoide';

export function readFlags(flags: Flags, command: Command): McpFlags {
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
 * The notes about the user are the same in every project, whose memories are indexes of them, too. A memory that was
 * named may be another person's: it has notes of its own.
 */
function globalRoot({ notes }: Flags, { dataDir, memoryId }: Settings, isNamed: boolean): string {
  if (notes) return resolve(notes);
  return resolve(dataDir, isNamed && memoryId !== 'default' ? `notes_${memoryId}` : 'notes');
}

/** Each project has a memory of its own, known again by its folder: `omoide-3f2a9c1e` of `~/code/omoide`. */
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
/** From the environment, too: clients start the server without it. */
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
