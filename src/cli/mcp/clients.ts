/** The agents for which Omoide can be installed, and the files of their settings. */
import { keysOf } from '../../model/model.ts';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createJsonFormat } from './json.ts';
import type { ConfigFormat } from './format.ts';
import { tomlFormat } from './toml.ts';

/** What determines the paths of files. */
export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function thisMachine(): Machine {
  return { home: homedir(), platform: process.platform, environment: process.env };
}

export interface Client {
  readonly title: string;
  readonly format: ConfigFormat;
  readonly userFile: (machine: Machine) => string;
  /** The settings file of a project, relative to the project; null when there is none. */
  readonly projectFile: string | null;
  /** How a project's folder is written in that shared file; null: by its path. */
  readonly projectName: string | null;
  /** Folders or files that exist when the client is installed. */
  readonly signs: (machine: Machine) => readonly string[];
  /** Members of an entry in addition to the command. */
  readonly extra: Readonly<Record<string, string>>;
}

/** The settings folder of programs: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
function settingsFolder({ home, platform, environment }: Machine, ...names: string[]): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', ...names);
  if (platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), ...names);
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), ...names);
}

const claudeFolder = ({ home, environment }: Machine) => environment['CLAUDE_CONFIG_DIR'] || home;
const codexFolder = ({ home, environment }: Machine) => environment['CODEX_HOME'] || join(home, '.codex');
const desktopFolder = (machine: Machine) => settingsFolder(machine, 'Claude');
const codeFolder = (machine: Machine) => settingsFolder(machine, 'Code', 'User');

export const CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    format: createJsonFormat('mcpServers'),
    userFile: (machine) => join(claudeFolder(machine), '.claude.json'),
    projectFile: '.mcp.json',
    // This client starts servers in the project's folder.
    projectName: '.',
    signs: (machine) => [join(claudeFolder(machine), '.claude.json'), join(machine.home, '.claude')],
    extra: { type: 'stdio' },
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: createJsonFormat('mcpServers'),
    userFile: (machine) => join(desktopFolder(machine), 'claude_desktop_config.json'),
    projectFile: null,
    projectName: null,
    signs: (machine) => [desktopFolder(machine)],
    extra: {},
  },
  cursor: {
    title: 'Cursor',
    format: createJsonFormat('mcpServers'),
    userFile: ({ home }) => join(home, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    projectName: '${workspaceFolder}',
    signs: ({ home }) => [join(home, '.cursor')],
    extra: {},
  },
  vscode: {
    title: 'VS Code',
    format: createJsonFormat('servers'),
    userFile: (machine) => join(codeFolder(machine), 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    projectName: '${workspaceFolder}',
    signs: (machine) => [codeFolder(machine)],
    extra: { type: 'stdio' },
  },
  codex: {
    title: 'Codex',
    format: tomlFormat,
    userFile: (machine) => join(codexFolder(machine), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    projectName: null,
    signs: (machine) => [codexFolder(machine)],
    extra: {},
  },
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = keysOf(CLIENTS);

export function isPresent(client: Client, machine: Machine): boolean {
  return client.signs(machine).some((path) => existsSync(path));
}
