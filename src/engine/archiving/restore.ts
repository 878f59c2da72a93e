import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchivePlace, readArchive } from '../../archive/archive.ts';
import { copyDatabase } from '../../backup/backup.ts';
import { parseMasterKeySetting } from '../../keys/keys.ts';
import {
  checkMemoryId,
  makeDataFolder,
  makePrivateFile,
  MemoryError,
  PRIVATE_FILE,
} from '../../model/model.ts';
import { copyKeysOfStore, memoryPath, openStore } from '../stores.ts';

export interface ArchiveRestore {
  /** Same as `MemoryOptions.archive`. */
  readonly archive: string;
  /** A folder that is empty or contains only keys. */
  readonly dataDir: string;
  /** The id of the memory; default `default`. */
  readonly memoryId?: string;
  /**
   * A data folder or a backup from which `keys.db`, `master.key` and `signing.key` are copied, or the database whose tables
   * hold the keys (`postgres://…`). Default: `dataDir`.
   */
  readonly keys?: string;
  /** The source of the master key; default: `master.key` in the folder. */
  readonly masterKey?: string;
  /** Kinds of job to create for the episodes. */
  readonly jobKinds: readonly string[];
  readonly onProgress?: (turns: number) => void;
}

export interface RestoredArchive {
  readonly memoryId: string;
  readonly turns: number;
  /** What is missing in the archive, one sentence each; empty when all objects between the first and the last exist. */
  readonly problems: readonly string[];
}

const KEY_FILES = ['master.key', 'signing.key'] as const;
const KEYS = 'keys.db';

/**
 * Restores a memory from its archive: every turn with its id and hashes; forgotten ones stay forgotten. Derived
 * data is learnt again.
 * @throws MemoryError INVALID_INPUT, NOT_FOUND, FILE_UNREADABLE, KEY_MISSING, CHAIN_BROKEN
 */
export async function restoreArchive(options: ArchiveRestore): Promise<RestoredArchive> {
  const { dataDir, jobKinds, onProgress } = options;
  const memoryId = checkMemoryId(options.memoryId ?? 'default');
  const content = await readArchive(openArchivePlace(options.archive), memoryId);
  const masterKey =
    options.masterKey === undefined ? {} : { masterKey: parseMasterKeySetting(options.masterKey) };
  if (options.keys !== undefined && isDatabase(options.keys)) {
    checkEmpty(dataDir, KEY_FILES);
    await copyKeysOfStore(options.keys, { dataDir, memoryId, ...masterKey });
  } else {
    checkFolder(dataDir, options.keys);
    if (options.keys !== undefined) await copyKeys(options.keys, dataDir);
  }
  const { timeZone } = content.header;
  let turns = 0;
  try {
    const store = await openStore({ dataDir }, { memoryId, timeZone, now: Date.now, ...masterKey });
    try {
      const raw = store.rawTurns;
      if (!raw?.restore) throw new MemoryError('INVALID_INPUT', 'An archive is restored into a folder.');
      for await (const batch of content.turns()) {
        turns += await raw.restore(batch, []);
        onProgress?.(turns);
      }
      await raw.restore([], content.receipts);
      await store.admin.rebuild('units', { jobKinds, now: Date.now(), dropVectors: false });
    } finally {
      await store.close();
    }
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(memoryPath(dataDir, memoryId) + suffix, { force: true });
    throw error;
  }
  const problems = content.missing.map((number) => `Object ${number} of the archive is missing.`);
  return { memoryId, turns, problems };
}

/** @throws MemoryError INVALID_INPUT */
function checkEmpty(dataDir: string, except: readonly string[]): void {
  makeDataFolder(dataDir);
  const other = readdirSync(dataDir).find((name) => !except.some((ours) => name.startsWith(ours)));
  if (other === undefined) return;
  throw new MemoryError('INVALID_INPUT', `${dataDir} contains ${other}. Choose an empty folder.`);
}

/** @throws MemoryError INVALID_INPUT, KEY_MISSING */
function checkFolder(dataDir: string, keys: string | undefined): void {
  checkEmpty(dataDir, keys === undefined ? [KEYS, ...KEY_FILES] : []);
  if (!existsSync(join(keys ?? dataDir, KEYS))) {
    const message = `There is no ${join(keys ?? dataDir, KEYS)}: without it nothing in the archive can be read.`;
    throw new MemoryError('KEY_MISSING', message);
  }
}

function isDatabase(keys: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(keys);
}

async function copyKeys(from: string, dataDir: string): Promise<void> {
  makePrivateFile(join(dataDir, KEYS));
  await copyDatabase(join(from, KEYS), join(dataDir, KEYS));
  for (const name of KEY_FILES) {
    if (!existsSync(join(from, name))) continue;
    await copyFile(join(from, name), join(dataDir, name));
    await chmod(join(dataDir, name), PRIVATE_FILE);
  }
}
