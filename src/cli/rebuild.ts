import type { RebuildReport } from '../engine/engine.ts';
import { runJobs, formatLearnt, formatMissing, type WorkReport } from './background.ts';
import { flag, REPORT_JSON_FLAG, show } from './command.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { openExisting, withMemory } from './opening.ts';
import { createProgress } from './progress.ts';
import { modelFlag, type Settings } from './settings.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { countOf, printLines, printNote } from './terminal.ts';

interface RebuildRequest {
  readonly from?: 'indexes' | 'turns';
  readonly vectors?: true;
  readonly learn?: boolean;
}

export const addRebuild = addSettingsCommand({
  name: 'rebuild',
  about: 'Rebuilds the indexes, and the vectors that are missing or of another model.',
  flags: [
    flag('--from <what>', 'turns: also rebuild the episodes from the turns', {
      choices: ['indexes', 'turns'] as const,
      fallback: 'indexes',
    }),
    flag('--vectors', 'delete all vectors and compute them again'),
    flag('--no-learn', 'do not run waiting learning jobs'),
    REPORT_JSON_FLAG,
  ],
  common: [modelFlag('learns from turns')],
  async run({ settings, flags, setExitCode }) {
    const { learn = true } = flags;
    const report = await rebuild(settings, flags);
    const { work, interrupted } = await interruptible(async (signal) => ({
      work: await runJobs(settings, { embed: true, learn }, signal),
      interrupted: signal.aborted,
    }));
    const lines = [formatReport(report, work), ...formatLearnt(work)];
    show({ json: { ...report, ...work, interrupted }, lines }, flags);
    const missing = formatMissing(work);
    printLines(missing, process.stderr);
    if (missing.length > 0) setExitCode(EXIT.failed);
    if (!interrupted) return;
    const waiting = (work.vectors?.waiting ?? 0) + (work.learning?.waiting ?? 0);
    printNote(`interrupted; ${countOf(waiting, 'job')} still to do. “omoide rebuild” continues.`);
    setExitCode(EXIT.interrupted);
  },
});

/** In one transaction: Ctrl-C before its end leaves everything unchanged. */
async function rebuild(
  settings: Settings,
  { from, vectors, learn = true }: RebuildRequest,
): Promise<RebuildReport> {
  const memory = await openExisting(settings, { embeds: true, learns: learn });
  return withMemory(memory, async () => {
    const progress = createProgress('Indexing', 'units');
    const report = await memory.admin.rebuild(from === 'turns' ? 'units' : 'indexes', {
      vectors: vectors === true,
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
