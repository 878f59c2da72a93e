import { EXIT } from './exit.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly json?: true;
}

export const addVerify: AddCommand = (program, setExitCode) => {
  const command = program
    .command('verify')
    .description('Proves that no turn was changed or removed, and that the indexes agree with the turns.')
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (flags: Flags) => {
    const memory = await openExisting(readSettings(flags), { embeds: false });
    const result = await using(memory, () => memory.verify());
    if (result.problems.length > 0) setExitCode(EXIT.failed);
    if (flags.json) return printJson(result);
    const problems = result.problems.map(({ code, message }) => `${style('red', code)} ${plain(message)}`);
    const state = problems.length === 0 ? style('green', 'All is well') : countOf(problems.length, 'problem');
    const size = `${countOf(result.turns, 'turn')}, ${countOf(result.units, 'unit')}`;
    printLines([...problems, `${state}: ${size}, chain head ${result.chainHead}.`]);
  });
};
