import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { MemoryError, type Erased, type ForgetRequest, type Memory } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { EXIT } from './exit.ts';
import { parseId } from './ids.ts';
import { openExisting, using } from './opening.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly turn?: number;
  readonly unit?: number;
  readonly conversation?: string;
  readonly person?: string;
  readonly from?: string;
  readonly to?: string;
  readonly everything?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly receipt?: string;
  readonly json?: true;
}

export const addForget: AddCommand = (program, setExitCode) => {
  const command = program
    .command('forget')
    .description('Erases permanently, with a signed receipt. Shows first what would be erased.')
    .option('--turn <id>', 'a turn', parseId)
    .option('--unit <id>', 'a unit; an episode is erased with its turn', parseId)
    .option('--conversation <id>', 'a whole conversation')
    .option('--person <name>', 'turns of this person, and turns about them')
    .option('--from <time>', 'turns at or after this time')
    .option('--to <time>', 'turns before this time')
    .option('--everything', 'all turns, and everything learnt from them')
    .option('--dry-run', 'only show what would be erased')
    .option('--yes', 'do not ask')
    .option('--receipt <file>', 'write the signed receipt to a new file')
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (flags: Flags) => {
    if (flags.receipt !== undefined && existsSync(flags.receipt))
      throw new MemoryError('INVALID_INPUT', `The file ${flags.receipt} exists already; choose a new one.`);
    const memory = await openExisting(readSettings(flags), { embeds: false });
    const erased = await using(memory, async () => {
      const request = readRequest(flags);
      const planned = await memory.forget({ ...request, dryRun: true });
      if (flags.dryRun) return planned;
      return (await isConfirmed(planned, flags)) ? carryOut(memory, request, flags) : null;
    });
    if (!erased) return setExitCode(EXIT.failed);
    if (flags.json) printJson(erased);
    else printLines(format(erased));
  });
};

async function carryOut(memory: Memory, request: ForgetRequest, { receipt }: Flags): Promise<Erased> {
  const erased = await memory.forget(request);
  if (receipt !== undefined && erased.receipt)
    writeFileSync(receipt, `${JSON.stringify(erased.receipt, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  return erased;
}

/** @throws MemoryError INVALID_INPUT */
function readRequest({ turn, unit, conversation, person, from, to, everything }: Flags): ForgetRequest {
  return {
    ...(turn !== undefined && { turn }),
    ...(unit !== undefined && { unit }),
    ...(conversation !== undefined && { conversation }),
    ...(person !== undefined && { person }),
    ...((from !== undefined || to !== undefined) && {
      period: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    }),
    ...(everything && { everything }),
  };
}

/** @throws MemoryError INVALID_INPUT when there is no terminal to ask on */
async function isConfirmed(planned: Erased, flags: Flags): Promise<boolean> {
  if (flags.yes || planned.samples.length === 0) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new MemoryError(
      'INVALID_INPUT',
      'There is no terminal to ask on: check with --dry-run, then use --yes.',
    );
  printLines(format(planned), process.stderr);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Erase this permanently? [y/N] ');
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

const KIND_NAMES = {
  episode: 'turn',
  fact: 'fact',
  summary: 'summary',
  loop: 'open loop',
  capsule: 'capsule',
  note: 'note',
} as const;

function format({ isDryRun, counts, changed, topicsRenamed, samples, notes, receipt }: Erased): string[] {
  const parts = Object.entries(KIND_NAMES).flatMap(([kind, name]) => {
    const count = counts[kind as keyof typeof counts];
    return count === 0 ? [] : [countOf(count, name, kind === 'summary' ? 'summaries' : undefined)];
  });
  if (parts.length === 0) return ['There is nothing to erase.'];
  const others = [
    ...(changed > 0 ? [`${countOf(changed, 'unit')} stay, without the part derived from it.`] : []),
    ...(topicsRenamed > 0 ? [`${countOf(topicsRenamed, 'topic')} get another title or summary.`] : []),
  ];
  return [
    `${isDryRun ? style('bold', 'Would be erased') : style('green', 'Forgotten')}: ${parts.join(', ')}.`,
    ...(isDryRun ? samples.map(({ unitId, text }) => `  #${unitId} ${plain(text)}`) : []),
    ...others,
    ...notes.map(
      ({ uri, text }) => `A note with the same content stays: ${plain(uri)}: ${plain(text.slice(0, 200))}`,
    ),
    ...(receipt ? [`Chain head before and after: ${receipt.headAfter}`] : []),
  ];
}
