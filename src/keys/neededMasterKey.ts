/** Whether the master key of a data folder is available, and an id of the key that does not reveal it. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { isMemoryError, messageOf } from '../model/model.ts';
import { decrypt } from './cipher.ts';
import { KeyDatabase } from './keyDatabase.ts';
import { MASTER_KEY_FILE, openMasterKey, type MasterKey } from './masterKey.ts';

export interface NeededMasterKey {
  /** Identifies the key, from which it cannot be found out; null when the key is not at hand. */
  readonly id: string | null;
  /** Where it is, or was looked for last. */
  readonly place: string;
  /** Whether it is in the folder, as `master.key`. */
  readonly isInFolder: boolean;
  /** When it is not at hand: what was found at that place instead. */
  readonly problem: string | null;
}

/** The master key that decrypts the keys of a folder; null when the folder has no keys. */
export function neededMasterKey(folder: string): NeededMasterKey | null {
  const wrapped = readWrapped(join(folder, 'keys.db'));
  if (!wrapped) return null;
  const own = openMasterKey({ from: 'file', path: join(folder, MASTER_KEY_FILE) }, folder);
  const given = openMasterKey(undefined, folder);
  let problem = '';
  for (const [place, isInFolder] of [[own, true] as const, [given, given.name === own.name] as const]) {
    const found = read(place);
    const key = found.keys.find((candidate) => decrypt(candidate, wrapped));
    if (key) return { id: masterKeyId(key), place: place.name, isInFolder, problem: null };
    const [other] = found.keys;
    problem =
      found.problem ?? (other ? `the key there is another one, ${masterKeyId(other)}` : 'it is not there');
  }
  return { id: null, place: given.name, isInFolder: false, problem };
}

/** The first digits of a keyed hash: the key is random, so nobody can guess it from this. */
function masterKeyId(key: Uint8Array): string {
  return createHmac('sha256', key).update('omoide master key').digest('hex').slice(0, 16);
}

function readWrapped(path: string): Uint8Array | null {
  const db = new KeyDatabase(path);
  if (!db.exists()) return null;
  try {
    const sql = 'SELECT key FROM memory_key UNION ALL SELECT keys FROM key_page LIMIT 1';
    return db.get<{ key: Uint8Array }>(sql)?.key ?? null;
  } finally {
    db.close();
  }
}

function read(place: MasterKey): { readonly keys: readonly Buffer[]; readonly problem?: string } {
  try {
    return { keys: [place.unfinished(), place.read()].filter((key) => key !== null) };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { keys: [], problem: messageOf(error) };
  }
}
