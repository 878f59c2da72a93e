/** `omoide mcp`: serves the memory to agents, and installs it in their settings. */
import { Argument, type Command } from 'commander';
import type { AddCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { addModel, addSettings } from '../settings.ts';
import { CLIENT_NAMES, thisMachine, type ClientName } from './clients.ts';
import { doctor } from './doctor.ts';
import { readFlags, type Flags } from './flags.ts';
import { install } from './install.ts';

const ACTIONS = ['serve', 'install', 'doctor'] as const;
const clients = CLIENT_NAMES.join(', ');

export const addMcp: AddCommand = (program, setExitCode) => {
  const command = program
    .command('mcp')
    .description('Serves the memory to an agent over standard input and output (Model Context Protocol).')
    .addArgument(
      new Argument('[action]', '“install” configures agents, “doctor” checks them')
        .choices(ACTIONS)
        .default('serve'),
    )
    .addArgument(
      new Argument(
        '[client...]',
        `for “install” and “doctor”: ${clients} (default: those on this machine)`,
      ).choices(CLIENT_NAMES),
    )
    .option('--notes <dir>', 'folder of the notes about the user (default: “notes” in the data folder)')
    .option(
      '--project <dir>',
      'a project: its notes are in its folder .omoide (default: this folder, if it has that)',
    )
    .option('--yes', 'for “install”: write without asking')
    .option('--print', 'for “install”: only show what would be written')
    .option('--remove', 'for “install”: remove Omoide')
    .option('--json', 'for “install” and “doctor”: print the result as JSON');
  addSettings(addModel(command, 'learns from turns')).action(
    async (action: (typeof ACTIONS)[number], names: ClientName[], given: Flags, self: Command) => {
      checkUse(action, names, given, self);
      const flags = readFlags(given, self);
      if (action === 'serve') {
        // Loaded only now, so that other commands start faster.
        const { serve } = await import('./serving.ts');
        return serve(flags, program.version() ?? '');
      }
      const isWell = await { install, doctor }[action](thisMachine(), names, flags);
      if (!isWell) setExitCode(EXIT.failed);
    },
  );
};

const OF_INSTALL = ['yes', 'print', 'remove'] as const;

/** Rejects options that have no effect on an action. */
function checkUse(
  action: (typeof ACTIONS)[number],
  names: readonly string[],
  flags: Flags,
  self: Command,
): void {
  const wrong = action === 'install' ? undefined : OF_INSTALL.find((name) => flags[name]);
  if (wrong) self.error(`error: --${wrong} is for “install”`);
  if (action !== 'serve') return;
  if (flags.json) self.error('error: --json is for “install” and “doctor”');
  if (names.length > 0) self.error('error: clients are for “install” and “doctor”');
}
