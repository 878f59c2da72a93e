/** `omoide mcp`: serves the memory to agents, and installs it in their settings. */
import { actionArgument, addCommand, argument, flag } from '../command.ts';
import { EXIT } from '../exit.ts';
import { modelFlag, SETTING_FLAGS } from '../settings.ts';
import { readVersion } from '../version.ts';
import { CLIENT_NAMES, thisMachine } from './clients.ts';
import { doctor } from './doctor.ts';
import { NOTES_FLAG, PROJECT_FLAG, readFlags } from './flags.ts';
import { install } from './install.ts';

const OF_INSTALL = ['yes', 'print', 'remove'] as const;

export const addMcp = addCommand({
  name: 'mcp',
  about: 'Serves the memory to an agent over standard input and output (Model Context Protocol).',
  args: [
    actionArgument(['serve', 'install', 'doctor'], '“install” configures agents, “doctor” checks them'),
    argument(
      '[client...]',
      `for “install” and “doctor”: ${CLIENT_NAMES.join(', ')} (default: those on this machine)`,
      { choices: CLIENT_NAMES },
    ),
  ],
  flags: [
    NOTES_FLAG,
    PROJECT_FLAG,
    flag('--yes', 'for “install”: write without asking'),
    flag('--print', 'for “install”: only show what would be written'),
    flag('--remove', 'for “install”: remove Omoide'),
    flag('--json', 'for “install” and “doctor”: print the result as JSON'),
  ],
  common: [modelFlag('learns from turns'), ...SETTING_FLAGS],
  /** Rejects options that have no effect on an action. */
  check({ args: [action, names], flags, command }) {
    const wrong = action === 'install' ? undefined : OF_INSTALL.find((name) => flags[name]);
    if (wrong) command.error(`error: --${wrong} is for “install”`);
    if (action !== 'serve') return;
    if (flags.json) command.error('error: --json is for “install” and “doctor”');
    if (names.length > 0) command.error('error: clients are for “install” and “doctor”');
  },
  async run({ args: [action, names], command, setExitCode }) {
    const flags = readFlags(command);
    if (action === 'serve') {
      // Loaded only now, so that other commands start faster.
      const { serve } = await import('./serving.ts');
      return serve(flags, readVersion());
    }
    const isWell = await { install, doctor }[action](thisMachine(), names, flags);
    if (!isWell) setExitCode(EXIT.failed);
  },
});
