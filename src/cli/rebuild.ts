import { Option } from 'commander';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, printJson, printLines, printNote } from './terminal.ts';
import { createVectorWork, formatMissingVectors } from './vectors.ts';

interface Flags extends SettingFlags {
  readonly from: 'indexes' | 'turns';
  readonly vectors?: true;
  readonly json?: true;
}

export const addRebuild: AddCommand = (program, setExitCode) => {
  const command = program
    .command('rebuild')
    .description('Makes the indexes anew, and the vectors that are missing or of another model.')
    .addOption(
      new Option('--from <what>', 'from turns: also the episodes, from the turns')
        .choices(['indexes', 'turns'])
        .default('indexes'),
    )
    .option('--vectors', 'drop all vectors and make them anew')
    .option('--json', 'print the report as JSON');
  addSettings(command).action(async (flags: Flags) => {
    const work = createVectorWork();
    const memory = await openExisting(readSettings(flags), { embeds: true, onWorkerEvent: work.onEvent });
    await using(memory, async () => {
      // One transaction: until it ends, Ctrl-C leaves everything as it was.
      const progress = createProgress('Indexing', 'units');
      const report = await memory.rebuild(flags.from === 'turns' ? 'units' : 'indexes', {
        vectors: flags.vectors === true,
        onProgress: (done, total) => progress.update(done, total),
      });
      progress.clear();
      await memory.retryFailed();
      const { vectors, interrupted } = await interruptible(async (signal) => {
        return { vectors: await work.carryOut(memory, signal), interrupted: signal.aborted };
      });
      if (flags.json) printJson({ ...report, vectors, interrupted });
      else {
        const restored =
          report.episodesRestored > 0 ? `${countOf(report.episodesRestored, 'episode')} restored, ` : '';
        printLines([
          `${restored}${countOf(report.unitsIndexed, 'unit')} indexed, ${countOf(vectors.made, 'vector')} made.`,
        ]);
      }
      const missing = formatMissingVectors(vectors);
      if (missing) printLines([missing], process.stderr);
      if (missing) setExitCode(EXIT.failed);
      if (!interrupted) return;
      printNote(
        `interrupted; ${countOf(vectors.waiting, 'vector')} still to make. “omoide rebuild” goes on.`,
      );
      setExitCode(EXIT.interrupted);
    });
  });
};
