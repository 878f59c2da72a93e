import { messageOf } from '../model/model.ts';
import { writeFile } from 'node:fs/promises';
import { PRIVATE_FILE, MemoryError, type ReorganizationPlan } from '../engine/engine.ts';
import { flag, show } from './command.ts';
import { writingFailed } from './export.ts';
import { entryToJson, formatDone } from './journal.ts';
import { openExisting, withMemory } from './opening.ts';
import { modelFlag } from './settings.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { confirm, plain, printLines, printNote } from './terminal.ts';
import { readInput } from './values.ts';

/** The content of a file: a plan that is not validated yet. */
interface PlanInput {
  readonly plan: ReorganizationPlan;
}

/** … and its description for people. */
interface Proposal extends PlanInput {
  readonly lines: readonly string[];
}

export const addReorganize = addSettingsCommand({
  name: 'reorganize',
  about: 'Reorganises topics and what was learnt: shows the plan, asks, and applies it.',
  flags: [
    flag('--plan', 'only show the plan'),
    flag('--output <file>', 'only write the plan to a file'),
    flag('--apply <file>', 'apply the plan of a file; - for standard input', {
      conflicts: ['plan', 'output'],
    }),
    flag('--yes', 'apply it without asking; needed without a terminal'),
    flag('--json', 'print the plan and the result as JSON'),
  ],
  common: [modelFlag('proposes the plan')],
  async run({ settings, flags }) {
    const { apply, plan: onlyPlan, output, yes, json } = flags;
    const given = apply === undefined ? null : parsePlan(await readInput(apply), apply);
    const opening = { embeds: true, asksModel: given === null };
    await withMemory(await openExisting(settings, opening), async (memory) => {
      const { journal } = memory;
      const proposal: Proposal = given
        ? { ...given, lines: await journal.describe(given.plan) }
        : await journal.plan();
      if (!json) printLines(proposal.lines.map(plain));
      if (output !== undefined) await writePlan(proposal.plan, output);
      const { operations, refresh } = proposal.plan;
      const isWanted = !onlyPlan && output === undefined && operations.length + refresh.length > 0;
      const entry =
        isWanted && (yes || (await confirmPlan(json))) ? await journal.reorganize(proposal.plan) : null;
      const done = entry ? ['', `Done: ${formatDone(entry)}. “omoide rollback ${entry.id}” undoes it.`] : [];
      show({ json: { ...proposal, entry: entry && entryToJson(entry) }, lines: done }, flags);
    });
  },
});

/** @throws MemoryError INVALID_INPUT when there is no terminal to ask on */
async function confirmPlan(json: true | undefined): Promise<boolean> {
  const reason =
    'Nothing was changed: there is no terminal to ask on. --yes applies the plan, --plan only shows it.';
  if (json) throw new MemoryError('INVALID_INPUT', reason);
  if (process.stdout.isTTY) printLines(['']);
  if (await confirm('Apply it?', reason, process.stdout)) return true;
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
function parsePlan(text: string, path: string): PlanInput {
  try {
    const value = JSON.parse(text) as unknown;
    const isWrapped = typeof value === 'object' && value !== null && 'plan' in value;
    return { plan: (isWrapped ? value.plan : value) as ReorganizationPlan };
  } catch (cause) {
    throw new MemoryError('INVALID_INPUT', `${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
}
