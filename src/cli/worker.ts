import { checkMemoryId, defined } from '../engine/engine.ts';
import { withoutPassword } from '../model/model.ts';
import { openSettings, settingsPath, type Settings } from '../settings/settings.ts';
import type { AddCommand } from './command.ts';
import { addConfigFlags, readConfig, type Config } from './configuration/configuration.ts';
import { aborted, untilStopped } from './interrupt.ts';
import { createLog } from './log.ts';
import { startOptions } from './serve.ts';
import { printJson, printLines, printNote } from './terminal.ts';

interface Flags {
  readonly memory?: string;
  readonly json?: true;
}

/** The values of the configuration that it uses. */
const VALUES = [
  'data',
  'store',
  'vectorIndex',
  'timeZone',
  'reorganize',
  'archive',
  'sensitive',
  'retainTurnsDays',
  'retainJournalDays',
  'retainVersionsDays',
  'chatModel',
  'lightModel',
  'embedder',
  'traceFile',
  'logLevel',
  'logFormat',
] as const;

export const addWorker: AddCommand = (program) => {
  const command = program
    .command('worker')
    .description('Runs background jobs, next to a server with --no-worker, until Ctrl-C.')
    .option('--memory <id>', 'only the jobs of this memory (default: of every memory in the folder)');
  addConfigFlags(command, VALUES)
    .option('--json', 'print its memory and folder as JSON')
    .action(async (flags: Flags) => {
      const { config } = readConfig(command);
      const memoryId = flags.memory ? checkMemoryId(flags.memory) : null;
      process.umask(0o077);
      const settings = openSettings(settingsPath(config.data));
      try {
        await work(config, settings, memoryId, flags);
      } finally {
        settings.close();
      }
    });
};

async function work(
  config: Config,
  settings: Settings,
  memoryId: string | null,
  flags: Flags,
): Promise<void> {
  const { data: dataDir, store, vectorIndex, timeZone, reorganize, archive, sensitive, traceFile } = config;
  await untilStopped(
    async (signal) => {
      const { startWorker } = await import('../serve/serve.ts');
      const worker = await startWorker({
        ...defined({ store, vectorIndex, timeZone, reorganize, archive, sensitive, traceFile }),
        ...startOptions(config),
        ...(memoryId !== null && { memoryId }),
        dataDir,
        settings,
        log: createLog(config),
      });
      if (flags.json) printJson({ data: dataDir, memory: memoryId });
      else
        printLines([
          `Omoide works on ${memoryId === null ? 'every memory' : `memory ${memoryId}`} in ${store === undefined ? dataDir : withoutPassword(store)}`,
        ]);
      await aborted(signal);
      await worker.stop();
    },
    () => printNote('stopping: jobs are released. Press Ctrl-C again to stop at once.'),
  );
}
