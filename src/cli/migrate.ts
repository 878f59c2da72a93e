import { existsSync } from 'node:fs';
import { isMigrated, listMemories, MemoryError, migrateMemory, type MemoryPlace } from '../engine/engine.ts';
import { withoutPassword } from '../model/model.ts';
import { addCommand, flag, JSON_FLAG } from './command.ts';
import { createProgress } from './progress.ts';
import { dataFlag } from './settings.ts';
import { countOf, plain, printLines } from './terminal.ts';

interface Places {
  readonly from: string;
  readonly to: string;
  readonly data?: string;
}

const isUrl = (place: string) => /^postgres(?:ql)?:\/\//.test(place);

export const addMigrate = addCommand({
  name: 'migrate',
  about:
    'Copies memories from a folder to a PostgreSQL database, or back: all of them, with the same chain heads.',
  flags: [
    flag('--from <place>', 'source: a folder, or postgres://user@host/database', { required: true }),
    flag('--to <place>', 'target: a database if --from is a folder, else a folder', { required: true }),
    flag('--memory <id>', 'only this memory (default: all)'),
    dataFlag('folder with the master key of the database (default: the folder of --from or --to)'),
    JSON_FLAG,
  ],
  async run({ flags: { memory, json, ...flags } }) {
    const given: Places = { from: '', to: '', ...flags };
    const { from, to } = readPlaces(given);
    if (from.store === undefined && !existsSync(from.dataDir))
      throw new MemoryError('NOT_FOUND', `There is no folder ${from.dataDir}.`);
    const memoryIds =
      memory === undefined ? (await listMemories(from)).map(({ memoryId }) => memoryId) : [memory];
    const memories = [];
    const copiedBefore = [];
    for (const memoryId of memoryIds) {
      // An interrupted copy of several memories continues with those that are left.
      if (memory === undefined && (await isMigrated({ memoryId, from, to }))) {
        copiedBefore.push(memoryId);
        if (!json) printLines([`${plain(memoryId)}: was copied before, with the same turns.`]);
        continue;
      }
      const progress = createProgress(`Copying ${memoryId}`, 'rows');
      const onProgress = (done: number, total?: number) => progress.update(done, total);
      const report = await migrateMemory({ memoryId, from, to, onProgress }).finally(() => progress.clear());
      memories.push(report);
      const size = `${countOf(report.turns, 'turn')}, ${countOf(report.units, 'unit')}`;
      if (!json) printLines([`${plain(memoryId)}: ${size}, compared; chain head ${report.chainHead}.`]);
    }
    return {
      json: { memories, copiedBefore },
      lines: [
        `${countOf(memories.length, 'memory', 'memories')} copied. The originals are still in ${shown(given.from)}.`,
        to.store === undefined
          ? `Copy signing.key, settings.db and the witness logs of the server's data folder to ${given.to} too.`
          : `Keep ${from.dataDir} as the data folder: its settings, signing key and master key are still needed.`,
      ],
    };
  },
});

/** @throws MemoryError INVALID_INPUT */
function readPlaces({ from, to, data }: Places): { from: MemoryPlace; to: MemoryPlace } {
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
  return plain(withoutPassword(place));
}
