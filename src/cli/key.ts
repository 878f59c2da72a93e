import { rotateMasterKey } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { printLines } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly to?: string;
}

export const addKey: AddCommand = (program) => {
  const key = program
    .command('key')
    .description('Changes the master key, which protects the keys of all words.');
  key
    .command('rotate')
    .description('Encrypts all keys under a new master key; old copies of keys.db need the old one.')
    .addOption(dataOption())
    .option('--to <place>', 'where the new one lies or is to be kept: file:PATH, env:VARIABLE or keychain')
    .action((flags: Flags) => {
      const { to } = flags;
      rotateMasterKey(readDataDir(flags), to === undefined ? {} : { to });
      printLines([
        to === undefined
          ? 'The master key is a new one. Destroy old copies of it: with them, old copies of keys.db can be read.'
          : `The master key is now the one in ${to}: set OMOIDE_MASTER_KEY=${to}.`,
      ]);
    });
};
