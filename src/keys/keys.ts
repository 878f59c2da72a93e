/**
 * The keys under which words are kept, apart from the words: who deletes a key makes what it encrypts unreadable
 * wherever copies of it lie.
 *
 * Terminology: the *master key* encrypts all other keys; it comes from a file, an environment variable or the system's
 * keychain. A *turn key* encrypts one turn. The *memory key* encrypts what is derived in one memory, and makes keyed
 * hashes of its terms. Turn keys and memory keys lie encrypted in `keys.db`.
 */
export { KeyFile, type KeyFileOptions } from './keyFile.ts';
export type { MemoryKeys } from './memoryKeys.ts';
export { parseMasterKeySetting, type MasterKeySetting } from './masterKey.ts';
