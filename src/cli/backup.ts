import { writeBackup } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data'> {
  readonly memory?: string;
  readonly notes?: string;
  readonly json?: true;
}

const MIB = 1_048_576;

export const addBackup: AddCommand = (program) => {
  program
    .command('backup')
    .description('Copies the data folder while it is in use, including keys, logs, settings and notes.')
    .argument('<to>', 'a new folder, or a new file that ends in .zip')
    .option('--memory <id>', 'only this memory, without the settings (default: everything)')
    .option('--notes <dir>', 'a notes folder outside the data folder; it is restored as “notes”')
    .addOption(dataOption())
    .option('--json', 'print the report as JSON')
    .action(async (to: string, flags: Flags) => {
      const progress = createProgress('Copying', 'files');
      const report = await writeBackup({
        dataDir: readDataDir(flags),
        to,
        ...(flags.memory !== undefined && { memoryIds: [flags.memory] }),
        ...(flags.notes !== undefined && { notes: flags.notes }),
        onProgress: (done, total) => progress.update(done, total),
      }).finally(() => progress.clear());
      if (flags.json) return printJson(report);
      const { memories, files, sizeBytes } = report;
      printLines([
        ...memories.map(({ memoryId, turns }) => `${plain(memoryId)}: ${countOf(turns, 'turn')}`),
        `${countOf(files, 'file')}, ${(sizeBytes / MIB).toFixed(1)} MiB, copied to ${plain(to)}.`,
      ]);
    });
};
