import { messageOf } from '../model/model.ts';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import {
  MemoryError,
  PRIVATE_FILE,
  type JournalEntry,
  type Memory,
  type ReorganizationPlan,
} from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { writingFailed } from './export.ts';
import { entryToJson, formatDone } from './journal.ts';
import { openExisting, using } from './opening.ts';
import { readInput } from './recallFlags.ts';
import { addModel, addSettings, readSettings, type SettingFlags } from './settings.ts';
import { plain, printJson, printLines, printNote } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly plan?: true;
  readonly output?: string;
  readonly apply?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** The content of a file: a plan that is not validated yet. */
interface Given {
  readonly plan: ReorganizationPlan;
}

/** … and its description for people. */
interface Proposal extends Given {
  readonly lines: readonly string[];
}

export const addReorganize: AddCommand = (program) => {
  const command = program
    .command('reorganize')
    .description('Reorganises topics and what was learnt: shows the plan, asks, and applies it.')
    .option('--plan', 'only show the plan')
    .option('--output <file>', 'only write the plan to a file')
    .addOption(
      new Option('--apply <file>', 'apply the plan of a file; - for standard input').conflicts([
        'plan',
        'output',
      ]),
    )
    .option('--yes', 'apply it without asking; needed without a terminal')
    .option('--json', 'print the plan and the result as JSON');
  addSettings(addModel(command, 'proposes the plan')).action(async (flags: Flags) => {
    const given = flags.apply === undefined ? null : parsePlan(await readInput(flags.apply), flags.apply);
    await using(
      await openExisting(readSettings(flags), { embeds: true, asksModel: given === null }),
      (memory) => reorganize(memory, given, flags),
    );
  });
};

async function reorganize(memory: Memory, given: Given | null, flags: Flags): Promise<void> {
  const { output, json } = flags;
  const proposal: Proposal = given
    ? { ...given, lines: await memory.journal.describe(given.plan) }
    : await memory.journal.plan();
  if (!json) printLines(proposal.lines.map(plain));
  if (output !== undefined) await writePlan(proposal.plan, output);
  const isWanted = !flags.plan && output === undefined && !isEmpty(proposal.plan);
  const entry = isWanted && (await mayApply(flags)) ? await memory.journal.reorganize(proposal.plan) : null;
  if (json) printJson({ ...proposal, entry: entry && entryToJson(entry) });
  else if (entry) printDone(entry);
}

function isEmpty({ operations, refresh }: ReorganizationPlan): boolean {
  return operations.length + refresh.length === 0;
}

function printDone(entry: JournalEntry): void {
  printLines(['', `Done: ${formatDone(entry)}. “omoide rollback ${entry.id}” undoes it.`]);
}

/** @throws MemoryError INVALID_INPUT when there is no terminal to ask on */
async function mayApply({ yes, json }: Flags): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new MemoryError(
      'INVALID_INPUT',
      'Nothing was changed: there is no terminal to ask on. --yes applies the plan, --plan only shows it.',
    );
  }
  printLines(['']);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('Apply it? [y/N] ');
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    printLines(['']);
  } finally {
    terminal.close();
  }
  printNote('nothing was changed.');
  return false;
}

/** @throws MemoryError READ_ONLY, DISK_FULL */
async function writePlan(plan: ReorganizationPlan, path: string): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(plan, null, 2)}\n`, { mode: PRIVATE_FILE });
  } catch (cause) {
    throw writingFailed(cause, path);
  }
  printNote(`the plan is in ${path}; “omoide reorganize --apply ${path}” applies it.`);
}

/**
 * Extracts a plan from a file: alone, or inside the output of `--json` or `omoide journal ID --json`. The memory
 * validates it.
 * @throws MemoryError INVALID_INPUT
 */
function parsePlan(text: string, path: string): Given {
  try {
    const value = JSON.parse(text) as unknown;
    const isWrapped = typeof value === 'object' && value !== null && 'plan' in value;
    return { plan: (isWrapped ? value.plan : value) as ReorganizationPlan };
  } catch (cause) {
    throw new MemoryError('INVALID_INPUT', `${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
}
