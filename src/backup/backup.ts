/**
 * A copy of a data folder, made while it is in use, and brought back.
 *
 *     backup/
 *       manifest.json       what is in it, with a SHA-256 of every file
 *       memory_default.db   and every other database of the folder
 *       signing.key, witness_default.log, omoide.json, notes/…
 *
 * The same in one file when its name ends in `.zip`.
 */
export type { BackupManifest, BackupMemory } from './manifest.ts';
export { moveRestored, unpackBackup, RESTORING } from './restore.ts';
export { writeBackup, type BackupReport } from './write.ts';
