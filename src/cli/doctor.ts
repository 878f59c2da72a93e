import {
  checkDisk,
  checkDataDir,
  checkEmbedder,
  checkMemory,
  checkModel,
  checkNode,
  checkSqlite,
  type Check,
} from './checks.ts';
import { EXIT } from './exit.ts';
import type { AddCommand } from './command.ts';
import { addModel, addSettings, readSettings, type SettingFlags, type Settings } from './settings.ts';
import { padEnd } from '../text/text.ts';
import { plain, printJson, printLines, style, wrapped } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly json?: true;
}

export const addDoctor: AddCommand = (program, setExitCode) => {
  const command = program
    .command('doctor')
    .description('Checks the installation and the memory, and says how to fix problems.')
    .option('--json', 'print the checks as JSON');
  addSettings(addModel(command, 'is tested with one word')).action(async (flags: Flags) => {
    const checks = await examine(readSettings(flags));
    const isWell = checks.every(({ status }) => status !== 'fail');
    if (!isWell) setExitCode(EXIT.failed);
    if (flags.json) printJson({ ok: isWell, checks });
    else printLines(checks.flatMap(formatCheck));
  });
};

async function examine(settings: Settings): Promise<Check[]> {
  const { embedder, check } = await checkEmbedder(settings);
  return [
    checkNode(),
    await checkSqlite(),
    await checkDataDir(settings.dataDir),
    await checkDisk(settings.dataDir),
    check,
    await checkModel(settings),
    ...(await checkMemory(settings, embedder)),
  ];
}

const FORMATS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
/** The indentation of lines below a status and name. */
const INDENT = ' '.repeat(17);

function formatCheck({ name, status, message, advice }: Check): string[] {
  const [first = '', ...rest] = wrapped(message, INDENT);
  const head = `${style(FORMATS[status], padEnd(status, 4))}  ${style('bold', padEnd(name, INDENT.length - 8))}  ${first.trimStart()}`;
  const advised = advice === undefined ? [] : wrapped(`→ ${plain(advice)}`, INDENT);
  return [head, ...rest, ...advised.map((line) => style('cyan', line))];
}
