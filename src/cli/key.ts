import { rotateMasterKey, rotateStoreKeys } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { dataOption, readDataDir, storeOption, type SettingFlags } from './settings.ts';
import { printLines } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly to?: string;
}

export const addKey: AddCommand = (program) => {
  const key = program
    .command('key')
    .description('Changes the master key, which protects the keys of all texts.');
  key
    .command('rotate')
    .description('Encrypts all keys under a new master key; old backups still need the old one.')
    .addOption(dataOption())
    .addOption(storeOption())
    .option(
      '--to <place>',
      'place of the new key, existing or to be created: file:PATH, env:VARIABLE or keychain',
    )
    .action(async (flags: Flags) => {
      const { to, store } = flags;
      const options = to === undefined ? {} : { to };
      const dataDir = readDataDir(flags);
      if (store === undefined) rotateMasterKey(dataDir, options);
      else await rotateStoreKeys({ store, dataDir }, options);
      printLines([
        to === undefined
          ? 'The master key was replaced. Destroy old copies of it: they can decrypt old copies of the keys.'
          : `The master key is now in ${to}: set OMOIDE_MASTER_KEY=${to}.`,
      ]);
    });
};
