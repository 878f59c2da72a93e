import { runChecks, type Check } from './checks.ts';
import { addCommand, flag } from './command.ts';
import { EXIT } from './exit.ts';
import { modelFlag, readSettings, SETTING_FLAGS, type SettingFlags } from './settings.ts';
import { padEnd } from '../text/text.ts';
import { plain, style, wrapped } from './terminal.ts';

export const addDoctor = addCommand({
  name: 'doctor',
  about: 'Checks the installation and the memory, and says how to fix problems.',
  flags: [flag('--json', 'print the checks as JSON')],
  common: [modelFlag('is tested with one word'), ...SETTING_FLAGS],
  async run({ command, setExitCode }) {
    const checks = await runChecks(readSettings(command.opts<SettingFlags>()));
    const isWell = checks.every(({ status }) => status !== 'fail');
    if (!isWell) setExitCode(EXIT.failed);
    return { json: { ok: isWell, checks }, lines: checks.flatMap(formatCheck) };
  },
});

const FORMATS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
/** The indentation of lines below a status and name. */
const INDENT = ' '.repeat(17);

function formatCheck({ name, status, message, advice }: Check): string[] {
  const [first = '', ...rest] = wrapped(message, INDENT);
  const head = `${style(FORMATS[status], padEnd(status, 4))}  ${style('bold', padEnd(name, INDENT.length - 8))}  ${first.trimStart()}`;
  const advised = advice === undefined ? [] : wrapped(`→ ${plain(advice)}`, INDENT);
  return [head, ...rest, ...advised.map((line) => style('cyan', line))];
}
