/**
 * Backs up a data folder while it is in use, and restores it.
 *
 *     backup/
 *       manifest.json       its contents, with a SHA-256 of every file
 *       memory_default.db   and every other database of the folder
 *       signing.key, witness_default.log, omoide.json, notes/…
 *
 * If the name ends in `.zip`, it is one file with this content.
 */
export { copyDatabase } from './databaseCopy.ts';
export type { BackupManifest, BackupMasterKey, BackupMemory } from './manifest.ts';
export { moveRestored, unpackBackup, RESTORING } from './restore.ts';
export { writeBackup, type BackupReport } from './write.ts';
