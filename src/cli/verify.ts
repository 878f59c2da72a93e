import { readFileSync } from 'node:fs';
import { defined, MemoryError, parseJson, type Verification } from '../engine/engine.ts';
import { flag, JSON_FLAG } from './command.ts';
import { EXIT } from './exit.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { countOf, plain, style } from './terminal.ts';

export const addVerify = addMemoryCommand({
  name: 'verify',
  about: 'Verifies that no turn was changed or removed, and that the indexes agree with the turns.',
  flags: [
    // Checkpoints are signed where turns are added, so the environment variable applies to every command.
    flag('--witness <file|url>', 'also compare with this witness log', { env: 'OMOIDE_WITNESS' }),
    flag('--expect <head>', 'a chain head recorded earlier: one turn must have it'),
    flag('--receipt <file>', 'a receipt of “omoide forget” to check against the memory'),
    JSON_FLAG,
  ],
  async run({ memory, flags, setExitCode }) {
    const receipt = flags.receipt === undefined ? undefined : readReceipt(flags.receipt);
    const result = await memory.admin.verify(defined({ expect: flags.expect, receipt }));
    if (result.problems.length > 0) setExitCode(EXIT.failed);
    const problems = result.problems.map(({ code, message }) => `${style('red', code)} ${plain(message)}`);
    const state = problems.length === 0 ? style('green', 'All is well') : countOf(problems.length, 'problem');
    const size = [
      countOf(result.turns, 'turn'),
      ...(result.forgotten > 0 ? [`${result.forgotten} of them forgotten`] : []),
      countOf(result.units, 'unit'),
      `${countOf(result.checkpoints, 'signed checkpoint')} compared`,
      `chain head ${result.chainHead}`,
    ];
    return {
      json: result,
      lines: [...problems, ...formatFirstBad(result), `${state}: ${size.join(', ')}.`],
    };
  },
});

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
