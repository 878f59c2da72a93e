/**
 * The keys that encrypt text, stored apart from the text: deleting a key makes what it encrypts unreadable in every
 * copy.
 *
 * Terminology: the *master key* encrypts all other keys; it comes from a file, an environment variable or the
 * system's keychain. A *turn key* encrypts one turn. The *memory key* encrypts the derived data of one memory, and
 * makes keyed hashes of its terms. Turn keys and memory keys are stored encrypted in `keys.db`,
 * or in tables of a database.
 */
export { KeyFile, type KeyFileOptions } from './keyFile.ts';
export { KeyWrapping, type KeyPlace } from './keyWrapping.ts';
export type { MemoryKeys } from './memoryKeys.ts';
export { parseMasterKeySetting, type MasterKeySetting } from './masterKey.ts';
export { hasRowHashes, keyBytes, newMemoryKey, withRowHashes } from './memoryKey.ts';
export { neededMasterKey, type NeededMasterKey } from './neededMasterKey.ts';
export {
  keyAddress,
  keyPlaces,
  makeKeyPage,
  MAX_PAGE_KEYS,
  openWithKey,
  pageSize,
  sealMoreWithKey,
  sealWithKey,
  withoutKeys,
  type KeyPage,
} from './turnKeys.ts';
export { MemoryWordKeys, type WordKeys } from './wordKeys.ts';
