/** `omoide mcp install`: adds Omoide to the servers of clients, or removes it. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMemoryError, MemoryError } from '../../engine/engine.ts';
import { confirm, plain, printJson, printLines, printNote, style } from '../terminal.ts';
import { CLIENT_NAMES, CLIENTS, isPresent, type Client, type ClientName, type Machine } from './clients.ts';
import { readConfigFile, writeConfigFile } from './configFile.ts';
import { createEntry, ownProgram } from './entry.ts';
import type { McpFlags } from './flags.ts';
import { readEntry, writeEntry, type Entry } from './format.ts';

interface Plan {
  readonly name: ClientName;
  readonly client: Client;
  readonly path: string;
  readonly text: string | null;
  readonly after: string;
  readonly from: Entry | null;
  readonly to: Entry | null;
  readonly action: 'added' | 'changed' | 'removed' | 'unchanged';
}

interface Outcome {
  readonly client: ClientName;
  readonly path: string;
  readonly action: Plan['action'] | 'planned' | 'declined' | 'failed';
  readonly backup?: string | null;
  readonly problem?: string;
}

/** Returns whether everything succeeded. @throws MemoryError INVALID_INPUT when there is no terminal to ask on */
export async function install(
  machine: Machine,
  names: readonly ClientName[],
  flags: McpFlags,
): Promise<boolean> {
  const outcomes: Outcome[] = [];
  const tell = (lines: readonly string[]) => printLines(lines, flags.json ? process.stderr : process.stdout);
  for (const name of chosen(machine, names, flags)) {
    const path = pathOf(CLIENTS[name], machine, flags);
    try {
      const plan = createPlan(name, path, machine, flags);
      tell(describe(plan));
      outcomes.push({ client: name, path, ...(await runJobs(plan, flags, tell)) });
    } catch (error) {
      // An error in one file does not stop the others.
      if (!isMemoryError(error) || error.code === 'INVALID_INPUT') throw error;
      printNote(plain(`${CLIENTS[name].title}: ${error.code}: ${error.message} Nothing was changed in it.`));
      outcomes.push({ client: name, path, action: 'failed', problem: error.message });
    }
  }
  if (flags.json) printJson({ clients: outcomes });
  const wasWritten = outcomes.some(({ action }) => action === 'added' || action === 'changed');
  if (wasWritten) printNote('restart the client, then “omoide mcp doctor” checks that it can start Omoide.');
  return outcomes.every(({ action }) => action !== 'failed');
}

/** @throws MemoryError INVALID_INPUT when there is none */
function chosen(
  machine: Machine,
  names: readonly ClientName[],
  { projectDir }: McpFlags,
): readonly ClientName[] {
  const has = (name: ClientName) => projectDir === null || CLIENTS[name].projectFile !== null;
  const wrong = names.find((name) => !has(name));
  if (wrong) {
    throw new MemoryError(
      'INVALID_INPUT',
      `${CLIENTS[wrong].title} has no project configuration; remove --project.`,
    );
  }
  const clients =
    names.length > 0
      ? [...new Set(names)]
      : CLIENT_NAMES.filter(has).filter((name) => isPresent(CLIENTS[name], machine));
  if (clients.length > 0) return clients;
  throw new MemoryError(
    'INVALID_INPUT',
    `No client was found on this machine; name one: ${CLIENT_NAMES.join(', ')}.`,
  );
}

function pathOf(client: Client, machine: Machine, { projectDir }: Pick<McpFlags, 'projectDir'>): string {
  if (projectDir === null || client.projectFile === null) return client.userFile(machine);
  return join(projectDir, client.projectFile);
}

function createPlan(name: ClientName, path: string, machine: Machine, flags: McpFlags): Plan {
  const client: Client = CLIENTS[name];
  const text = readConfigFile(path);
  const from = text === null ? null : readEntry(client.format, text, path);
  const wanted = flags.remove ? null : createEntry(client, machine, flags, ownProgram());
  if (from && wanted && 'url' in from) {
    throw new MemoryError(
      'VERSION_CONFLICT',
      `${path} already has Omoide, over HTTP at ${String(from['url'])}. “install --remove” removes it.`,
    );
  }
  const to = wanted && { ...from, ...wanted };
  const action = isDeepStrictEqual(from, to)
    ? 'unchanged'
    : to === null
      ? 'removed'
      : from
        ? 'changed'
        : 'added';
  const after = action === 'unchanged' ? (text ?? '') : writeEntry(client.format, text ?? '', path, wanted);
  return { name, client, path, text, after, from, to, action };
}

function describe({ client, path, from, to, action }: Plan): string[] {
  const head = `${style('bold', client.title)}  ${plain(path)}`;
  if (action === 'unchanged')
    return [`${head}: ${to === null ? 'Omoide is not configured in it' : 'already configured'}.`];
  const shown = (entry: Entry | null, sign: string, color: 'red' | 'green') =>
    entry === null
      ? []
      : client.format.show(withoutSecrets(entry)).map((line) => style(color, `  ${sign} ${plain(line)}`));
  return [head, ...shown(from, '-', 'red'), ...shown(to, '+', 'green')];
}

/** Other members of the entry may be keys. */
function withoutSecrets(entry: Entry): Entry {
  const { type, command, args } = entry;
  return Object.fromEntries(
    Object.entries({ type, command, args }).filter(([, value]) => value !== undefined),
  );
}

async function runJobs(
  { path, text, after, action }: Plan,
  flags: McpFlags,
  tell: (lines: readonly string[]) => void,
): Promise<Pick<Outcome, 'action' | 'backup'>> {
  if (action === 'unchanged') return { action };
  if (flags.print) return { action: 'planned' };
  if (!flags.yes && !(await confirm(`Write ${plain(path)}?`, NO_TERMINAL))) return { action: 'declined' };
  const backup = writeConfigFile(path, text, after);
  tell([`  written${backup === null ? '' : `; the previous file is kept as ${plain(backup)}`}`]);
  return { action, backup };
}

const NO_TERMINAL =
  'There is no terminal to ask on, so nothing was written: --yes writes without asking, --print only shows the change.';
