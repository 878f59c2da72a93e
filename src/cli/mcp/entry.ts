/** The entry in a client's settings: the command that starts Omoide. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Client, Machine } from './clients.ts';
import type { McpFlags } from './flags.ts';
import type { Entry } from './format.ts';

/** The running program, with its path. */
export interface OwnProgram {
  readonly node: string;
  readonly script: string;
}

export function ownProgram(): OwnProgram {
  return { node: process.execPath, script: realpathSync(process.argv[1] ?? '') };
}

/** A path into npx's cache, which may be deleted. */
const NPX = /[\\/]_npx[\\/]/;

export function createEntry(client: Client, machine: Machine, flags: McpFlags, program: OwnProgram): Entry {
  const { projectDir, repeated } = flags;
  const project = projectDir === null ? [] : ['--project', client.projectName ?? projectDir];
  const start = startOf(program, projectDir !== null && isOnPath(machine, program));
  return { ...client.extra, command: start[0], args: [...start.slice(1), 'mcp', ...repeated, ...project] };
}

/**
 * With the full path, since graphical clients are not started from a shell and have no PATH. In a project's shared
 * file, only the name of the command, if it is in the PATH.
 */
function startOf({ node, script }: OwnProgram, byName: boolean): [string, ...string[]] {
  if (byName) return ['omoide'];
  return NPX.test(script) ? ['npx', '-y', 'omoide'] : [node, script];
}

function isOnPath({ environment }: Machine, { script }: OwnProgram): boolean {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'omoide')).find((path) => existsSync(path));
  return found !== undefined && realpathSync(found) === script;
}
