import { Option } from 'commander';
import type { RebuildReport } from '../engine/engine.ts';
import { runJobs, formatLearnt, formatMissing, type WorkReport } from './background.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { addModel, addSettings, readSettings, type SettingFlags, type Settings } from './settings.ts';
import { countOf, printJson, printLines, printNote } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly from: 'indexes' | 'turns';
  readonly vectors?: true;
  readonly learn: boolean;
  readonly json?: true;
}

export const addRebuild: AddCommand = (program, setExitCode) => {
  const command = program
    .command('rebuild')
    .description('Rebuilds the indexes, and the vectors that are missing or of another model.')
    .addOption(
      new Option('--from <what>', 'turns: also rebuild the episodes from the turns')
        .choices(['indexes', 'turns'])
        .default('indexes'),
    )
    .option('--vectors', 'delete all vectors and compute them again')
    .option('--no-learn', 'do not run waiting learning jobs')
    .option('--json', 'print the report as JSON');
  addSettings(addModel(command, 'learns from turns')).action(async (flags: Flags) => {
    const settings = readSettings(flags);
    const report = await rebuild(settings, flags);
    const { work, interrupted } = await interruptible(async (signal) => {
      return {
        work: await runJobs(settings, { embed: true, learn: flags.learn }, signal),
        interrupted: signal.aborted,
      };
    });
    if (flags.json) printJson({ ...report, ...work, interrupted });
    else printLines([formatReport(report, work), ...formatLearnt(work)]);
    const missing = formatMissing(work);
    printLines(missing, process.stderr);
    if (missing.length > 0) setExitCode(EXIT.failed);
    if (!interrupted) return;
    const waiting = (work.vectors?.waiting ?? 0) + (work.learning?.waiting ?? 0);
    printNote(`interrupted; ${countOf(waiting, 'job')} still to do. “omoide rebuild” continues.`);
    setExitCode(EXIT.interrupted);
  });
};

/** In one transaction: Ctrl-C before its end leaves everything unchanged. */
async function rebuild(settings: Settings, flags: Flags): Promise<RebuildReport> {
  const memory = await openExisting(settings, { embeds: true, learns: flags.learn });
  return using(memory, async () => {
    const progress = createProgress('Indexing', 'units');
    const report = await memory.admin.rebuild(flags.from === 'turns' ? 'units' : 'indexes', {
      vectors: flags.vectors === true,
      onProgress: (done, total) => progress.update(done, total),
    });
    progress.clear();
    await memory.jobs.retry();
    return report;
  });
}

function formatReport(
  { episodesRestored, episodesRemoved, unitsIndexed }: RebuildReport,
  { vectors, learning }: WorkReport,
): string {
  return [
    ...(episodesRemoved > 0
      ? [
          `${countOf(episodesRemoved, 'episode')} without a turn removed (“omoide verify” lists the missing turns)`,
        ]
      : []),
    ...(episodesRestored > 0 ? [`${countOf(episodesRestored, 'episode')} restored`] : []),
    `${countOf(unitsIndexed, 'unit')} indexed`,
    `${countOf(vectors?.made ?? 0, 'vector')} computed`,
    ...(learning !== null && learning.done > 0 ? [`${countOf(learning.done, 'job')} of learning done`] : []),
  ]
    .join(', ')
    .concat('.');
}
