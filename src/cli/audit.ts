import { defined } from '../engine/engine.ts';
import { padEnd } from '../text/text.ts';
import { addCommand, flag } from './command.ts';
import { dataFlag, readDataDir, readStoredSettings } from './settings.ts';
import { formatInstant, plain, printNote } from './terminal.ts';

const NAME_WIDTH = 16;
const ACTION_WIDTH = 20;

export const addAudit = addCommand({
  name: 'audit',
  about: 'Lists the audit log, newest first. It contains no text of turns.',
  flags: [
    flag('--memory <id>', 'only entries of this memory'),
    flag('--limit <count>', 'maximum number of entries', { fallback: '100' }),
    dataFlag(),
    flag('--json', 'print the entries as JSON'),
  ],
  run({ flags: { memory: memoryId, limit = '', ...flags } }) {
    const wanted = { limit: Math.max(1, Number.parseInt(limit, 10) || 1), ...defined({ memoryId }) };
    const entries = readStoredSettings(readDataDir(flags), ({ audit }) => audit.list(wanted));
    if (!entries) return printNote('the audit log of this folder is empty.');
    return {
      json: { entries },
      lines: entries.map(({ at, tokenName, tokenId, action, memoryId: of, outcome }) =>
        [
          formatInstant(at),
          padEnd(plain(tokenName), NAME_WIDTH),
          tokenId,
          padEnd(action, ACTION_WIDTH),
          of ?? '-',
          outcome,
        ].join('  '),
      ),
    };
  },
});
