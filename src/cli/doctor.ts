import { runChecks, type Check } from './checks.ts';
import { flag } from './command.ts';
import { EXIT } from './exit.ts';
import { modelFlag } from './settings.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { padEnd } from '../text/text.ts';
import { plain, style, wrapped } from './terminal.ts';

export const addDoctor = addSettingsCommand({
  name: 'doctor',
  about: 'Checks the installation and the memory, and says how to fix problems.',
  flags: [flag('--json', 'print the checks as JSON')],
  common: [modelFlag('is tested with one word')],
  async run({ settings, setExitCode }) {
    const checks = await runChecks(settings);
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
