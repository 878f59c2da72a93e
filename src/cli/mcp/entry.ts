/** What a client is told: how Omoide is started. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Client, Machine } from './clients.ts';
import type { McpFlags } from './flags.ts';
import type { Entry } from './format.ts';

/** The program that runs now, as it was started. */
export interface OwnProgram {
  readonly node: string;
  readonly script: string;
}

export function ownProgram(): OwnProgram {
  return { node: process.execPath, script: realpathSync(process.argv[1] ?? '') };
}

/** A path into the folder where npx keeps what it fetched: another day there may be another. */
const NPX = /[\\/]_npx[\\/]/;

export function createEntry(client: Client, machine: Machine, flags: McpFlags, program: OwnProgram): Entry {
  const { projectDir, repeated } = flags;
  const project = projectDir === null ? [] : ['--project', client.projectName ?? projectDir];
  const start = startOf(program, projectDir !== null && isOnPath(machine, program));
  return { ...client.extra, command: start[0], args: [...start.slice(1), 'mcp', ...repeated, ...project] };
}

/**
 * By the whole path: clients with windows are not started from a shell, and know no PATH. A project's file, which others
 * share, names the command alone where that is found.
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
