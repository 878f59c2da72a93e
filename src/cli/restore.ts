import { mkdirSync, rmSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeTemporaryFolder,
  MemoryError,
  moveRestored,
  openMemory,
  RESTORING,
  unpackBackup,
  type BackupManifest,
} from '../engine/engine.ts';
import type { AddCommand, SetExitCode } from './command.ts';
import { EXIT } from './exit.ts';
import { using } from './opening.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data'> {
  readonly verifyOnly?: true;
  readonly json?: true;
}

interface CheckedMemory {
  readonly memoryId: string;
  readonly turns: number;
  readonly chainHead: string;
  readonly problems: readonly string[];
}

export const addRestore: AddCommand = (program, setExitCode) => {
  program
    .command('restore')
    .description('Restores a backup into an empty folder, after checking its hashes and chains.')
    .argument('<backup>', 'a backup: a folder or a .zip file')
    .option('--verify-only', 'check the backup and restore nothing')
    .addOption(dataOption())
    .option('--json', 'print the result as JSON')
    .action(async (backup: string, flags: Flags) => {
      const checked = flags.verifyOnly ? await check(backup) : await restore(backup, readDataDir(flags));
      print(checked, flags, setExitCode);
    });
};

/** Unpacks and checks a backup in a temporary folder. */
async function check(backup: string): Promise<CheckedMemory[]> {
  const folder = makeTemporaryFolder('restore');
  try {
    return await checkMemories(folder, await unpackBackup(backup, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Restores nothing if the backup has a problem. */
async function restore(backup: string, dataDir: string): Promise<CheckedMemory[]> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const other = readdirSync(dataDir).find((name) => name !== RESTORING);
  if (other !== undefined) {
    throw new MemoryError(
      'INVALID_INPUT',
      `${dataDir} is not empty: it contains ${other}. Choose an empty folder.`,
    );
  }
  const staging = join(dataDir, RESTORING);
  const checked = await checkMemories(staging, await unpackBackup(backup, staging));
  if (checked.every(({ problems }) => problems.length === 0)) moveRestored(dataDir);
  else rmSync(staging, { recursive: true, force: true });
  return checked;
}

async function checkMemories(dataDir: string, manifest: BackupManifest): Promise<CheckedMemory[]> {
  const checked: CheckedMemory[] = [];
  for (const { memoryId, chainHead: expected } of manifest.memories) {
    const memory = await openMemory({ dataDir, memoryId, worker: false, learn: false, embedder: null });
    const { turns, chainHead, problems } = await using(memory, () =>
      memory.admin.verify(expected === '' ? {} : { expect: expected }),
    );
    checked.push({ memoryId, turns, chainHead, problems: problems.map(({ message }) => message) });
  }
  return checked;
}

function print(memories: readonly CheckedMemory[], flags: Flags, setExitCode: SetExitCode): void {
  const isWhole = memories.every(({ problems }) => problems.length === 0);
  const restored = isWhole && !flags.verifyOnly;
  if (!isWhole) setExitCode(EXIT.failed);
  if (flags.json) return printJson({ restored, memories });
  printLines(
    memories.flatMap(({ memoryId, turns, chainHead, problems }) => [
      ...problems.map((message) => `${style('red', plain(memoryId))}: ${plain(message)}`),
      `${plain(memoryId)}: ${countOf(turns, 'turn')}, ${
        problems.length === 0 ? style('green', 'all is well') : countOf(problems.length, 'problem')
      }, chain head ${chainHead}.`,
    ]),
  );
  if (restored) printLines(['Restored.']);
  else printLines([isWhole ? 'The backup is complete.' : 'Nothing was restored.']);
}
