import { defined, MemoryError, openMemory, restoreArchive, type ArchiveCheck } from '../engine/engine.ts';
import { addCommand, flag, JSON_FLAG, REPORT_JSON_FLAG, type AddCommand } from './command.ts';
import { EXIT } from './exit.ts';
import { openExisting, withMemory } from './opening.ts';
import { createProgress } from './progress.ts';
import { dataFlag, MEMORY_FLAG, readDataDir, type Settings } from './settings.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { countOf, plain, style } from './terminal.ts';

const ARCHIVE_FLAG = flag(
  '--archive <dir|url>',
  'a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N',
  { env: 'OMOIDE_ARCHIVE' },
);

const addWrite = addSettingsCommand({
  name: 'write',
  about: 'Copies turns that are not archived yet; a server or worker with --archive does this automatically.',
  flags: [ARCHIVE_FLAG, REPORT_JSON_FLAG],
  async run({ settings, flags }) {
    const memory = await openArchived(flags, settings);
    const progress = createProgress('Archiving', 'turns');
    const report = await withMemory(memory, () =>
      memory.admin.archive({ onProgress: (turns) => progress.update(turns, turns) }),
    ).finally(() => progress.clear());
    const { turns, objects } = report;
    return {
      json: report,
      lines: [`${countOf(turns, 'turn')} copied, ${countOf(objects, 'object')} written.`],
    };
  },
});

const addVerify = addSettingsCommand({
  name: 'verify',
  about: 'Compares every turn of a memory with its copy in the archive.',
  flags: [ARCHIVE_FLAG, JSON_FLAG],
  async run({ settings, flags, setExitCode }) {
    const memory = await openArchived(flags, settings);
    const check = await withMemory(memory, () => memory.admin.verifyArchive());
    if (check.problems.length > 0) setExitCode(EXIT.failed);
    const problems = check.problems.map((problem) => style('red', plain(problem)));
    return { json: check, lines: [...problems, ...describe(check)] };
  },
});

function describe({ archived, pending, objects, unlocked, problems }: ArchiveCheck): string[] {
  const state = problems.length === 0 ? style('green', 'All is well') : style('red', 'Something is wrong');
  return [
    `${state}: ${countOf(archived, 'turn')} in ${countOf(objects, 'object')}, ${pending} not copied yet.`,
    ...(unlocked === null || unlocked === 0
      ? []
      : [
          `${countOf(unlocked, 'object')} not locked: anybody with write access to the bucket can delete them.`,
        ]),
  ];
}

const addRestore = addCommand({
  name: 'restore',
  about: 'Restores a memory from the archive into an empty folder, with the same chain head.',
  flags: [
    ARCHIVE_FLAG,
    dataFlag(),
    MEMORY_FLAG,
    flag(
      '--keys <dir|url>',
      'a data folder or backup with keys.db, master.key and signing.key, or the database of the memory (default: in --data)',
    ),
    flag('--expect <head>', 'a chain head recorded earlier: one turn must have it'),
    REPORT_JSON_FLAG,
  ],
  async run({ flags, setExitCode }) {
    const { keys, expect, memory: memoryId = 'default' } = flags;
    const dataDir = readDataDir(flags);
    const progress = createProgress('Restoring', 'turns');
    const restored = await restoreArchive({
      archive: requireArchive(flags),
      dataDir,
      memoryId,
      ...defined({ keys }),
      onProgress: (turns) => progress.update(turns, turns),
    }).finally(() => progress.clear());
    const memory = await openMemory({ dataDir, memoryId, worker: false, learn: false, embedder: null });
    const verified = await withMemory(memory, () => memory.admin.verify(defined({ expect })));
    const problems = [...restored.problems, ...verified.problems.map(({ message }) => message)];
    if (problems.length > 0) setExitCode(EXIT.failed);
    const { chainHead, forgotten } = verified;
    const size = `${countOf(restored.turns, 'turn')}, ${forgotten} of them forgotten`;
    return {
      json: { ...restored, chainHead, forgotten, problems },
      lines: [
        ...problems.map((problem) => style('red', plain(problem))),
        `${plain(memoryId)}: ${size}, chain head ${chainHead}.`,
        '“omoide rebuild”, “omoide serve” or “omoide worker” learn from them again.',
      ],
    };
  },
});

export const addArchive: AddCommand = (program, setExitCode) => {
  const archive = program
    .command('archive')
    .description(
      'Copies encrypted turns to write-once storage, verifies the copy, and restores a memory from it.',
    );
  for (const add of [addWrite, addVerify, addRestore]) add(archive, setExitCode);
};

interface ArchiveFlags {
  readonly archive?: string;
}

function openArchived(flags: ArchiveFlags, settings: Settings) {
  return openExisting({ ...settings, archive: requireArchive(flags) }, { embeds: false });
}

/** @throws MemoryError INVALID_INPUT */
function requireArchive({ archive }: ArchiveFlags): string {
  if (archive) return archive;
  throw new MemoryError('INVALID_INPUT', 'Name the archive with --archive or OMOIDE_ARCHIVE.');
}
