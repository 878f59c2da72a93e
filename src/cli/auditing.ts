/** Writes what the command line does with a memory as a whole to the audit log of its folder. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { isMemoryError } from '../engine/engine.ts';
import { openSettings, settingsPath } from '../settings/settings.ts';
import { readDataDir } from './settings.ts';

/** Commands that copy, disclose, restore or erase much, or change who can read it. */
const AUDITED = new Set([
  'export',
  'import',
  'backup',
  'restore',
  'migrate',
  'forget',
  'archive restore',
  'key rotate',
  'token new',
  'token revoke',
]);

export function isAudited(command: Command): boolean {
  return AUDITED.has(nameOf(command)) && command.opts()['dryRun'] !== true;
}

/** A folder that cannot be written, or is not there, gets no entry. @param outcome `done`, or the code of the error */
export function noteCommand(command: Command, outcome: string): void {
  const { data, memory } = command.opts<{ data?: string; memory?: string }>();
  const dataDir = readDataDir(data === undefined ? {} : { data });
  const path = settingsPath(dataDir);
  if (!existsSync(outcome === 'done' ? dataDir : path)) return;
  try {
    const who = { at: Date.now(), tokenId: 'cli', tokenName: userName() };
    const settings = openSettings(path);
    settings.audit.note({ ...who, action: nameOf(command), memoryId: memory ?? null, outcome });
    settings.close();
  } catch (error) {
    if (!isMemoryError(error)) throw error;
  }
}

/** With its parent's name, `key rotate`, or its action, `token new`. */
function nameOf(command: Command): string {
  const { parent } = command;
  if (parent?.parent) return `${parent.name()} ${command.name()}`;
  const withAction = `${command.name()} ${command.args[0]}`;
  return AUDITED.has(withAction) ? withAction : command.name();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user has no name.
    return String(process.getuid?.() ?? '');
  }
}
