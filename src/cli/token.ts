import { DAY_MS, defined, MemoryError } from '../engine/engine.ts';
import { TOKEN_SCOPES, type TokenInfo, type Tokens } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import { actionArgument, addCommand, argument, flag, JSON_FLAG, show, type Output } from './command.ts';
import { dataFlag, readDataDir, withStoredSettings } from './settings.ts';
import { formatInstant, plain, printNote, style, withInstants } from './terminal.ts';

export const addToken = addCommand({
  name: 'token',
  about: 'Manages the tokens of the server: lists, creates and revokes them.',
  args: [actionArgument(['list', 'new', 'revoke']), argument('[id]', 'for “revoke”: the token’s id')],
  flags: [
    flag('--name <name>', 'for “new”: the name of the token in lists (default: “token”)'),
    flag(
      '--memory <id>',
      'for “new”: the only memory that the token can use (default: all memories and the settings)',
    ),
    flag('--scope <scope>', 'for “new”: its scope (default: operate; for one memory: manage)', {
      choices: TOKEN_SCOPES,
    }),
    flag('--days <count>', 'for “new”: the token expires after this many days (default: never)'),
    dataFlag(),
    JSON_FLAG,
  ],
  check({ args: [action, id], command }) {
    if (action !== 'revoke' && id !== undefined) command.error(`error: “${action}” takes no id`);
  },
  run: ({ args: [action, id], flags }) =>
    withStoredSettings(readDataDir(flags), ({ tokens }) => {
      if (action === 'list') return list(tokens);
      if (action === 'revoke') return revoke(tokens, id);
      const { name = 'token', memory: memoryId, scope, days } = flags;
      const expiresAt = days === undefined ? undefined : Date.now() + readDays(days) * DAY_MS;
      const made = tokens.create({ name, ...defined({ memoryId, scope, expiresAt }) });
      show({ json: { ...made, name, memoryId: memoryId ?? null }, lines: [made.token] }, flags);
      if (!flags.json) printNote(`this is token ${made.id}, shown this once; keep it safe.`);
    }),
});

function list(tokens: Tokens): Output {
  const all = tokens.list();
  if (all.length === 0) printNote('there is none yet; “omoide token new” creates one.');
  return {
    json: { tokens: all.map((token) => withInstants(token, 'expiresAt', 'createdAt', 'lastUsedAt')) },
    lines: all.map(formatToken),
  };
}

/** @throws MemoryError INVALID_INPUT */
function readDays(days: string): number {
  if (/^[1-9]\d{0,4}$/.test(days)) return Number(days);
  throw new MemoryError('INVALID_INPUT', `--days takes a whole number from 1 to 99999, not ${days}.`);
}

function revoke(tokens: Tokens, id: string | undefined): Output {
  if (id === undefined)
    throw new MemoryError('INVALID_INPUT', 'Which token? “omoide token list” shows their ids.');
  if (!tokens.revoke(id)) throw new MemoryError('NOT_FOUND', `There is no token ${JSON.stringify(id)}.`);
  return { json: { revoked: id }, lines: [`Token ${id} is revoked.`] };
}

function formatToken({ id, name, memoryId, scope, expiresAt, createdAt, lastUsedAt }: TokenInfo): string {
  const end = expiresAt === null ? '' : `, until ${formatInstant(expiresAt)}`;
  const used = lastUsedAt === null ? 'never used' : `last used ${formatInstant(lastUsedAt)}`;
  const reach = memoryId === null ? 'every memory' : `memory ${memoryId}`;
  return `${style('bold', id)}  ${padEnd(plain(name), NAME_WIDTH)}  ${reach}, may ${scope}${end}, made ${formatInstant(createdAt)}, ${used}`;
}

const NAME_WIDTH = 16;
