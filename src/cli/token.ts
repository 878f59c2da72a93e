import { Argument, Option, type Command } from 'commander';
import { DAY_MS, MemoryError } from '../engine/engine.ts';
import {
  openSettings,
  settingsPath,
  TOKEN_SCOPES,
  type Settings,
  type TokenInfo,
  type TokenScope,
} from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { formatInstant, plain, printJson, printLines, printNote, style } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data' | 'memory'> {
  readonly name?: string;
  readonly scope?: TokenScope;
  readonly days?: string;
  readonly json?: true;
}

export const addToken: AddCommand = (program) => {
  program
    .command('token')
    .description('Manages the tokens of the server: lists, creates and revokes them.')
    .addArgument(new Argument('[action]', 'the action').choices(['list', 'new', 'revoke']).default('list'))
    .argument('[id]', 'for “revoke”: the token’s id')
    .option('--name <name>', 'for “new”: the name of the token in lists (default: “token”)')
    .option(
      '--memory <id>',
      'for “new”: the only memory that the token can use (default: all memories and the settings)',
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'for “new”: its scope (default: operate; for one memory: manage)',
      ).choices(TOKEN_SCOPES),
    )
    .option('--days <count>', 'for “new”: the token expires after this many days (default: never)')
    .addOption(dataOption())
    .option('--json', 'print the result as JSON')
    .action((action: keyof typeof ACTIONS, id: string | undefined, flags: Flags, command: Command) => {
      if (action !== 'revoke' && id !== undefined) command.error(`error: “${action}” takes no id`);
      const settings = openSettings(settingsPath(readDataDir(flags)));
      try {
        ACTIONS[action](settings, flags, id);
      } finally {
        settings.close();
      }
    });
};

const ACTIONS = { list, new: make, revoke };

function list({ tokens }: Settings, flags: Flags): void {
  const all = tokens.list();
  if (flags.json) return printJson({ tokens: all.map(toJson) });
  if (all.length === 0) return printNote('there is none yet; “omoide token new” creates one.');
  printLines(all.map(formatToken));
}

function make({ tokens }: Settings, flags: Flags): void {
  const { name = 'token', memory, scope, days } = flags;
  const made = tokens.create({
    name,
    ...(memory !== undefined && { memoryId: memory }),
    ...(scope && { scope }),
    ...(days !== undefined && { expiresAt: Date.now() + readDays(days) * DAY_MS }),
  });
  if (flags.json) return printJson({ ...made, name, memoryId: memory ?? null });
  printLines([made.token]);
  printNote(`this is token ${made.id}, shown this once; keep it safe.`);
}

/** @throws MemoryError INVALID_INPUT */
function readDays(days: string): number {
  if (/^[1-9]\d{0,4}$/.test(days)) return Number(days);
  throw new MemoryError('INVALID_INPUT', `--days takes a whole number from 1 to 99999, not ${days}.`);
}

function revoke({ tokens }: Settings, flags: Flags, id: string | undefined): void {
  if (id === undefined)
    throw new MemoryError('INVALID_INPUT', 'Which token? “omoide token list” shows their ids.');
  if (!tokens.revoke(id)) throw new MemoryError('NOT_FOUND', `There is no token ${JSON.stringify(id)}.`);
  if (flags.json) return printJson({ revoked: id });
  printLines([`Token ${id} is revoked.`]);
}

function formatToken({ id, name, memoryId, scope, expiresAt, createdAt, lastUsedAt }: TokenInfo): string {
  const end = expiresAt === null ? '' : `, until ${formatInstant(expiresAt)}`;
  const used = lastUsedAt === null ? 'never used' : `last used ${formatInstant(lastUsedAt)}`;
  const reach = memoryId === null ? 'every memory' : `memory ${memoryId}`;
  return `${style('bold', id)}  ${padEnd(plain(name), NAME_WIDTH)}  ${reach}, may ${scope}${end}, made ${formatInstant(createdAt)}, ${used}`;
}

const NAME_WIDTH = 16;

function toJson({ createdAt, lastUsedAt, expiresAt, ...token }: TokenInfo) {
  return {
    ...token,
    expiresAt: expiresAt === null ? null : formatInstant(expiresAt),
    createdAt: formatInstant(createdAt),
    lastUsedAt: lastUsedAt === null ? null : formatInstant(lastUsedAt),
  };
}
