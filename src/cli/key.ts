import { defined, rotateMasterKey, rotateStoreKeys } from '../engine/engine.ts';
import { addCommand, flag, type AddCommand } from './command.ts';
import { dataFlag, readDataDir, STORE_FLAG } from './settings.ts';
import { printLines } from './terminal.ts';

const addRotate = addCommand({
  name: 'rotate',
  about: 'Encrypts all keys under a new master key; old backups still need the old one.',
  flags: [
    dataFlag(),
    STORE_FLAG,
    flag(
      '--to <place>',
      'place of the new key, existing or to be created: file:PATH, env:VARIABLE or keychain',
    ),
  ],
  async run({ flags }) {
    const { to, store } = flags;
    const dataDir = readDataDir(flags);
    if (store === undefined) rotateMasterKey(dataDir, defined({ to }));
    else await rotateStoreKeys({ store, dataDir }, defined({ to }));
    printLines([
      to === undefined
        ? 'The master key was replaced. Destroy old copies of it: they can decrypt old copies of the keys.'
        : `The master key is now in ${to}: set OMOIDE_MASTER_KEY=${to}.`,
    ]);
  },
});

export const addKey: AddCommand = (program, setExitCode) => {
  const key = program
    .command('key')
    .description('Changes the master key, which protects the keys of all texts.');
  addRotate(key, setExitCode);
};
