/** `omoide mcp doctor`: checks whether each client has an entry for Omoide, and can start it. */
import { messageOf } from '../../model/model.ts';
import { join, resolve } from 'node:path';
import { isMemoryError } from '../../engine/engine.ts';
import { padEnd } from '../../text/text.ts';
import { plain, printJson, printLines, style, wrapped } from '../terminal.ts';
import { CLIENT_NAMES, CLIENTS, isPresent, type Client, type ClientName, type Machine } from './clients.ts';
import { readConfigFile } from './configFile.ts';
import type { McpFlags } from './flags.ts';
import { readEntry, type Entry } from './format.ts';
import { probe } from './probe.ts';

interface Finding {
  readonly client: ClientName;
  readonly path: string;
  readonly status: 'ok' | 'absent' | 'fail';
  readonly message: string;
}

/** Time limit in milliseconds; opening a memory for the first time loads a model. */
const MAX_START_MS = 20_000;

/** Returns whether there is no problem; a missing entry is not a problem. */
export async function doctor(
  machine: Machine,
  names: readonly ClientName[],
  flags: McpFlags,
): Promise<boolean> {
  const clients = names.length > 0 ? names : CLIENT_NAMES;
  const findings: Finding[] = [];
  for (const name of clients) findings.push(...(await examine(name, machine, flags, names.length > 0)));
  const isWell = findings.every(({ status }) => status !== 'fail');
  if (flags.json) printJson({ ok: isWell, clients: findings });
  else if (findings.length === 0) printLines(['No client was found on this machine.']);
  else printLines(findings.flatMap(format));
  return isWell;
}

/** The client's own file, and that of the project if there is one. */
async function examine(
  name: ClientName,
  machine: Machine,
  { projectDir }: McpFlags,
  isNamed: boolean,
): Promise<Finding[]> {
  const client: Client = CLIENTS[name];
  const folder = projectDir ?? resolve('.');
  const findings: Finding[] = [];
  const own = client.userFile(machine);
  const project = client.projectFile === null ? null : join(folder, client.projectFile);
  const look = async (path: string, isExpected: boolean) => {
    const finding = await examineFile(name, path, machine, folder);
    if (isExpected || finding.status !== 'absent') findings.push(finding);
  };
  await look(own, isNamed || isPresent(client, machine));
  // In the home folder both are the same file.
  if (project !== null && project !== own) await look(project, projectDir !== null);
  return findings;
}

async function examineFile(
  name: ClientName,
  path: string,
  machine: Machine,
  folder: string,
): Promise<Finding> {
  const finding = (status: Finding['status'], message: string) => ({ client: name, path, status, message });
  try {
    const text = readConfigFile(path);
    const entry = text === null ? null : readEntry(CLIENTS[name].format, text, path);
    if (entry === null)
      return finding('absent', `Omoide is not configured; “omoide mcp install ${name}” adds it.`);
    if ('url' in entry)
      return finding('ok', `Omoide is configured over HTTP at ${String(entry['url'])}; not tested.`);
    const { name: server, version, tools } = await probe(startOf(entry, machine, folder), MAX_START_MS);
    return finding('ok', `${server} ${version} starts and has ${tools} tools.`);
  } catch (error) {
    if (isMemoryError(error)) return finding('fail', error.message);
    return finding('fail', `Omoide is configured, but ${messageOf(error)}`);
  }
}

/** @throws Error when the entry is not a command */
function startOf({ command, args = [], env = {} }: Entry, { environment }: Machine, folder: string) {
  if (typeof command !== 'string' || !Array.isArray(args)) throw new Error('its command is invalid.');
  const fill = (text: unknown) => String(text).replaceAll('${workspaceFolder}', folder);
  return {
    command: fill(command),
    args: args.map(fill),
    environment: { ...environment, ...(env as Record<string, string>) },
    folder,
  };
}

const FORMATS = { ok: 'green', absent: 'dim', fail: 'red' } as const;
const STATUS_WIDTH = 6;
const INDENT = ' '.repeat(STATUS_WIDTH + 2);

function format({ client, path, status, message }: Finding): string[] {
  const head = `${style(FORMATS[status], padEnd(status, STATUS_WIDTH))}  ${style('bold', CLIENTS[client].title)}  ${plain(path)}`;
  return [head, ...wrapped(message, INDENT)];
}
