import { readFileSync } from 'node:fs';
import { MemoryError, parseJson } from '../engine/engine.ts';
import { EXIT } from './exit.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import type { Verification } from '../engine/engine.ts';
import { addSettings, readSettings, witnessOption, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly expect?: string;
  readonly receipt?: string;
  readonly json?: true;
}

export const addVerify: AddCommand = (program, setExitCode) => {
  const command = program
    .command('verify')
    .description('Verifies that no turn was changed or removed, and that the indexes agree with the turns.')
    .addOption(witnessOption('also compare with this witness log'))
    .option('--expect <head>', 'a chain head recorded earlier: one turn must have it')
    .option('--receipt <file>', 'a receipt of “omoide forget” to check against the memory')
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (flags: Flags) => {
    const receipt = flags.receipt === undefined ? undefined : readReceipt(flags.receipt);
    const memory = await openExisting(readSettings(flags), { embeds: false });
    const { expect } = flags;
    const result = await using(memory, () =>
      memory.admin.verify({
        ...(expect !== undefined && { expect }),
        ...(receipt !== undefined && { receipt }),
      }),
    );
    if (result.problems.length > 0) setExitCode(EXIT.failed);
    if (flags.json) return printJson(result);
    const problems = result.problems.map(({ code, message }) => `${style('red', code)} ${plain(message)}`);
    const state = problems.length === 0 ? style('green', 'All is well') : countOf(problems.length, 'problem');
    const size = [
      countOf(result.turns, 'turn'),
      ...(result.forgotten > 0 ? [`${result.forgotten} of them forgotten`] : []),
      countOf(result.units, 'unit'),
      `${countOf(result.checkpoints, 'signed checkpoint')} compared`,
      `chain head ${result.chainHead}`,
    ];
    printLines([...problems, ...formatFirstBad(result), `${state}: ${size.join(', ')}.`]);
  });
};

/** @throws MemoryError FILE_UNREADABLE */
function readReceipt(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${path} is not a readable receipt.`, { cause });
  }
}

function formatFirstBad({ firstBadTurn }: Verification): string[] {
  if (!firstBadTurn) return [];
  const { turnId, conversationId, turnIndex } = firstBadTurn;
  const place =
    conversationId === null ? 'which is gone' : `turn ${turnIndex} of conversation ${plain(conversationId)}`;
  return [`The first turn that does not match: ${style('bold', `#${turnId}`)}, ${place}.`];
}
