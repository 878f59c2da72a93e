import { listMemories, MemoryError, migrateMemory, type MemoryPlace } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { dataOption, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data'> {
  readonly from: string;
  readonly to: string;
  readonly memory?: string;
  readonly json?: true;
}

const isUrl = (place: string) => /^postgres(?:ql)?:\/\//.test(place);

export const addMigrate: AddCommand = (program) => {
  program
    .command('migrate')
    .description(
      'Copies memories from a folder to a PostgreSQL database, or back: all of them, with the same chain heads.',
    )
    .requiredOption('--from <place>', 'source: a folder, or postgres://user@host/database')
    .requiredOption('--to <place>', 'target: a database if --from is a folder, else a folder')
    .option('--memory <id>', 'only this memory (default: all)')
    .addOption(
      dataOption('folder with the master key of the database (default: the folder of --from or --to)'),
    )
    .option('--json', 'print the result as JSON')
    .action(async (flags: Flags) => {
      const { from, to } = readPlaces(flags);
      const memoryIds =
        flags.memory === undefined
          ? (await listMemories(from)).map(({ memoryId }) => memoryId)
          : [flags.memory];
      const memories = [];
      for (const memoryId of memoryIds) {
        const progress = createProgress(`Copying ${memoryId}`, 'rows');
        const report = await migrateMemory({
          memoryId,
          from,
          to,
          onProgress: (done, total) => progress.update(done, total),
        }).finally(() => progress.clear());
        memories.push(report);
        if (!flags.json) {
          const { turns, units, chainHead } = report;
          const size = `${countOf(turns, 'turn')}, ${countOf(units, 'unit')}`;
          printLines([`${plain(memoryId)}: ${size}, compared; chain head ${chainHead}.`]);
        }
      }
      if (flags.json) return printJson({ memories });
      printLines([
        `${countOf(memories.length, 'memory', 'memories')} copied. The originals are still in ${shown(flags.from)}.`,
        to.store === undefined
          ? `Copy signing.key, settings.db and the witness logs of the server's data folder to ${flags.to} too.`
          : `Keep ${from.dataDir} as the data folder: its settings, signing key and master key are still needed.`,
      ]);
    });
};

/** @throws MemoryError INVALID_INPUT */
function readPlaces({ from, to, data }: Flags): { from: MemoryPlace; to: MemoryPlace } {
  if (isUrl(from) === isUrl(to)) {
    throw new MemoryError(
      'INVALID_INPUT',
      'One of --from and --to must be a folder, the other postgres://user@host/database.',
    );
  }
  const folder = data || (isUrl(from) ? to : from);
  return isUrl(from)
    ? { from: { dataDir: folder, store: from }, to: { dataDir: to } }
    : { from: { dataDir: from }, to: { dataDir: folder, store: to } };
}

/** Without a password. */
function shown(place: string): string {
  return plain(place.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@'));
}
