import { existsSync } from 'node:fs';
import { openSettings, settingsPath } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { formatInstant, plain, printJson, printLines, printNote } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data' | 'memory'> {
  readonly limit: string;
  readonly json?: true;
}

const NAME_WIDTH = 16;
const ACTION_WIDTH = 20;

export const addAudit: AddCommand = (program) => {
  program
    .command('audit')
    .description('Lists the audit log, newest first. It contains no text of turns.')
    .option('--memory <id>', 'only entries of this memory')
    .option('--limit <count>', 'maximum number of entries', '100')
    .addOption(dataOption())
    .option('--json', 'print the entries as JSON')
    .action((flags: Flags) => {
      const path = settingsPath(readDataDir(flags));
      if (!existsSync(path)) return printNote('nothing has been noted in this folder.');
      const settings = openSettings(path);
      try {
        const entries = settings.audit.list({
          limit: Math.max(1, Number.parseInt(flags.limit, 10) || 1),
          ...(flags.memory !== undefined && { memoryId: flags.memory }),
        });
        if (flags.json) return printJson({ entries });
        printLines(
          entries.map(({ at, tokenName, tokenId, action, memoryId, outcome }) =>
            [
              formatInstant(at),
              padEnd(plain(tokenName), NAME_WIDTH),
              tokenId,
              padEnd(action, ACTION_WIDTH),
              memoryId ?? '-',
              outcome,
            ].join('  '),
          ),
        );
      } finally {
        settings.close();
      }
    });
};
