import { KINDS } from '../model/model.ts';
import { existsSync, writeFileSync } from 'node:fs';
import {
  defined,
  MemoryError,
  pickDefined,
  type Erased,
  type ForgetRequest,
  type Memory,
} from '../engine/engine.ts';
import { flag, JSON_FLAG } from './command.ts';
import { EXIT } from './exit.ts';
import { forgetWording } from './forgetWording.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { confirm, plain, printLines, style } from './terminal.ts';
import { parseId } from './values.ts';

export const addForget = addMemoryCommand({
  name: 'forget',
  about: 'Erases permanently, with a signed receipt. Shows first what would be erased.',
  flags: [
    flag('--turn <id>', 'a turn', { parse: parseId }),
    flag('--unit <id>', 'a unit; an episode is erased with its turn, of a note its earlier text', {
      parse: parseId,
    }),
    flag('--conversation <id>', 'a whole conversation'),
    flag('--person <name>', 'turns of this person, and turns about them'),
    flag('--from <time>', 'turns at or after this time'),
    flag('--to <time>', 'turns before this time'),
    flag('--everything', 'all turns, and everything learnt from them'),
    flag('--dry-run', 'only show what would be erased'),
    flag('--yes', 'do not ask'),
    flag('--receipt <file>', 'write the signed receipt to a new file'),
    JSON_FLAG,
  ],
  async run({ memory, flags, setExitCode }) {
    const { from, to, dryRun, yes, receipt } = flags;
    if (receipt !== undefined && existsSync(receipt))
      throw new MemoryError('INVALID_INPUT', `The file ${receipt} exists already; choose a new one.`);
    const request: ForgetRequest = {
      ...pickDefined(flags, ['turn', 'unit', 'conversation', 'person', 'everything']),
      ...((from !== undefined || to !== undefined) && { period: defined({ from, to }) }),
    };
    const asked = [flags.person, flags.conversation].join(' ');
    const planned = await memory.forget({ ...request, dryRun: true });
    if (!dryRun && !yes && !(await isConfirmed(planned, asked))) return setExitCode(EXIT.failed);
    const erased = dryRun ? planned : await erase(memory, request, receipt);
    return { json: erased, lines: format(erased, asked) };
  },
});

async function erase(memory: Memory, request: ForgetRequest, receipt: string | undefined): Promise<Erased> {
  const erased = await memory.forget(request);
  if (receipt !== undefined && erased.receipt)
    writeFileSync(receipt, `${JSON.stringify(erased.receipt, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  return erased;
}

/** @throws MemoryError INVALID_INPUT when there is no terminal to ask on */
async function isConfirmed(planned: Erased, asked: string): Promise<boolean> {
  if (planned.plan === null) return true;
  if (process.stdin.isTTY && process.stderr.isTTY) printLines(format(planned, asked), process.stderr);
  return confirm(
    forgetWording(planned, asked).question,
    'There is no terminal to ask on: check with --dry-run, then use --yes.',
  );
}

/** @param asked the names that were given */
function format(erased: Erased, asked: string): string[] {
  const { isDryRun, counts, changed, topicsRenamed, samples, notes, receipt } = erased;
  const wording = forgetWording(erased, asked);
  const parts = KINDS.flatMap((kind) => (counts[kind] === 0 ? [] : [wording.counts[kind](counts[kind])]));
  const isOnlyEarlier = parts.length === 0 && changed > 0;
  if (isOnlyEarlier) parts.push(wording.earlierText(changed));
  if (parts.length === 0) return [wording.nothing];
  return [
    (isDryRun ? style('bold', wording.wouldGo) : style('green', wording.gone)) +
      parts.join(wording.separator) +
      wording.stop,
    ...(isDryRun ? samples.map(({ unitId, text }) => `  #${unitId} ${plain(text)}`) : []),
    ...(changed > 0 && !isOnlyEarlier ? [wording.changed(changed)] : []),
    ...(topicsRenamed > 0 ? [wording.topics(topicsRenamed)] : []),
    ...notes.map(({ uri, text }) => wording.note(plain(uri), plain(text.slice(0, 200)))),
    ...(notes.length > 0 ? [wording.afterEditing(notes.map(({ unitId }) => unitId))] : []),
    ...(receipt ? [wording.head(receipt.headAfter)] : []),
  ];
}
