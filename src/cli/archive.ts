import { Option, type Command } from 'commander';
import { MemoryError, openMemory, restoreArchive, type ArchiveCheck } from '../engine/engine.ts';
import type { AddCommand, SetExitCode } from './command.ts';
import { EXIT } from './exit.ts';
import { openExisting, using } from './opening.ts';
import { createProgress } from './progress.ts';
import { addSettings, dataOption, readDataDir, readSettings, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly archive?: string;
  readonly keys?: string;
  readonly expect?: string;
  readonly json?: true;
}

const archiveOption = () =>
  new Option('--archive <dir|url>', 'a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N').env(
    'OMOIDE_ARCHIVE',
  );

export const addArchive: AddCommand = (program, setExitCode) => {
  const archive = program
    .command('archive')
    .description(
      'Copies encrypted turns to write-once storage, verifies the copy, and restores a memory from it.',
    );
  addWrite(archive);
  addVerify(archive, setExitCode);
  addRestore(archive, setExitCode);
};

function addWrite(archive: Command): void {
  const command = archive
    .command('write')
    .description(
      'Copies turns that are not archived yet; a server or worker with --archive does this automatically.',
    )
    .addOption(archiveOption())
    .option('--json', 'print the report as JSON');
  addSettings(command).action(async (flags: Flags) => {
    const memory = await openExisting(settingsOf(flags), { embeds: false });
    const progress = createProgress('Archiving', 'turns');
    const report = await using(memory, () =>
      memory.admin.archive({ onProgress: (turns) => progress.update(turns, turns) }),
    ).finally(() => progress.clear());
    if (flags.json) return printJson(report);
    printLines([`${countOf(report.turns, 'turn')} copied, ${countOf(report.objects, 'object')} written.`]);
  });
}

function addVerify(archive: Command, setExitCode: SetExitCode): void {
  const command = archive
    .command('verify')
    .description('Compares every turn of a memory with its copy in the archive.')
    .addOption(archiveOption())
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (flags: Flags) => {
    const memory = await openExisting(settingsOf(flags), { embeds: false });
    const check = await using(memory, () => memory.admin.verifyArchive());
    if (check.problems.length > 0) setExitCode(EXIT.failed);
    if (flags.json) return printJson(check);
    printLines([...check.problems.map((problem) => style('red', plain(problem))), ...describe(check)]);
  });
}

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

function addRestore(archive: Command, setExitCode: SetExitCode): void {
  archive
    .command('restore')
    .description('Restores a memory from the archive into an empty folder, with the same chain head.')
    .addOption(archiveOption())
    .addOption(dataOption())
    .addOption(new Option('--memory <id>', 'which memory').default('default').env('OMOIDE_MEMORY'))
    .option(
      '--keys <dir|url>',
      'a data folder or backup with keys.db, master.key and signing.key, or the database of the memory (default: in --data)',
    )
    .option('--expect <head>', 'a chain head recorded earlier: one turn must have it')
    .option('--json', 'print the report as JSON')
    .action(async (flags: Flags) => restore(flags, setExitCode));
}

async function restore(flags: Flags, setExitCode: SetExitCode): Promise<void> {
  const dataDir = readDataDir(flags);
  const { keys, expect } = flags;
  const memoryId = flags.memory ?? 'default';
  const progress = createProgress('Restoring', 'turns');
  const restored = await restoreArchive({
    archive: requireArchive(flags),
    dataDir,
    memoryId,
    ...(keys !== undefined && { keys }),
    onProgress: (turns) => progress.update(turns, turns),
  }).finally(() => progress.clear());
  const memory = await openMemory({ dataDir, memoryId, worker: false, learn: false, embedder: null });
  const verified = await using(memory, () => memory.admin.verify(expect === undefined ? {} : { expect }));
  const problems = [...restored.problems, ...verified.problems.map(({ message }) => message)];
  if (problems.length > 0) setExitCode(EXIT.failed);
  const report = { ...restored, chainHead: verified.chainHead, forgotten: verified.forgotten, problems };
  if (flags.json) return printJson(report);
  const size = `${countOf(report.turns, 'turn')}, ${report.forgotten} of them forgotten`;
  printLines([
    ...problems.map((problem) => style('red', plain(problem))),
    `${plain(memoryId)}: ${size}, chain head ${report.chainHead}.`,
    '“omoide rebuild”, “omoide serve” or “omoide worker” learn from them again.',
  ]);
}

function settingsOf(flags: Flags) {
  return { ...readSettings(flags), archive: requireArchive(flags) };
}

/** @throws MemoryError INVALID_INPUT */
function requireArchive({ archive }: Flags): string {
  if (archive) return archive;
  throw new MemoryError('INVALID_INPUT', 'Name the archive with --archive or OMOIDE_ARCHIVE.');
}
