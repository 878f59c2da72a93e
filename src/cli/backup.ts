import { defined, writeBackup, type BackupMasterKey } from '../engine/engine.ts';
import { addCommand, argument, flag, REPORT_JSON_FLAG } from './command.ts';
import { createProgress } from './progress.ts';
import { dataFlag, readDataDir } from './settings.ts';
import { countOf, plain, printNote } from './terminal.ts';

const MIB = 1_048_576;

export const addBackup = addCommand({
  name: 'backup',
  about: 'Copies the data folder while it is in use, including keys, logs, settings and notes.',
  args: [argument('<to>', 'a new folder, or a new file that ends in .zip')],
  flags: [
    flag('--memory <id>', 'only this memory, without the settings (default: everything)'),
    flag('--notes <dir>', 'a notes folder outside the data folder; it is restored as “notes”'),
    dataFlag(),
    REPORT_JSON_FLAG,
  ],
  async run({ args: [to], flags }) {
    const { memory, notes } = flags;
    const progress = createProgress('Copying', 'files');
    const report = await writeBackup({
      dataDir: readDataDir(flags),
      to,
      ...defined({ notes, memoryIds: memory === undefined ? undefined : [memory] }),
      onMasterKey: (key) => {
        if (!key.isIncluded) printNote(describeOutside(key));
      },
      onProgress: (done, total) => progress.update(done, total),
    }).finally(() => progress.clear());
    const { memories, files, sizeBytes, masterKey } = report;
    return {
      json: report,
      lines: [
        ...memories.map(({ memoryId, turns }) => `${plain(memoryId)}: ${countOf(turns, 'turn')}`),
        `${countOf(files, 'file')}, ${(sizeBytes / MIB).toFixed(1)} MiB, copied to ${plain(to)}.`,
        ...(masterKey?.isIncluded
          ? [`It contains the master key ${masterKey.id}: whoever has it can read everything.`]
          : []),
      ],
    };
  },
});

function describeOutside({ id, place }: BackupMasterKey): string {
  return id === null
    ? `this backup can only be read with the master key of this folder, which is not at hand: it is not in ${plain(place)}. Keep that key, apart from the backup.`
    : `this backup can only be read with the master key ${id}, which lies outside the data folder, in ${plain(place)}, and is not copied. Keep that key, apart from the backup.`;
}
