import { rmSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from '../model/model.ts';
import {
  makeTemporaryFolder,
  MemoryError,
  moveRestored,
  openMemory,
  RESTORING,
  unpackBackup,
  type BackupManifest,
} from '../engine/engine.ts';
import { addCommand, argument, flag, JSON_FLAG, type Output } from './command.ts';
import { EXIT } from './exit.ts';
import { withMemory } from './opening.ts';
import { dataFlag, readDataDir } from './settings.ts';
import { countOf, plain, style } from './terminal.ts';

interface CheckedMemory {
  readonly memoryId: string;
  readonly turns: number;
  readonly chainHead: string;
  readonly problems: readonly string[];
}

export const addRestore = addCommand({
  name: 'restore',
  about: 'Restores a backup into an empty folder, after checking its hashes and chains.',
  args: [argument('<backup>', 'a backup: a folder or a .zip file')],
  flags: [flag('--verify-only', 'check the backup and restore nothing'), dataFlag(), JSON_FLAG],
  async run({ args: [backup], flags, setExitCode }) {
    const memories = flags.verifyOnly ? await check(backup) : await restore(backup, readDataDir(flags));
    const isWhole = memories.every(({ problems }) => problems.length === 0);
    if (!isWhole) setExitCode(EXIT.failed);
    return format(memories, { isWhole, restored: isWhole && !flags.verifyOnly });
  },
});

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
  makeDataFolder(dataDir);
  const other = readdirSync(dataDir).find((name) => name !== RESTORING);
  if (other !== undefined) {
    throw new MemoryError(
      'INVALID_INPUT',
      `${dataDir} is not empty: it contains ${other}. Choose an empty folder.`,
    );
  }
  const staging = join(dataDir, RESTORING);
  const manifest = await unpackBackup(backup, staging);
  const checked = await checkMemories(staging, manifest).catch((error: unknown) => {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  });
  if (checked.every(({ problems }) => problems.length === 0)) moveRestored(dataDir);
  else rmSync(staging, { recursive: true, force: true });
  return checked;
}

async function checkMemories(dataDir: string, manifest: BackupManifest): Promise<CheckedMemory[]> {
  const checked: CheckedMemory[] = [];
  for (const { memoryId, chainHead: expected } of manifest.memories) {
    const memory = await openMemory({ dataDir, memoryId, worker: false, learn: false, embedder: null });
    const { turns, chainHead, problems } = await withMemory(memory, () =>
      memory.admin.verify(expected === '' ? {} : { expect: expected }),
    );
    checked.push({ memoryId, turns, chainHead, problems: problems.map(({ message }) => message) });
  }
  return checked;
}

function format(
  memories: readonly CheckedMemory[],
  { isWhole, restored }: { readonly isWhole: boolean; readonly restored: boolean },
): Output {
  const lines = memories.flatMap(({ memoryId, turns, chainHead, problems }) => {
    const state = problems.length === 0 ? style('green', 'all is well') : countOf(problems.length, 'problem');
    return [
      ...problems.map((message) => `${style('red', plain(memoryId))}: ${plain(message)}`),
      `${plain(memoryId)}: ${countOf(turns, 'turn')}, ${state}, chain head ${chainHead}.`,
    ];
  });
  const outcome = isWhole ? 'The backup is complete.' : 'Nothing was restored.';
  return { json: { restored, memories }, lines: [...lines, restored ? 'Restored.' : outcome] };
}
