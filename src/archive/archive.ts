/**
 * A second, immutable copy of the turns: objects in a folder, or in a bucket with object lock.
 *
 *     <archive>/<memory>/00000001.jsonl        up to 500 turns as stored in the memory, encrypted
 *     <archive>/<memory>/00000002.jsonl
 *     <archive>/<memory>/receipt-00000001.json what was forgotten since, signed
 *
 * It does not contain the keys: forgetting a turn destroys its key, which makes the copy unreadable, too.
 */
export { readArchive, type ArchiveContent } from './read.ts';
export { openArchivePlace } from './openPlace.ts';
export type { ArchivePlace } from './place.ts';
export { verifyArchive, type ArchiveCheck } from './verify.ts';
export { ArchiveWriter, type ArchiveReport } from './writer.ts';
